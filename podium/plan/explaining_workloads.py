"""Which pod stands for a workload that is to be explained."""

from dataclasses import replace

from podium.api.objects import (
    controller_of,
    is_terminating,
    key,
    metadata_of,
    name,
    namespace,
    uid,
)
from podium.api.pods import is_finished, node_name_of
from podium.plan.explaining import ExplainError, explain_pod
from podium.plan.explanation import PodExplanation
from podium.plan.play import Play
from podium.plan.request import Request
from podium.plan.targets import Target, parse_workload


def explain_named(request: Request, named: str, namespace: str) -> PodExplanation:
    """Explain the decisions about a pod, or about one of a workload.

    Args:
        request: state and changes.
        named: `[NAMESPACE/]POD`, also behind `pod/` as in kubectl's output, or a workload.
        namespace: where it is unless that says so.

    Raises:
        ExplainError: there is no such pod, or nobody decides about it.
        TargetError: something to delete isn't there.
    """
    workload = parse_workload(named, namespace)
    if workload is not None:
        return explain_workload(request, workload)
    called = named.removeprefix("pod/")
    return explain_pod(request, called if "/" in called else f"{namespace}/{called}")


def explain_workload(request: Request, workload: Target) -> PodExplanation:
    """Explain the decisions about one pod of a workload.

    It is the first one that waits in the end; if none does, the first that comes in the course of
    the plan; else the first by name.

    Args:
        request: state and changes.
        workload: what the pod belongs to, directly or by others that belong to it.

    Raises:
        ExplainError: it has no pods.
        TargetError: something to delete isn't there.
    """
    play = Play(request)
    play.start()
    play.run(request.until_s)
    owners, before = play.owners(), {uid(pod) for pod in play.pods_before}
    sought = (workload.kind, workload.namespace, workload.name)
    found = []
    for pod in play.cluster.store.list("Pod").items:
        owner = controller_of(pod)
        above = owner and (str(owner["kind"]), namespace(pod), str(owner["name"]))
        is_over = is_finished(pod) or is_terminating(pod)
        if not is_over and sought in owners.above(above or None):
            created = metadata_of(pod).get("creationTimestamp") or ""
            rank = bool(node_name_of(pod)), uid(pod) in before, created, name(pod)
            found.append((*rank, key(pod)))
    if not found:
        raise ExplainError(f"{workload} has no pods, or isn't there")
    has_place, _, _, _, chosen = min(found)
    which = "that has its place" if has_place else "that waits"
    note = f"It is the first pod of {workload} {which}."
    explanation = explain_pod(request, chosen)
    return replace(explanation, notes=(note, *explanation.notes))
