"""Pods that the changes remove, Jobs that fail with their pods, and missing pods of workloads."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from podium.api.kinds.snapshot_kinds import Identity, label
from podium.api.nodes import taint_text, untolerated_taints
from podium.api.objects import controller_uid, holds, is_terminating, labels, status_of, uid
from podium.api.pods import is_active
from podium.api.values.message_words import count
from podium.apiserver.store.store import Store
from podium.controllers.daemon_set.daemon_set_state import tolerant
from podium.controllers.job.completion_indexes import write_indexes
from podium.simulation.timeline.observer import USER
from podium.simulation.timeline.pod_history import PodHistory
from podium.whatif.plan.change_executor import with_likely_name
from podium.whatif.plan.outcome.timeline import Timeline
from podium.whatif.plan.plan_report import FailedJob, RejectedObject, RemovedPod


def is_lost_with_job(timeline: Timeline, pod: PodHistory) -> bool:
    """True if a pod isn't replaced because its Job, or its index of the Job, has failed."""
    failure = None if pod.owner is None else timeline.job_failures.get(pod.owner)
    return failure is not None and (not failure.indexes or pod.index in failure.indexes)


def is_done_without(timeline: Timeline, pod: PodHistory) -> bool:
    """True if the Job of a pod has completed, so that a lost pod needs no replacement."""
    job = None if pod.owner is None else timeline.store.get(*pod.owner)
    return job is not None and job.get("kind") == "Job" and holds(job, "SuccessCriteriaMet")


def failed_jobs(timeline: Timeline) -> Iterator[FailedJob]:
    """Yield the Jobs that fail, in order."""
    pods: Mapping[Identity, list[PodHistory]] = defaultdict(list)
    for pod in timeline.histories.by_uid.values():
        if pod.owner in timeline.job_failures:
            pods[pod.owner].append(pod)
    for job, failure in timeline.job_failures.items():
        ended = (pod for pod in pods[job] if pod.ended_s is not None)
        lost = [pod for pod in ended if is_lost_with_job(timeline, pod)]
        replaced = {pod.replaces for pod in pods[job]}
        most = max(pods[job], key=lambda pod: pod.priority, default=None)
        yield FailedJob(
            job=label(job),
            namespace=job[1],
            workload=timeline.owners.workload("", job),
            priority=0 if most is None else most.priority,
            priority_class="" if most is None else most.priority_class,
            reason=failure.reason,
            message=failure.message,
            indexes=write_indexes(failure.indexes),
            at=round(failure.at_s, 3),
            pods=sum(pod.uid not in replaced for pod in lost),
        )


_COLLECTOR, _NAMESPACES = "generic-garbage-collector", "namespace-controller"
_WANTED = {
    "ReplicaSet": "replicas",
    "ReplicationController": "replicas",
    "StatefulSet": "replicas",
    "Job": "parallelism",
}


def removed(timeline: Timeline) -> Iterator[RemovedPod]:
    """Yield the pods of the state that were deleted without a disruption, by time."""
    known, play = timeline.owners, timeline.play
    histories = timeline.histories.by_uid.values()
    for pod in sorted(histories, key=lambda history: history.ended_s or 0.0):
        if pod.is_new or pod.ended_s is None or pod.cause is not None or pod.has_finished:
            continue
        owners = [*known.above(pod.owner)]
        top = known.topmost(pod.owner) if pod.owner else None
        gone = next((owner for owner in owners if owner in play.deleted), top)
        is_lost = pod.ended_by == "job-controller" and is_lost_with_job(timeline, pod)
        reason = "its Job fails" if is_lost else _why(timeline.store, pod, top, gone)
        is_meant = pod.ended_by in (USER, _COLLECTOR, _NAMESPACES)
        yield RemovedPod(
            **known.row(pod),
            reason=reason,
            at=round(pod.ended_s, 3),
            node=pod.node,
            is_evicted=not (is_meant or any(owner in play.executor.touched for owner in owners)),
        )


def _why(store: Store, pod: PodHistory, top: Identity | None, gone: Identity | None) -> str:
    if pod.ended_by == _NAMESPACES:
        return f"goes with Namespace {pod.pod.partition('/')[0]}"
    if pod.ended_by == USER or top is None:
        return "is deleted"
    if pod.ended_by == _COLLECTOR:
        return f"goes with {label(gone or top)}"
    if top[0] == "DaemonSet" and (misfit := _misfit(store, top, pod.node)):
        return f"{label(top)} may not run there: {misfit}"
    return f"is surplus to {label(top)}"


def _misfit(store: Store, daemon_set: Identity, node_name: str) -> str:
    # The labels and taints of the node that keep the pods off it; empty if none do.
    # Few plans take daemons away, and the others start faster without it.
    from podium.scheduler.explain.node_conditions import unmet_node_affinity

    owner, node = store.get(*daemon_set), store.get("Node", "", node_name)
    if owner is None or node is None:
        return ""
    spec = tolerant(owner["spec"]["template"]["spec"])
    taints = [
        f"taint {taint_text(taint)} isn't tolerated"
        for taint in untolerated_taints(node, spec["tolerations"])
    ]
    return "; ".join([*unmet_node_affinity({"spec": spec}, labels(node), node_name), *taints])


def short_of_pods(timeline: Timeline) -> Iterator[RejectedObject]:
    """Yield the workloads that lack pods because the API refused them, with the API's message."""
    for owner, (message, since_s) in timeline.refused.items():
        lacking = _lacking(timeline.store, owner)
        if lacking > 0:
            yield RejectedObject(
                count(lacking, "pod"),
                with_likely_name(message, timeline.store),
                label(timeline.owners.topmost(owner)),
                lacking,
                namespace=owner[1],
                at=round(since_s, 3),
            )


def has_all_its_pods(store: Store, owner: Identity) -> bool:
    """True if a controller has as many pods as its `spec.replicas`; false for other kinds."""
    counts = _WANTED.get(owner[0]) == "replicas" and store.get(*owner) is not None
    return counts and _lacking(store, owner) <= 0


def _lacking(store: Store, found: Identity) -> int:
    owner = store.get(*found)
    if owner is None or is_terminating(owner):
        return 0
    pods = [
        pod
        for pod in store.list("Pod").items
        if controller_uid(pod) == uid(owner) and is_active(pod)
    ]
    if found[0] == "DaemonSet":
        status = status_of(owner)
        return int(status.get("desiredNumberScheduled") or len(pods) + 1) - len(pods)
    wanted = owner["spec"].get(_WANTED.get(found[0], ""))
    return (1 if wanted is None else int(wanted)) - len(pods)
