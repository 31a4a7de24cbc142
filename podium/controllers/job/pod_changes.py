"""The pods that a Job creates and deletes, and the back-off before it replaces failed pods.

The rules are those of v1.36's manageJob and `backoff_utils.go`; the back-off also counts failures
that a pod failure policy ignores.
"""

from collections.abc import Collection, Sequence
from itertools import islice

import msgspec

from podium.api.objects import Object, entries, status_of, uid_of
from podium.api.pods import completion_index, phase_of
from podium.controllers.job.sync_context import (
    FAILURES,
    IGNORED_FAILURES,
    SyncJobContext,
    all_failures_of,
    counts_as_failed,
    failures_of,
    finished_s,
    has_limit_per_index,
    is_ending,
    is_indexed,
    is_tracked,
    job_pod,
    replaces_failed_only,
)
from podium.controllers.kit.pod_deletion_order import removal_order
from podium.machines.backoff import Backoff

BACKOFF = Backoff(first_s=10.0, max_s=600.0)


class BackoffRecord(msgspec.Struct, frozen=True):
    """The failures of a Job since its last success."""

    failures: int = 0
    last_failure_s: float = 0.0

    def after(self, succeeded: Collection[Object], failed: Collection[Object]) -> "BackoffRecord":
        """Return the record once further pods have ended."""
        ends_s = sorted(map(finished_s, failed))
        if not succeeded:
            if not ends_s:
                return self
            return BackoffRecord(self.failures + len(ends_s), ends_s[-1])
        last_success_s = max(map(finished_s, succeeded))
        later_s = [end_s for end_s in ends_s if end_s > last_success_s]
        return BackoffRecord(len(later_s), later_s[-1]) if later_s else BackoffRecord()

    @classmethod
    def recalled(
        cls, job: Object, pods: Collection[Object], now_s: float, *, lacks_pods: bool
    ) -> "BackoffRecord":
        """Return the record that the controller of a loaded Job must have had.

        Where no pod has succeeded, failed pods that are gone by now count, too. If no failure's
        time is known, and the Job lacks pods because it has to wait, a pod failed just now.
        """
        status = status_of(job)
        uncounted = status.get("uncountedTerminatedPods") or {}
        known = {*entries(uncounted, "succeeded"), *entries(uncounted, "failed")}
        counted = [pod for pod in pods if not is_tracked(pod) or uid_of(pod) in known]
        succeeded = [pod for pod in counted if phase_of(pod) == "Succeeded"]
        record = cls().after(succeeded, [pod for pod in counted if phase_of(pod) == "Failed"])
        failures = int(status.get("failed") or 0) + len(entries(uncounted, "failed"))
        has_succeeded = bool(succeeded or status.get("succeeded"))
        if not record.failures:
            waits = failures and lacks_pods and not succeeded
            return cls(1 if has_succeeded else failures, now_s) if waits else record
        if has_succeeded:
            return record
        return cls(max(record.failures, failures), record.last_failure_s)

    def remaining_s(self, now_s: float) -> float:
        return _remaining_s(self.failures, self.last_failure_s, now_s)


def _remaining_s(failures: int, last_failure_s: float, now_s: float) -> float:
    return max(last_failure_s + BACKOFF.wait_s(failures) - now_s, 0.0) if failures else 0.0


CHANGES_MAX = 500
"""The largest number of pods that one sync creates or deletes."""


class PodChanges(msgspec.Struct, frozen=True):
    """The pods that a Job creates or deletes now, and the wait until it creates the others."""

    creations: Sequence[Object] = ()
    deletions: Sequence[Object] = ()
    wait_s: float = 0.0


def pod_changes(context: SyncJobContext, backoff: BackoffRecord, now_s: float) -> PodChanges:
    """Return the next changes of a Job's pods: creations or deletions, not both."""
    job, active = context.job, context.active
    if job["spec"].get("suspend"):
        return PodChanges(deletions=_for_removal(context, len(active)))
    spec = job["spec"]
    wanted = 1 if spec.get("parallelism") is None else int(spec["parallelism"])
    if spec.get("completions") is not None:
        wanted = max(min(wanted, int(spec["completions"]) - context.succeeded), 0)
    elif context.succeeded:
        # One success ends a work queue: running pods may finish, and no pod is created.
        wanted = len(active)
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
    busy = {completion_index(pod) for pod in active}
    if replaces_failed_only(job):
        busy |= {completion_index(pod) for pod in context.pods if is_ending(pod)}
    busy |= context.succeeded_indexes | context.failed_indexes
    pending = (index for index in range(int(spec["completions"])) if index not in busy)
    waits_s = {
        index: _remaining_s(all_failures_of(last) + 1, finished_s(last), now_s)
        if (last := context.awaiting_replacement.get(index)) is not None
        else 0.0
        for index in islice(pending, lacking)
    }
    due = [index for index, index_wait_s in waits_s.items() if not index_wait_s]
    if waits_s and not due:
        return PodChanges(wait_s=min(waits_s.values()))
    creations = []
    for index in due:
        notes: dict[str, str] = {}
        if has_limit_per_index(job):
            replaced = context.awaiting_replacement.get(index)
            notes[FAILURES] = "0"
            if replaced is not None:
                counts = counts_as_failed(replaced, job)
                notes[FAILURES] = str(failures_of(replaced) + counts)
                if ignored := failures_of(replaced, IGNORED_FAILURES) + (not counts):
                    notes[IGNORED_FAILURES] = str(ignored)
        creations.append(job_pod(job, index, notes))
    return PodChanges(creations=creations)


def _for_removal(context: SyncJobContext, at_least: int) -> list[Object]:
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
