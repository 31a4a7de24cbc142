"""Carrying preemptions out: the victims' removal, while other pods are scheduled.

The steps are those of kube-scheduler v1.36 (executor.go of its preemption framework). Every victim
gets the condition DisruptionTarget, then it is deleted; all but the last at the same time, the
last one when the others are done. As long as that lasts, PreEnqueue keeps the preemptor out of
the queue; once the last victim is seen to terminate, it doesn't any more, so that the event of its
removal can't be missed. A victim that is gone already is a success, any other failure ends the
preemption: the pod is put back into the queue, and keeps its nomination until its next cycle.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from podium.api.meta import is_finished, is_terminating, uid
from podium.api.times import timestamp
from podium.control.effects import Delete, Effect, Patch
from podium.control.events import CallError, Change, Outcome
from podium.controllers.scheduler.event_texts import preempted
from podium.controllers.scheduler.outbox import Outbox
from podium.controllers.scheduler.pod_calls import condition_of, patched_conditions
from podium.core.pods import PodInfo

Finished = Callable[["PreemptionTask", float], None]
FindPod = Callable[[str], PodInfo | None]
RejectWaiting = Callable[[str, float], bool]


@dataclass(frozen=True, slots=True)
class VictimCall:
    """The purpose of a call about a victim.

    Attributes:
        preemptor_uid: for whom it has to go.
        victim_uid: who has to go.
        number: of the call.
    """

    preemptor_uid: str
    victim_uid: str
    number: int


@dataclass(slots=True)
class PreemptionTask:
    """One preemption under way.

    Attributes:
        preemptor: the pod for which room is made.
        scheduler_name: the profile that decided.
        node_name: where.
        started_at_s: when.
        removing: victims under way, by uid.
        last: the victim that is kept for the end.
        last_begun: whether it is its turn.
        error: what went wrong first.
        annotations: of the events that tell of it.
    """

    preemptor: PodInfo
    scheduler_name: str
    node_name: str
    started_at_s: float
    last: PodInfo | None = None
    removing: dict[str, tuple[PodInfo, Effect]] = field(default_factory=dict)
    last_begun: bool = False
    error: CallError | None = None
    annotations: dict[str, str] = field(default_factory=dict)


class Preemptions:
    """The preemptions under way, by the preemptor's uid.

    Args:
        outbox: for the calls.
        find_pod: a pod on a node as last seen, by uid; None if it is gone.
        reject_waiting: turns down a pod that waits for permission to be bound; whether it did.
        preempting: has the preemptors that must not be scheduled yet.
    """

    def __init__(
        self,
        outbox: Outbox,
        find_pod: FindPod,
        reject_waiting: RejectWaiting,
        preempting: set[str],
    ) -> None:
        self._outbox = outbox
        self._find_pod = find_pod
        self._reject_waiting = reject_waiting
        self._finished: Finished = _nobody
        self._preempting = preempting
        self._last: dict[str, set[str]] = {}
        self._tasks: dict[str, PreemptionTask] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._tasks)

    def when_finished(self, finished: Finished) -> None:
        """Have somebody told of the end of each preemption."""
        self._finished = finished

    def of(self, uid: str) -> PreemptionTask | None:
        """The preemption that a pod has under way."""
        return self._tasks.get(uid)

    def changed(self, change: Change) -> None:
        """Let the preemptor be scheduled again if this is its last victim, and about to go."""
        pod = change.new if change.new is not None else change.old
        if pod is None or uid(pod) not in self._last:
            return
        if change.new is None or is_finished(pod) or is_terminating(pod):
            self._let_in(uid(pod))

    def _let_in(self, last_uid: str) -> None:
        self._preempting.difference_update(self._last.pop(last_uid))

    def has_left(self, victim: PodInfo | None) -> bool:
        """Whether a victim is seen to be gone already."""
        return victim is not None and self._find_pod(victim.uid) is None

    def start(self, task: PreemptionTask, victims: list[PodInfo], now_s: float) -> bool:
        """Begin to remove victims; whether there is any that isn't terminating already."""
        fresh = [victim for victim in victims if not victim.cls.terminating]
        if not fresh:
            return False
        *others, task.last = fresh
        self._tasks[task.preemptor.uid] = task
        self._preempting.add(task.preemptor.uid)
        for victim in others:
            self._begin(task, victim, now_s)
        self._proceed(task, now_s)
        return True

    def outcome(self, purpose: VictimCall, outcome: Outcome, now_s: float) -> None:
        """Take in what became of a call."""
        task = self._tasks.get(purpose.preemptor_uid)
        if task is None:
            return
        victim, effect = task.removing.get(purpose.victim_uid, (None, None))
        if victim is None or effect is not outcome.effect:
            return
        del task.removing[purpose.victim_uid]
        if outcome.error is not None:
            if not self._is_gone(victim, outcome.error):
                task.error = task.error or outcome.error
        elif isinstance(outcome.effect, Delete):
            self._tell(task, victim)
        elif task.error is None:
            self._delete(task, victim)
        self._proceed(task, now_s)

    def _is_gone(self, victim: PodInfo, error: CallError) -> bool:
        """Whether a call failed because there is nothing left to remove.

        A conflict may stand for another pod of the same name.
        """
        if error.reason == "Conflict":
            return self._find_pod(victim.uid) is None
        return error.reason == "NotFound"

    def _proceed(self, task: PreemptionTask, now_s: float) -> None:
        if task.removing:
            return
        if task.error is None and not task.last_begun and task.last is not None:
            task.last_begun = True
            self._last.setdefault(task.last.uid, set()).add(task.preemptor.uid)
            seen = self._find_pod(task.last.uid)
            if seen is None or is_terminating(seen.obj):
                self._let_in(task.last.uid)
            self._begin(task, task.last, now_s)
        if not task.removing:
            del self._tasks[task.preemptor.uid]
            self._preempting.discard(task.preemptor.uid)
            if task.last is not None and task.last.uid in self._last:
                self._last[task.last.uid].discard(task.preemptor.uid)
                if not self._last[task.last.uid]:
                    del self._last[task.last.uid]
            self._finished(task, now_s)

    def _begin(self, task: PreemptionTask, victim: PodInfo, now_s: float) -> None:
        if self._reject_waiting(victim.uid, now_s):
            self._tell(task, victim)
            return
        seen = self._find_pod(victim.uid) or victim
        condition = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "PreemptionByScheduler",
            "message": f"{task.scheduler_name}: preempting to accommodate a higher priority pod",
            **observed_generation(seen),
        }
        known = condition_of(seen.obj, "DisruptionTarget")
        if known is not None and all(known.get(k) == v for k, v in condition.items()):
            self._delete(task, victim)
            return
        same = known is not None and known.get("status") == "True"
        since = known.get("lastTransitionTime") if same and known else None
        stamped = {**condition, "lastTransitionTime": since or timestamp(now_s)}
        self._put(
            task,
            victim,
            Patch(
                purpose=self._purpose(task, victim),
                kind="Pod",
                namespace=victim.namespace,
                name=victim.name,
                subresource="status",
                body={
                    "metadata": {"uid": victim.uid},
                    "status": patched_conditions(seen.obj, [stamped]),
                },
            ),
        )

    def _delete(self, task: PreemptionTask, victim: PodInfo) -> None:
        self._put(
            task,
            victim,
            Delete(
                purpose=self._purpose(task, victim),
                kind="Pod",
                namespace=victim.namespace,
                name=victim.name,
                uid=victim.uid,
            ),
        )

    def _tell(self, task: PreemptionTask, victim: PodInfo) -> None:
        self._outbox.put(
            preempted(
                victim, task.preemptor.uid, task.node_name, task.scheduler_name, task.annotations
            )
        )

    def _put(self, task: PreemptionTask, victim: PodInfo, effect: Effect) -> None:
        task.removing[victim.uid] = (victim, effect)
        self._outbox.put(effect)

    def _purpose(self, task: PreemptionTask, victim: PodInfo) -> VictimCall:
        self._count += 1
        return VictimCall(task.preemptor.uid, victim.uid, self._count)


def observed_generation(pod: PodInfo) -> dict[str, int]:
    """The pod's generation as a condition states it; nothing where there is none."""
    generation = (pod.obj.get("metadata") or {}).get("generation")
    return {} if generation is None else {"observedGeneration": int(generation)}


def _nobody(task: PreemptionTask, now_s: float) -> None:
    """Nobody wants to know of the end."""
