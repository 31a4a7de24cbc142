"""Which pods a Job that goes on creates and deletes.

The rules are those of v1.36's manageJob: in one go pods are created or deleted, not both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from podium.api.objects import Object, is_terminating
from podium.controllers.job.backoff import BACKOFF
from podium.controllers.job.failure_policy import IGNORE, meaning_of
from podium.controllers.job.pods import (
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
from podium.controllers.job.tally import Tally
from podium.controllers.ranking import removal_order

BURST_MAX = 500


@dataclass(slots=True)
class Sizing:
    """What is to be done.

    Attributes:
        creations: pods.
        deletions: pods.
        later_s: when pods may be created that have to wait; None if none have to.
    """

    creations: list[Object] = field(default_factory=list)
    deletions: list[Object] = field(default_factory=list)
    later_s: float | None = None


def sizing_of(tally: Tally, free_from_s: float, now_s: float) -> Sizing:
    """What brings the number of pods to where it is to be.

    Args:
        tally: of the Job.
        free_from_s: until when new pods wait because others have failed.
        now_s: the time.
    """
    spec, active = tally.job["spec"], tally.active
    if spec.get("suspend"):
        return Sizing(deletions=removal_order(active)[:BURST_MAX])
    wanted = _wanted(tally)
    surplus = _surplus(tally, len(active) - wanted)
    if surplus:
        return Sizing(deletions=surplus[:BURST_MAX])
    awaited = tally.terminating if replaces_failed_only(tally.job) else 0
    missing = min(wanted - awaited - len(active), BURST_MAX)
    if missing <= 0:
        return Sizing()
    has_own_limits = spec.get("backoffLimitPerIndex") is not None
    if free_from_s > now_s and not has_own_limits:
        return Sizing(later_s=free_from_s)
    if not is_indexed(tally.job):
        return Sizing([job_pod(tally.job, None, {}) for _ in range(missing)])
    return _numbered(tally, missing, now_s)


def _wanted(tally: Tally) -> int:
    spec = tally.job["spec"]
    parallelism = 1 if spec.get("parallelism") is None else int(spec["parallelism"])
    if spec.get("completions") is not None:
        left = int(spec["completions"]) - tally.succeeded - len(tally.failed_indexes)
        return max(min(parallelism, left), 0)
    # One success ends a queue of work: what runs may finish, nothing new starts.
    return len(tally.active) if tally.succeeded else parallelism


def _surplus(tally: Tally, too_many: int) -> list[Object]:
    """Pods without a use, and, if that isn't enough, those that are missed least."""
    active = removal_order(tally.active)
    if not is_indexed(tally.job):
        return active[: max(too_many, 0)]
    completions = int(tally.job["spec"].get("completions") or 0)
    # The pod that would be removed last is the one that keeps its number.
    keepers = {index_of(pod): pod for pod in active}
    kept = [
        pod
        for index, pod in keepers.items()
        if index is not None and index < completions and index not in tally.succeeded_indexes
    ]
    useless = [pod for pod in active if all(pod is not keeper for keeper in kept)]
    return useless + removal_order(kept)[: max(too_many - len(useless), 0)]


def _numbered(tally: Tally, missing: int, now_s: float) -> Sizing:
    """Pods for the lowest indexes that lack one; those that failed wait, each for itself."""
    job = tally.job
    held: Sequence[Object] = tally.active
    if replaces_failed_only(job):
        held = [*held, *filter(is_terminating, tally.pods.values())]
    busy = {index_of(pod) for pod in held} | tally.succeeded_indexes | tally.failed_indexes
    free = (index for index in range(int(job["spec"]["completions"])) if index not in busy)
    sizing = Sizing()
    for index in islice(free, missing):
        failed = tally.kept.get(index)
        notes: dict[str, str] = {}
        if job["spec"].get("backoffLimitPerIndex") is not None:
            counted, ignored = _failures_up_to(job, failed)
            notes[FAILURES] = str(counted)
            if ignored:
                notes[IGNORED_FAILURES] = str(ignored)
            if failed is not None:
                due_s = finished_s(failed, now_s) + BACKOFF.wait_s(counted + ignored)
                if due_s > now_s:
                    sizing.later_s = min(due_s, sizing.later_s or due_s)
                    continue
        sizing.creations.append(job_pod(job, index, notes))
    return sizing


def _failures_up_to(job: Object, failed: Object | None) -> tuple[int, int]:
    """How often pods of an index have failed, and how often that didn't count."""
    if failed is None:
        return 0, 0
    is_ignored = meaning_of(job, failed).action == IGNORE
    return failures_of(failed) + (not is_ignored), ignored_failures_of(failed) + is_ignored
