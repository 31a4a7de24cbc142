"""The machine of Jobs: what it looks at, and in which order.

Rules and texts are those of v1.36's `job` controller. Missing pods are asked for at once; after a
refusal one, to find out whether it would be refused again (upstream's slow start).
"""

from collections.abc import Hashable, Iterator, Sequence

import msgspec

from podium.api.objects import (
    Object,
    Place,
    controller_of,
    controller_uid,
    is_terminating,
    place_of,
    status_of,
    uid_of,
)
from podium.api.workloads import foreign_controller, selector_of
from podium.control.effects import Create, Effect, Patch, deletion_of, patch_of, status_patch_of
from podium.control.events import Change, Outcome
from podium.controllers.job.finished_condition import (
    FAILURE,
    REACHED,
    FinishedCondition,
    deadline_s,
    finished_condition,
    is_complete,
    is_over,
)
from podium.controllers.job.job_status import StatusUpdate, changed_fields, new_status
from podium.controllers.job.pod_accounting import TRACKING, is_tracked
from podium.controllers.job.pod_changes import BackoffRecord, PodChanges, pod_changes
from podium.controllers.job.sync_context import SyncJobContext, sync_context
from podium.controllers.kit.controller_refs import claim, owners_of
from podium.controllers.kit.indexer import namespaces, orphan_namespaces, owner_uids
from podium.controllers.kit.pod_control import PodOwnerReconciler

_JOB = "Job"


class _Orphan(msgspec.Struct, frozen=True):
    """The key of a pod that has yet to be counted, but has lost its Job."""

    place: Place


