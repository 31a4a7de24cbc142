"""Which pods a Job that goes on creates and deletes, and how long it waits before it replaces any.

The rules are those of v1.36's manageJob: in one go pods are created or deleted, not both. Failures
since the last success make it wait: 10 s, twice as long each time, up to 10 minutes.
"""

from collections.abc import Collection, Sequence
from itertools import islice

import msgspec

from podium.api.objects import Object, is_terminating, uid_of
from podium.api.pods import phase_of
from podium.control.backoff import Backoff
from podium.controllers.job.pod_accounting import (
    FAILURES,
    IGNORED_FAILURES,
    failures_of,
    finished_s,
    ignored_failures_of,
    index_of,
    is_indexed,
    job_pod,
    replaces_failed_only,
)
from podium.controllers.job.pod_failure_policy import IGNORE, match_pod_failure_policy
from podium.controllers.job.sync_context import SyncJobContext
from podium.controllers.pod_deletion_order import removal_order

BACKOFF = Backoff(first_s=10.0, max_s=600.0)


class BackoffRecord(msgspec.Struct):
    """The failures of one Job since its last success.

    Attributes:
        failures: since the last success.
    """

    failures: int = 0
    last_failure_s: float = 0.0
    _seen: set[str] = msgspec.field(default_factory=set)

    def see(self, ended: Collection[Object], known: Collection[str], now_s: float) -> None:
        """Take in pods that have ended.

        Args:
            ended: pods that have yet to be counted.
            known: uids of others that still may show up among the pods.
            now_s: the time.
        """
        new = [pod for pod in ended if uid_of(pod) not in self._seen]
        for pod in sorted(new, key=lambda pod: finished_s(pod, now_s)):
            if phase_of(pod) == "Succeeded":
                self.failures = 0
            else:
                self.failures += 1
                self.last_failure_s = finished_s(pod, now_s)
        self._seen = {*map(uid_of, ended), *(uid for uid in self._seen if uid in known)}

    def until_s(self) -> float:
        """Until when no pods are created."""
        return self.last_failure_s + BACKOFF.wait_s(self.failures)


BURST_MAX = 500


class PodChanges(msgspec.Struct):
    """The pods that a Job creates and deletes now.

    Attributes:
        later_s: when pods may be created that have to wait; None if none have to.
    """

    creations: list[Object] = msgspec.field(default_factory=list)
    deletions: list[Object] = msgspec.field(default_factory=list)
    later_s: float | None = None


def pod_changes(context: SyncJobContext, free_from_s: float, now_s: float) -> PodChanges:
    """What brings the number of pods to where it is to be.

    Args:
        context: of the Job.
        free_from_s: until when new pods wait because others have failed.
        now_s: the time.
    """
    spec, active = context.job["spec"], context.active
    if spec.get("suspend"):
        return PodChanges(deletions=removal_order(active)[:BURST_MAX])
    wanted = _wanted(context)
    surplus = _surplus(context, len(active) - wanted)
    if surplus:
        return PodChanges(deletions=surplus[:BURST_MAX])
    awaited = context.terminating if replaces_failed_only(context.job) else 0
    missing = min(wanted - awaited - len(active), BURST_MAX)
    if missing <= 0:
        return PodChanges()
    has_own_limits = spec.get("backoffLimitPerIndex") is not None
    if free_from_s > now_s and not has_own_limits:
        return PodChanges(later_s=free_from_s)
    if not is_indexed(context.job):
        return PodChanges([job_pod(context.job, None, {}) for _ in range(missing)])
    return _numbered(context, missing, now_s)


def _wanted(context: SyncJobContext) -> int:
    spec = context.job["spec"]
    parallelism = 1 if spec.get("parallelism") is None else int(spec["parallelism"])
    if spec.get("completions") is not None:
        left = int(spec["completions"]) - context.succeeded - len(context.failed_indexes)
        return max(min(parallelism, left), 0)
    # One success ends a queue of work: what runs may finish, nothing new starts.
    return len(context.active) if context.succeeded else parallelism


def _surplus(context: SyncJobContext, too_many: int) -> list[Object]:
    """Pods without a use, and, if that isn't enough, those that are missed least."""
    active = removal_order(context.active)
    if not is_indexed(context.job):
        return active[: max(too_many, 0)]
    completions = int(context.job["spec"].get("completions") or 0)
    # The pod that would be removed last is the one that keeps its number.
    keepers = {index_of(pod): pod for pod in active}
    kept = [
        pod
        for index, pod in keepers.items()
        if index is not None and index < completions and index not in context.succeeded_indexes
    ]
    useless = [pod for pod in active if all(pod is not keeper for keeper in kept)]
    return useless + removal_order(kept)[: max(too_many - len(useless), 0)]


def _numbered(context: SyncJobContext, missing: int, now_s: float) -> PodChanges:
    """Pods for the lowest indexes that lack one; those that failed wait, each for itself."""
    job = context.job
    held: Sequence[Object] = context.active
    if replaces_failed_only(job):
        held = [*held, *filter(is_terminating, context.pods.values())]
    busy = {index_of(pod) for pod in held} | context.succeeded_indexes | context.failed_indexes
    free = (index for index in range(int(job["spec"]["completions"])) if index not in busy)
    changes = PodChanges()
    for index in islice(free, missing):
        failed = context.kept.get(index)
        notes: dict[str, str] = {}
        if job["spec"].get("backoffLimitPerIndex") is not None:
            counted, ignored = _failures_up_to(job, failed)
            notes[FAILURES] = str(counted)
            if ignored:
                notes[IGNORED_FAILURES] = str(ignored)
            if failed is not None:
                due_s = finished_s(failed, now_s) + BACKOFF.wait_s(counted + ignored)
                if due_s > now_s:
                    changes.later_s = min(due_s, changes.later_s or due_s)
                    continue
        changes.creations.append(job_pod(job, index, notes))
    return changes


def _failures_up_to(job: Object, failed: Object | None) -> tuple[int, int]:
    """How often pods of an index have failed, and how often that didn't count."""
    if failed is None:
        return 0, 0
    is_ignored = match_pod_failure_policy(job, failed).action == IGNORE
    return failures_of(failed) + (not is_ignored), ignored_failures_of(failed) + is_ignored
