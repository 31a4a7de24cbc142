"""The Job controller: runs the pods of Jobs to completion, by v1.36's rules, texts and times.

It handles changes of pods, and its own writes, in batches of a second; new Jobs and changed specs
at once. If a call of a sync is refused, the whole sync is repeated with backoff.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import msgspec

from podium.api.objects import (
    Object,
    Place,
    controller_of,
    generation_of,
    is_terminating,
    labels,
    place_of,
    uid_of,
)
from podium.api.pods import completion_index, is_ready, phase_of
from podium.api.workloads import foreign_controller, selector_of
from podium.controllers.job.job_pods import (
    TRACKING,
    BackoffRecord,
    PodChanges,
    SyncJobContext,
    counts_as_failed,
    has_failed,
    has_limit_per_index,
    is_indexed,
    is_tracked,
    is_whole,
    pod_changes,
    sync_context,
    valid_index_of,
)
from podium.controllers.job.job_status import (
    REACHED,
    SUCCESS,
    FinishedCondition,
    JobStatus,
    finished_condition,
    is_complete,
    is_over,
)
from podium.controllers.kit.controller_refs import claim
from podium.controllers.kit.pod_control import PodOwnerReconciler
from podium.machines.effects import Create, Effect, Patch, deletion_of, patch_of, status_patch_of
from podium.machines.events import Change, Outcome
from podium.machines.reconciler.indexer import by_namespace, by_owner_or_orphan
from podium.machines.reconciler.reconciler import Calls, SequencedReconciler, SyncFailedError, made
from podium.machines.reconciler.work_queue import Backoff, RetryRules

BATCH_PERIOD_S = 1.0
"""Seconds for which changes of pods, and of a Job's status, are collected before a sync."""

RELEASED_MAX = 500
"""The largest number of pods that one sync counts and releases."""

_JOB = "Job"


class _Orphan(msgspec.Struct, frozen=True):
    """The key of an uncounted pod that may have lost its Job."""

    place: Place