class JobController(PodOwnerReconciler):
    """Runs the pods of Jobs until the Jobs have succeeded or failed."""

    name = "job-controller"
    kinds = frozenset({"Pod", _JOB})
    tends = frozenset({_JOB})

    def __init__(self) -> None:
        super().__init__(
            {
                "Pod": {"owner": owner_uids, "orphan": orphan_namespaces, "job": _job_places},
                _JOB: {"namespace": namespaces},
            }
        )
        self._backoffs: dict[str, BackoffRecord] = {}
        self._updates: dict[Hashable, StatusUpdate] = {}

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.obj
        if change.kind == _JOB:
            if change.new is None:
                self._backoffs.pop(uid_of(obj), None)
            yield place_of(obj)
            return
        for pod in (before, change.new):
            if pod is not None:
                yield from self._owners_of(pod)

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        if isinstance(key, _Orphan):
            pod = self.objects.at("Pod", key.place)
            return [_untrack(pod)] if pod is not None and _is_lost(pod) else []
        assert isinstance(key, tuple)
        job = self.owner_of(key)
        found = self.objects.by("Pod", "job", _joined(key))
        strays = [pod for pod in found if job is None or not _is_owned(pod, job) or is_over(job)]
        freed = [_untrack(pod) for pod in strays if is_tracked(pod)]
        if job is None or is_over(job) or foreign_controller(job):
            self.refusals.pop(key, None)
            return freed
        claims = claim(job, selector_of(job), self.objects, "Pod")
        if claims.effects:
            return [*freed, *claims.effects]
        context = sync_context(job, claims.owned, now_s)
        return [*freed, *self._sync(key, context, now_s)]

    def carried_out(self, key: Hashable, outcome: Outcome) -> Iterator[Effect]:
        """Tell of pods, and of what the Job's conditions say."""
        yield from super().carried_out(key, outcome)
        job, effect = self.owner_of(key), outcome.effect
        if job is not None and isinstance(effect, Patch) and effect.kind == _JOB:
            update = self._updates.pop(key, None)
            for kind, reason, note in () if update is None else update.told:
                yield self.event(job, kind, reason, note)

    def owner_of(self, key: Hashable) -> Object | None:
        return self.objects.at(_JOB, key) if isinstance(key, tuple) else None

    def _owners_of(self, pod: Object) -> Iterator[Hashable]:
        if _is_lost(pod):
            yield _Orphan(place_of(pod))
        yield from owners_of(pod, _JOB, self.objects)

    def _sync(self, key: Hashable, context: SyncJobContext, now_s: float) -> Iterator[Effect]:
        backoff = self._seen(context, now_s)
        finished, changes = finished_condition(context, now_s), PodChanges()
        suspended: bool | None = None
        if finished is not None:
            context.count_kept_pods()
            context.release_pods(as_failed=finished.condition == FAILURE)
            changes.deletions = context.active
        elif is_terminating(context.job):
            context.release_pods(as_failed=False)
        else:
            changes = pod_changes(context, backoff.until_s(), now_s)
            suspended = bool(context.job["spec"].get("suspend"))
        if key in self.refusals:
            del changes.creations[1:]
        active = len(context.active) + len(changes.creations) - len(changes.deletions)
        if changes.later_s is not None and not changes.creations:
            # While it may not create a pod that it lacks, v1.36 says that none is active.
            active = 0
        if finished is None and active == 0 and is_complete(context):
            finished, suspended = REACHED, None
            context.count_kept_pods()
            context.release_pods(as_failed=False)
        self._wait(key, context, changes, finished, now_s)
        yield from (Create(kind="Pod", obj=pod) for pod in changes.creations)
        for pod in changes.deletions:
            if finished is None and is_tracked(pod):
                # That it has to go is no failure.
                yield _untrack(pod)
            yield deletion_of("Pod", pod)
        update = StatusUpdate(
            active, context.terminating + len(changes.deletions), finished, suspended
        )
        yield from self._status(key, context, update, now_s)
        yield from _finalizers(context)

    def _seen(self, context: SyncJobContext, now_s: float) -> BackoffRecord:
        backoff = self._backoffs.setdefault(uid_of(context.job), BackoffRecord())
        ended = [*context.new_succeeded, *context.new_failed]
        backoff.see(ended, {*context.known_succeeded, *context.known_failed}, now_s)
        return backoff

    def _wait(
        self,
        key: Hashable,
        context: SyncJobContext,
        changes: PodChanges,
        finished: FinishedCondition | None,
        now_s: float,
    ) -> None:
        if changes.later_s is not None:
            self.look_again(key, changes.later_s)
        due_s = deadline_s(context.job)
        if finished is None and due_s is not None and due_s > now_s:
            self.look_again(key, due_s)

    def _status(
        self, key: Hashable, context: SyncJobContext, update: StatusUpdate, now_s: float
    ) -> Iterator[Effect]:
        job = context.job
        changed = changed_fields(status_of(job), new_status(context, update, now_s))
        if not changed:
            return
        self._updates[key] = update
        # Of another state of the Job the numbers would be wrong: it is refused then.
        yield status_patch_of(_JOB, job, changed, if_unchanged=True)


def _finalizers(context: SyncJobContext) -> Iterator[Effect]:
    """Let the pods go whose uids the stored status has, and those that don't count."""
    for uid in (*context.known_succeeded, *context.known_failed):
        pod = context.pods.get(uid)
        if pod is not None and is_tracked(pod):
            yield _untrack(pod)
    yield from map(_untrack, context.ignored)


def _untrack(pod: Object) -> Patch:
    return patch_of("Pod", pod, {"metadata": {"$deleteFromPrimitiveList/finalizers": [TRACKING]}})


def _is_owned(pod: Object, job: Object) -> bool:
    return controller_uid(pod) == uid_of(job)


def _is_lost(pod: Object) -> bool:
    return is_tracked(pod) and controller_of(pod) is None


def _joined(place: Place) -> str:
    return f"{place[0]}/{place[1]}"


def _job_places(pod: Object) -> tuple[str, ...]:
    """The place of the Job that a pod belongs to, as the key of an index."""
    reference = controller_of(pod)
    if reference is None or reference.get("kind") != _JOB:
        return ()
    return (_joined((place_of(pod)[0], str(reference.get("name")))),)
