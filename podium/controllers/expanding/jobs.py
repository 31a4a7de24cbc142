"""Jobs: pods that run to their end, several at a time."""

from collections.abc import Collection, Mapping
from itertools import islice
from typing import Any

from podium.api.meta import labels, name, uid
from podium.controllers.expanding.expansion import Expansion, label_of, pod_from_template
from podium.controllers.expanding.replica_sets import create, deletion_note, free_names
from podium.controllers.expanding.view import ClusterView, is_active
from podium.controllers.job.indexes import read_indexes
from podium.controllers.job.pods import INDEX, index_of
from podium.controllers.ranking import removal_order

Object = Mapping[str, Any]

_OVER = ("Complete", "Failed")


def expand_job(job: Object, view: ClusterView, now: int | None) -> Expansion:
    """What a Job does next: the pods that run at the same time, not those that follow them."""
    if _is_over(job):
        return Expansion()
    owner = _labelled(job)
    pods = view.owned_by(job, "Pod")
    active = [pod for pod in pods if is_active(pod)]
    if owner["spec"].get("completionMode") == "Indexed":
        expansion = _indexed(owner, view, pods, active)
    else:
        expansion = _counted(owner, view, pods, active)
    if expansion.surplus:
        expansion.notes.append(deletion_note(owner, expansion.surplus))
    return expansion


def _is_over(job: Object) -> bool:
    conditions = (job.get("status") or {}).get("conditions") or ()
    return any(c.get("type") in _OVER and c.get("status") == "True" for c in conditions)


def _labelled(job: Object) -> Object:
    """The job with the labels that the API puts on its template."""
    if job["spec"].get("manualSelector"):
        return job
    template = job["spec"]["template"]
    added = {
        "batch.kubernetes.io/controller-uid": uid(job),
        "batch.kubernetes.io/job-name": name(job),
        "controller-uid": uid(job),
        "job-name": name(job),
    }
    metadata = {**(template.get("metadata") or {}), "labels": {**added, **labels(template)}}
    return {**job, "spec": {**job["spec"], "template": {**template, "metadata": metadata}}}


def _counted(
    owner: Object, view: ClusterView, pods: Collection[Object], active: Collection[Object]
) -> Expansion:
    """A Job whose pods are all alike."""
    spec = owner["spec"]
    succeeded = max(int(_status(owner).get("succeeded") or 0), len(_succeeded(pods)))
    wanted, completions = _parallelism(owner), spec.get("completions")
    if completions is not None:
        wanted = max(min(wanted, int(completions) - succeeded), 0)
    elif succeeded:
        # One success ends a queue of work: what runs may finish, nothing new starts.
        wanted = min(wanted, len(active))
    if wanted < len(active):
        return Expansion(surplus=removal_order(active)[: len(active) - wanted])
    left = 0 if completions is None else int(completions) - succeeded - wanted
    made = create(owner, view, wanted - len(active))
    return Expansion(pods=made, notes=_note_on_rest(owner, left))


def _indexed(
    owner: Object, view: ClusterView, pods: Collection[Object], active: Collection[Object]
) -> Expansion:
    """A Job each of whose pods has a number; the lowest go first."""
    completions = int(owner["spec"].get("completions") or 0)
    status = _status(owner)
    done = read_indexes(status.get("completedIndexes")) | read_indexes(status.get("failedIndexes"))
    done |= {index for pod in _succeeded(pods) if (index := index_of(pod)) is not None}
    open_indexes = [index for index in range(completions) if index not in done]
    wanted = min(_parallelism(owner), len(open_indexes))
    # The pod that would be removed last is the one that keeps its number.
    keepers = {index_of(pod): pod for pod in removal_order(active) if index_of(pod) in open_indexes}
    kept = list(keepers.values())
    surplus = [pod for pod in active if all(pod is not keeper for keeper in kept)]
    surplus += removal_order(kept)[: max(len(kept) - wanted, 0)]
    free = (index for index in open_indexes if index not in keepers)
    made = [_numbered(owner, view, index) for index in islice(free, max(wanted - len(kept), 0))]
    notes = _note_on_rest(owner, len(open_indexes) - wanted)
    return Expansion(pods=made, surplus=surplus, notes=notes)


def _numbered(owner: Object, view: ClusterView, index: int) -> Object:
    number = {INDEX: str(index)}
    return pod_from_template(
        owner,
        next(free_names(owner, view, f"{index}-")),
        extra_labels=number,
        extra_annotations=number,
        extra_spec={"hostname": f"{name(owner)}-{index}"},
    )


def _parallelism(owner: Object) -> int:
    """How many pods may run at the same time."""
    spec = owner["spec"]
    if spec.get("suspend"):
        return 0
    return 1 if spec.get("parallelism") is None else int(spec["parallelism"])


def _succeeded(pods: Collection[Object]) -> list[Object]:
    return [pod for pod in pods if (pod.get("status") or {}).get("phase") == "Succeeded"]


def _status(job: Object) -> Object:
    status: Object = job.get("status") or {}
    return status


def _note_on_rest(owner: Object, left: int) -> list[str]:
    if left <= 0 or owner["spec"].get("suspend"):
        return []
    return [f"{label_of(owner)} runs {left} more pods after these"]
