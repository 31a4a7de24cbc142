"""Deciding about all pending pods, until nobody who still waits could do better.

Each pod in queue order: where it fits, it is bound; where it preempts, the victims are gone at once
and it is decided again. Whoever fits nowhere is tried again, after all others, as long as anything
has changed since: a pod may be waiting for another one that it wants to be near to, or for room
that the victims of others have left.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.core.decision import Decision
from podium.core.explanation import failure_message
from podium.core.pods import PodInfo
from podium.core.status import Code, Status
from podium.plan.budgets import BudgetBook
from podium.plan.outcome import GatedPod, PendingPod, Placement, PreemptionOutcome
from podium.plan.queue import scheduler_name
from podium.plan.victims import CandidateReader
from podium.scheduler import Scheduler

Object = Mapping[str, Any]
Watch = Callable[[Decision], None]

# Nothing happens in a plan that would end a wait: a pod that a plugin lets wait stays pending, and
# keeps its room.
_NO_CLOCK_S = 0.0


@dataclass(slots=True)
class Decided:
    """What has come of pods so far.

    Attributes:
        placements: of pods that have a place, by pod.
        placed: the same pods' objects.
        preemptions: in the order in which they were carried out.
        pending: pods that fit nowhere, by pod, with the latest message.
        gated: pods that may not be tried yet.
    """

    placements: dict[str, Placement] = field(default_factory=dict)
    placed: dict[str, Object] = field(default_factory=dict)
    preemptions: list[PreemptionOutcome] = field(default_factory=list)
    pending: dict[str, PendingPod] = field(default_factory=dict)
    gated: list[GatedPod] = field(default_factory=list)

    def place(self, pod: PodInfo, node_name: str, *, by_node_name: bool = False) -> None:
        """The pod has got a place."""
        self.placements[pod.key] = Placement(pod.key, node_name, pod.priority, by_node_name)
        self.placed[pod.key] = pod.obj
        self.pending.pop(pod.key, None)

    def displace(self, pod: PodInfo) -> None:
        """The pod is gone; it may have got its place only just now."""
        self.placements.pop(pod.key, None)
        self.placed.pop(pod.key, None)


class Run:
    """The queue of a plan, worked off."""

    def __init__(
        self,
        scheduler: Scheduler,
        book: BudgetBook,
        reader: CandidateReader,
        *,
        alternatives_max: int,
        watch: Watch | None = None,
    ) -> None:
        """Start with nothing decided.

        Args:
            scheduler: over the state, with the budgets set.
            book: of the budgets.
            reader: of candidates.
            alternatives_max: how many candidates besides the chosen one to report.
            watch: told of every decision right after it was made, before anything changes.
        """
        self.decided = Decided()
        self._scheduler = scheduler
        self._book = book
        self._reader = reader
        self._alternatives_max = alternatives_max
        self._watch = watch
        self._changes = 0
        self._changes_at_try: dict[str, int] = {}

    def work_off(self, queue: Iterable[PodInfo]) -> None:
        """Decide about pods, given in queue order."""
        waiting = list(queue)
        while any(self._is_due(pod) for pod in waiting):
            waiting = [pod for pod in waiting if not (self._is_due(pod) and self._try(pod))]

    def _is_due(self, pod: PodInfo) -> bool:
        """Whether anything has changed since the pod was tried."""
        return self._changes_at_try.get(pod.uid) != self._changes

    def _try(self, pod: PodInfo) -> bool:
        """Decide about a pod; whether it needs no further try."""
        decision = self._decide(pod)
        self._changes_at_try[pod.uid] = self._changes
        if decision.gate is not None:
            gate = decision.gate
            self.decided.gated.append(GatedPod(pod.key, gate.plugin, gate.message))
            return True
        if decision.node_name:
            return self._bind(pod, decision.node_name)
        if decision.preemption is None or not decision.preemption.node_name:
            self._leave(pod, failure_message(decision, self._scheduler.snapshot))
            self._scheduler.preempt(decision)
            return False
        self._preempt(pod, decision)
        self._changes_at_try[pod.uid] = self._changes
        second = self._decide(pod)
        if second.node_name:
            return self._bind(pod, second.node_name)
        self._leave(pod, failure_message(second, self._scheduler.snapshot))
        return False

    def _decide(self, pod: PodInfo) -> Decision:
        decision = self._scheduler.decide(pod, scheduler_name(pod.obj))
        if self._watch is not None:
            self._watch(decision)
        return decision

    def _bind(self, pod: PodInfo, node_name: str) -> bool:
        status = self._scheduler.commit(pod, node_name, scheduler_name(pod.obj), _NO_CLOCK_S)
        if status.is_success:
            self.decided.place(pod, node_name)
        else:
            self._leave(pod, _unbound_message(status, node_name))
        has_room = status.is_success or status.code is Code.WAIT
        self._changes += has_room
        return has_room

    def _preempt(self, pod: PodInfo, decision: Decision) -> None:
        preemption = decision.preemption
        if preemption is None:
            return
        outcome = self._reader.outcome(pod, preemption, self._alternatives_max)
        self.decided.preemptions.append(outcome)
        self._scheduler.preempt(decision)
        self._changes += 1
        budgets_changed = False
        for victim in preemption.victims:
            self.decided.displace(victim)
            budgets_changed |= self._book.remove(victim.obj)
        if budgets_changed:
            self._scheduler.set_budgets(self._book.current())

    def _leave(self, pod: PodInfo, message: str) -> None:
        pending = PendingPod(pod.key, message, pod.nominated_node_name)
        self.decided.pending[pod.key] = pending


def _unbound_message(status: Status, node_name: str) -> str:
    if status.code is Code.WAIT:
        return f"has its room on {node_name}, and waits there: {status.message}"
    return f"{status.plugin} kept the pod from being bound to {node_name}: {status.message}"