class JobController(SequencedReconciler, PodOwnerReconciler):
    """Runs the pods of Jobs until the Jobs have succeeded or failed."""

    name = "job-controller"
    kinds = frozenset({"Pod", _JOB})
    indexes = (*by_owner_or_orphan("Pod"), by_namespace(_JOB))
    tends = frozenset({_JOB})
    owner_kind = _JOB
    retry_rules = RetryRules(Backoff(first_s=1.0, max_s=60.0), has_bucket=False)

    def __init__(self) -> None:
        super().__init__()
        self._backoffs: dict[Hashable, BackoffRecord] = {}

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        if change.kind == _JOB:
            yield place_of(change.obj)
            if change.new is None or is_over(change.new):
                pods = self.objects.by("Pod", "owner", uid_of(change.obj))
                yield from (_Orphan(place_of(pod)) for pod in pods if is_tracked(pod))
        elif change.new is None or is_terminating(change.new):
            job = self._job_of(change.obj)
            if job is not None and not is_over(job):
                yield place_of(job)
            elif is_tracked(change.obj):
                yield _Orphan(place_of(change.obj))
        else:
            pod, owner = change.new, controller_of(change.new)
            has_moved = (None if before is None else controller_of(before)) != owner
            for owned in (before, pod) if has_moved else (pod,):
                job = None if owned is None else self._job_of(owned)
                if job is not None:
                    yield place_of(job)
            if owner is not None:
                return
            if is_tracked(pod):
                yield _Orphan(place_of(pod))
            if before is None or has_moved or labels(before) != labels(pod):
                for job in self.objects.by(_JOB, "namespace", place_of(pod)[0]):
                    if selector_of(job).matches(labels(pod)):
                        yield place_of(job)

    def react(self, key: Hashable, change: Change, before: Object | None) -> None:
        # At once if the Job is new, gone, or has another spec; else with the batch.
        new, is_batched = change.new, change.kind == "Pod"
        if change.kind == _JOB and new is not None and before is not None:
            is_batched = generation_of(new) == generation_of(before)
            limit_s = _active_deadline_s(new)
            status = JobStatus.of(new)
            if limit_s not in (None, _active_deadline_s(before)) and status.started_s is not None:
                self.look_after(key, status.started_s + limit_s - self._now_s)
        self.look_after(key, BATCH_PERIOD_S if is_batched and isinstance(key, tuple) else 0.0)

    def synced(self, now_s: float) -> None:
        # Go on with the Jobs of a loaded state of which no pod is missing.
        for job in self.objects.all(_JOB):
            key, pods = place_of(job), [*self.objects.by("Pod", "owner", uid_of(job))]
            if self.is_as_loaded(key) and is_whole(job, pods):
                context = sync_context(job, pods)
                creations = pod_changes(context, BackoffRecord(), now_s).creations
                is_settled = not (context.new_succeeded or context.new_failed)
                lacks_pods = is_settled and bool(creations)
                recalled = BackoffRecord.recalled(job, pods, now_s, lacks_pods=lacks_pods)
                self._backoffs[key] = recalled
                self.end_rest(key)

    def sync(self, key: Hashable, now_s: float) -> Calls[None]:
        if isinstance(key, _Orphan):
            pod = self.objects.at("Pod", key.place)
            if pod is None or not is_tracked(pod):
                return
            owner, job = controller_of(pod), self._job_of(pod)
            if owner and (owner.get("kind"), owner.get("apiVersion")) != (_JOB, "batch/v1"):
                return
            if job is not None and (foreign_controller(job) or not is_over(job)):
                return
            if any(map(_has_failed, (yield [_untrack(pod)]))):
                raise SyncFailedError
            return
        job = self.owner_of(key)
        if job is None or is_over(job):
            self._backoffs.pop(key, None)
        elif not foreign_controller(job):
            yield from self._sync_job(key, job, now_s)

    def _sync_job(self, key: Hashable, job: Object, now_s: float) -> Calls[None]:
        pods, claims = claim(job, self.objects, "Pod", (TRACKING,))
        if claims:
            if any(map(_has_failed, (yield claims))):
                raise SyncFailedError
            pods, _ = claim(job, self.objects, "Pod", (TRACKING,))
        context = sync_context(job, pods)
        status = JobStatus.of(job)
        if status.started_s is None and not job["spec"].get("suspend"):
            status.started_s = now_s
        record = self._backoffs.get(key, BackoffRecord())
        backoff = record.after(context.new_succeeded, context.new_failed)
        deadline_s, limit_s = None, _active_deadline_s(job)
        if not (limit_s is None or status.started_s is None or job["spec"].get("suspend")):
            deadline_s = status.started_s + limit_s
        finished = finished_condition(context, deadline_s, now_s)
        if finished is None and deadline_s is not None:
            self.look_after(key, deadline_s - now_s)
        status.active, status.ready = len(context.active), context.ready
        status.terminating = context.terminating
        is_done = True
        if finished is not None:
            is_done = yield from self._delete(context.active, status)
            if not is_done:
                finished = None
        else:
            if not is_terminating(job):
                changes = pod_changes(context, backoff, now_s)
                is_done = yield from self._carry_out(key, changes, status)
            if not status.active and is_complete(context):
                finished = REACHED
            elif not is_terminating(job):
                if not job["spec"].get("suspend"):
                    if status.resume(self._now_s):
                        self.record(self.event(job, "Normal", "Resumed", "Job resumed"))
                elif status.suspend(self._now_s):
                    self.record(self.event(job, "Normal", "Suspended", "Job suspended"))
        yield from self._track(key, context, status, finished, backoff)
        if not is_done:
            raise SyncFailedError

    def _carry_out(self, key: Hashable, changes: PodChanges, status: JobStatus) -> Calls[bool]:
        if changes.wait_s:
            # While it may not create a pod that it lacks, v1.36 says that none is active.
            status.active = 0
            self.look_after(key, max(changes.wait_s, BATCH_PERIOD_S))
            return True
        if changes.deletions:
            # A surplus pod hasn't failed, and isn't to be counted.
            untracked = [pod for pod in changes.deletions if not is_tracked(pod)]
            tracked = [pod for pod in changes.deletions if is_tracked(pod)]
            free = yield from self._accepted(tracked, [_untrack(pod) for pod in tracked])
            is_deleted = yield from self._delete([*untracked, *free], status)
            return is_deleted and len(free) == len(tracked)
        # First one pod is created, and then twice as many at a time.
        pods, done, size = changes.creations, 0, 1
        while done < len(pods):
            batch = pods[done : done + size]
            outcomes = yield [Create(kind="Pod", obj=pod) for pod in batch]
            created = sum(outcome.error is None for outcome in outcomes)
            status.active += created
            if created < len(batch):
                return False
            done, size = done + size, 2 * size
        return True

    def _accepted(self, pods: Sequence[Object], calls: Sequence[Effect]) -> Calls[list[Object]]:
        # Makes a call for each pod, and returns the pods whose calls weren't refused.
        outcomes = yield from made(calls)
        return [
            pod for pod, outcome in zip(pods, outcomes, strict=True) if not _has_failed(outcome)
        ]

    def _delete(self, pods: Sequence[Object], status: JobStatus) -> Calls[bool]:
        deleted = yield from self._accepted(pods, [deletion_of("Pod", pod) for pod in pods])
        status.active -= len(deleted)
        status.terminating = (status.terminating or 0) + len(deleted)
        status.ready = (status.ready or 0) - sum(map(is_ready, pods))
        return len(deleted) == len(pods)

    def _track(
        self,
        key: Hashable,
        context: SyncJobContext,
        status: JobStatus,
        finished: FinishedCondition | None,
        backoff: BackoffRecord,
    ) -> Calls[None]:
        # Counts ended pods and releases them, as trackJobStatusAndRemoveFinalizers of v1.36.
        job = context.job
        tracked = {uid_of(pod) for pod in context.pods if is_tracked(pod)}
        status.count_all_but(tracked)
        freed = _take_up(context, status, finished)
        has_all = len(freed) < RELEASED_MAX
        if finished is not None:
            status.decide(finished, self._now_s)
        if status.changes(job):
            job = yield from self._write(job, status)
            self._backoffs[key] = backoff
        released = yield from self._accepted(freed, [_untrack(pod) for pod in freed])
        status.count_all_but(tracked - {*map(uid_of, released)})
        has_uncounted = any(status.uncounted.values()) or status.terminating
        ends = finished is not None and has_all and not has_uncounted
        if finished is not None and ends and len(released) == len(freed):
            status.end(finished, self._now_s)
        if status.changes(job):
            yield from self._write(job, status)
        if len(released) < len(freed):
            raise SyncFailedError
        if finished is None or not ends:
            return
        if finished.condition != SUCCESS:
            self.record(self.event(job, "Warning", finished.reason, finished.message))
            return
        completions = job["spec"].get("completions")
        if completions is not None and status.counts["succeeded"] > int(completions):
            note = "Too many succeeded pods running after completion count reached"
            self.record(self.event(job, "Warning", "TooManySucceededPods", note))
        self.record(self.event(job, "Normal", "Completed", "Job completed"))

    def _write(self, job: Object, status: JobStatus) -> Calls[Object]:
        patch = status_patch_of(_JOB, job, status.changes(job), if_unchanged=True)
        (outcome,) = yield [patch]
        if outcome.obj is None:
            raise SyncFailedError
        return outcome.obj

    def _job_of(self, pod: Object) -> Object | None:
        reference = controller_of(pod)
        if reference is None or reference.get("kind") != _JOB:
            return None
        job = self.objects.get(_JOB, str(reference.get("name")), place_of(pod)[0])
        return job if job is not None and uid_of(job) == reference.get("uid") else None


