"""Deletion of finished Jobs after `ttlSecondsAfterFinished`, as by v1.36's `ttlafterfinished`."""

from collections.abc import Hashable, Iterator, Sequence

from podium.api.objects import Object, condition_of, is_terminating, place_of
from podium.api.values.times import epoch_s
from podium.machines.effects import Effect, deletion_of
from podium.machines.events import Change
from podium.machines.reconciler.reconciler import Reconciler

_JOB = "Job"


class TTLAfterFinishedController(Reconciler):
    """Deletes finished Jobs after their `ttlSecondsAfterFinished`."""

    name = "ttl-after-finished-controller"
    kinds = frozenset({_JOB})

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        if change.new is not None and _due_s(change.new) is not None:
            yield place_of(change.new)

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        job = self.objects.at(_JOB, key)
        due_s = None if job is None else _due_s(job)
        if job is None or due_s is None:
            return ()
        if due_s > now_s:
            self.look_again(key, due_s)
            return ()
        return (deletion_of(_JOB, job, propagation="Foreground"),)


def _due_s(job: Object) -> float | None:
    ttl_s = job["spec"].get("ttlSecondsAfterFinished")
    if ttl_s is None or is_terminating(job):
        return None
    for kind in ("Complete", "Failed"):
        condition = condition_of(job, kind)
        if condition is not None and condition.get("status") == "True":
            return epoch_s(condition["lastTransitionTime"]) + int(ttl_s)
    return None
