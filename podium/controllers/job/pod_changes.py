"""Which pods a Job that goes on creates and deletes, and how long it waits before it replaces any.

The rules are those of v1.36's manageJob: in one go pods are created or deleted, not both.
"""

from collections.abc import Mapping, Sequence
from itertools import islice

import msgspec

from podium.api.objects import Object
from podium.api.pods import completion_index
from podium.controllers.job.pod_accounting import (
    FAILURES,
    IGNORED_FAILURES,
    failures_of,
    has_limit_per_index,
    ignored_failures_of,
    is_ending,
    is_indexed,
    job_pod,
    replaces_failed_only,
)
from podium.controllers.job.pod_backoff import BackoffRecord, remaining_of_index_s
from podium.controllers.job.sync_context import SyncJobContext, counts_as_failed
from podium.controllers.kit.pod_deletion_order import removal_order

CHANGES_MAX = 500
"""How many pods a sync creates or deletes at most."""


class PodChanges(msgspec.Struct, frozen=True):
    """The pods that a Job creates or deletes now.

    Attributes:
        wait_s: after how long it may create those that it lacks; 0 if it needn't wait.
    """

    creations: Sequence[Object] = ()
    deletions: Sequence[Object] = ()
    wait_s: float = 0.0


def pod_changes(context: SyncJobContext, backoff: BackoffRecord, now_s: float) -> PodChanges:
    """What brings the number of pods to where it is to be."""
    job, active = context.job, context.active
    if job["spec"].get("suspend"):
        return PodChanges(deletions=_for_removal(context, len(active)))
    wanted = _wanted(context)
    deletions = _for_removal(context, max(len(active) - wanted, 0))[:CHANGES_MAX]
    if deletions:
        return PodChanges(deletions=deletions)
    awaited = context.terminating if replaces_failed_only(job) else 0
    lacking = wanted - awaited - len(active)
    if lacking <= 0:
        return PodChanges()
    wait_s = 0.0 if has_limit_per_index(job) else backoff.remaining_s(now_s)
    if wait_s:
        return PodChanges(wait_s=wait_s)
    lacking = min(lacking, CHANGES_MAX)
    if not is_indexed(job):
        return PodChanges(creations=[job_pod(job, None, {}) for _ in range(lacking)])
    waits_s = {
        index: remaining_of_index_s(context.awaiting_replacement.get(index), now_s)
        for index in _pending_indexes(context, lacking)
    }
    due = [index for index, index_wait_s in waits_s.items() if not index_wait_s]
    if waits_s and not due:
        return PodChanges(wait_s=min(waits_s.values()))
    return PodChanges(creations=[job_pod(job, index, _notes(context, index)) for index in due])


def _wanted(context: SyncJobContext) -> int:
    spec = context.job["spec"]
    parallelism = 1 if spec.get("parallelism") is None else int(spec["parallelism"])
    if spec.get("completions") is not None:
        return max(min(parallelism, int(spec["completions"]) - context.succeeded), 0)
    # One success ends a queue of work: what runs may finish, nothing new starts.
    return len(context.active) if context.succeeded else parallelism


def _for_removal(context: SyncJobContext, at_least: int) -> list[Object]:
    """Pods whose index is none of the Job's or has another pod, then those that are missed least.

    Args:
        context: of the Job.
        at_least: how many there are to be.
    """
    left = removal_order(context.active)
    useless: list[Object] = []
    if is_indexed(context.job):
        completions = int(context.job["spec"].get("completions") or 0)
        # The pod that would be removed last keeps its index.
        keepers = {completion_index(pod): pod for pod in left}
        kept = [pod for index, pod in keepers.items() if index is not None and index < completions]
        useless = [pod for pod in left if all(pod is not keeper for keeper in kept)]
        left = removal_order(kept)
    return useless + left[: max(at_least - len(useless), 0)]


def _pending_indexes(context: SyncJobContext, count: int) -> Sequence[int]:
    """The lowest indexes that neither have ended nor have a pod, as many as wanted at most."""
    job = context.job
    busy = {completion_index(pod) for pod in context.active}
    if replaces_failed_only(job):
        busy |= {completion_index(pod) for pod in context.pods if is_ending(pod)}
    busy |= context.succeeded_indexes | context.failed_indexes
    indexes = range(int(job["spec"]["completions"]))
    return list(islice((index for index in indexes if index not in busy), count))


def _notes(context: SyncJobContext, index: int) -> Mapping[str, str]:
    """How often pods of an index have failed, as annotations of the next one."""
    if not has_limit_per_index(context.job):
        return {}
    replaced = context.awaiting_replacement.get(index)
    if replaced is None:
        return {FAILURES: "0"}
    counts = counts_as_failed(replaced, context.job)
    ignored = ignored_failures_of(replaced) + (not counts)
    notes = {FAILURES: str(failures_of(replaced) + counts)}
    return {**notes, IGNORED_FAILURES: str(ignored)} if ignored else notes