def _take_up(
    context: SyncJobContext, status: JobStatus, finished: FinishedCondition | None
) -> list[Object]:
    job, freed = context.job, []
    for pod in sorted(filter(is_tracked, context.pods), key=_by_index):
        ends = is_terminating(job) or finished is not None or phase_of(pod) == "Succeeded"
        kept = context.awaiting_replacement.get(_by_index(pod))
        is_kept = kept is not None and uid_of(kept) == uid_of(pod)
        if not ends and (is_kept or not has_failed(pod, job)):
            # The pod is still needed: others depend on how it ends.
            continue
        freed.append(pod)
        uid, index = uid_of(pod), valid_index_of(pod, job)
        if phase_of(pod) == "Succeeded" and uid not in status.uncounted["failed"]:
            if not is_indexed(job):
                status.add_uncounted("succeeded", uid)
        elif (
            (has_failed(pod, job) or (finished is not None and finished.condition != SUCCESS))
            and (index is not None or not is_indexed(job))
            and counts_as_failed(pod, job)
        ):
            status.add_uncounted("failed", uid)
        if len(freed) == RELEASED_MAX:
            break
    if is_indexed(job):
        failed = context.failed_indexes if has_limit_per_index(job) else None
        status.count_indexes(context.succeeded_indexes, failed)
    return freed


def _by_index(pod: Object) -> int:
    index = completion_index(pod)
    return -1 if index is None else index


def _has_failed(outcome: Outcome) -> bool:
    # What is gone needs neither deletion nor finalizers.
    return outcome.error is not None and outcome.error.reason != "NotFound"


def _untrack(pod: Object) -> Patch:
    return patch_of("Pod", pod, {"metadata": {"$deleteFromPrimitiveList/finalizers": [TRACKING]}})


def _active_deadline_s(job: Object) -> int | None:
    limit_s: Any = job["spec"].get("activeDeadlineSeconds")
    return None if limit_s is None else int(limit_s)
