"""Shadow mode: comparison of another scheduler's decisions with those that Podium would make.

The shadow watches the cluster like the scheduler, and makes no calls. It judges a placement by the
cluster state in which the placement is observed. As the other scheduler decides a little earlier
and in another order, placements that disagree are judged again by the states of the next seconds.
"""

import logging
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from podium.api.objects import Object, condition_of, key, uid
from podium.api.pods import node_name_of, nominated_node_of
from podium.api.policy.disruption_target import BY_SCHEDULER, DISRUPTION_TARGET
from podium.cluster.real.logs import fields
from podium.machines.effects import Effect
from podium.machines.events import Change, Event, Outcome, Synced, Woken
from podium.machines.machine import Machine
from podium.scheduler.explain.explanation import Explanation, explain
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.diagnosis import failure_message
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.snapshot.pod_info import PodInfo

AGREES, AGREES_LATER, DISAGREES = "agrees", "agrees-later", "disagrees"
PLACEMENT, PREEMPTION = "placement", "preemption"
DOUBT_S = 2.0
"""How long a disagreement is judged again, and how long victims of a preemption are awaited."""

_logger = logging.getLogger(__name__)


class Judgement(msgspec.Struct):
    """A decision of the other scheduler, compared with Podium's own."""

    kind: str
    """`PLACEMENT` or `PREEMPTION`."""
    pod: Object
    """The pod before the decision."""
    scheduler_name: str
    node_name: str
    until_s: float
    """When the judgement is final, in seconds since the epoch."""
    ours: dict[str, object] = msgspec.field(default_factory=dict)
    """Why Podium would have decided otherwise; empty if it agrees."""
    victims: frozenset[str] = frozenset()
    """Uids of the pods that Podium would have preempted on that node."""


class ShadowMachine(Machine):
    """Judges another scheduler's decisions."""

    def __init__(self, scheduler: SchedulerMachine) -> None:
        self.scheduler = scheduler
        """Receives all changes, but never `Synced`, so that it never decides by itself."""
        self.name, self.kinds = scheduler.name, scheduler.kinds
        self.counts: Counter[tuple[str, str]] = Counter()
        """Number of judgements by kind and result."""
        self._is_synced = False
        self._doubts: deque[Judgement] = deque()
        # Uids of pods that another scheduler preempts, by node.
        self._marked: dict[str, set[str]] = {}
        self._now_s = 0.0
        if scheduler.metrics.registry is not None:
            scheduler.metrics.registry.register(_Counts(self.counts))

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        self._now_s = now_s
        match event:
            case Synced():
                self._is_synced = True
            case Change(kind="Pod", old=old, new=new) if self._is_synced:
                self._pod(event, old, new)
            case Change():
                self.scheduler.step(event, now_s)
            case Woken() | Outcome():
                pass
        while self._doubts and self._doubts[0].until_s <= now_s:
            judged = self._doubts.popleft()
            if judged.kind == PREEMPTION and not judged.ours:
                marked = self._marked.get(judged.node_name, set())
                if not judged.victims - marked:
                    marked -= judged.victims
                    self._count(judged, AGREES)
                    continue
                judged.ours = {"ours": self._keys(judged.victims), "theirs": self._keys(marked)}
            self._count(judged, DISAGREES)
        return ()

    def next_wakeup_s(self) -> float | None:
        return self._doubts[0].until_s if self._doubts else None

    def _pod(self, change: Change, old: Object | None, new: Object | None) -> None:
        # The decision is compared in the state before it.
        judged = None if old is None or new is None else self._judged(old, new)
        self.scheduler.step(change, self._now_s)
        condition = None if new is None else condition_of(new, DISRUPTION_TARGET)
        if new is not None and (condition or {}).get("reason") == BY_SCHEDULER.reason:
            self._marked.setdefault(node_name_of(new), set()).add(uid(new))
        if judged is None:
            return
        if judged.kind == PLACEMENT and not judged.ours:
            self._count(judged, AGREES)
        else:
            self._doubts.append(judged)
        if judged.kind != PLACEMENT:
            return
        # Other doubtful placements are judged again by the current state without their pods.
        for doubt in list(self._doubts):
            if doubt.kind == PLACEMENT and doubt is not judged and self._holds_now(doubt):
                self._doubts.remove(doubt)
                self._count(doubt, AGREES_LATER)

    def _judged(self, old: Object, new: Object) -> Judgement | None:
        pod = self.scheduler.context.pending.get(uid(old))
        placed_on, nominated = node_name_of(new), nominated_node_of(new)
        if pod is None or not (placed_on or nominated != nominated_node_of(old)):
            return None
        until_s, profile = self._now_s + DOUBT_S, str(old["spec"]["schedulerName"])
        if placed_on:
            judged = Judgement(PLACEMENT, old, profile, placed_on, until_s)
            judged.ours = self._objection(pod, judged)
            return judged
        if not nominated:
            return None
        judged = Judgement(PREEMPTION, old, profile, nominated, until_s)
        decision, explanation = self._decided(pod, profile)
        candidates = {one.node_name: one for one in explanation.candidates}
        candidate = candidates.get(nominated)
        if candidate is not None:
            judged.victims = frozenset(victim.uid for victim in candidate.victims)
        if nominated in explanation.selected:
            return judged
        if decision.node_name:
            judged.ours = {"ours": f"it fits on {decision.node_name}"}
            return judged
        snapshot = self.scheduler.scheduler.snapshot
        refused = explanation.rejected.get(nominated)
        otherwise = "it is a candidate" if candidate else "no help"
        judged.ours = {
            "ours": list(explanation.selected) or failure_message(decision, snapshot),
            "theirs": refused.message if refused else otherwise,
        }
        return judged

    def _decided(self, pod: PodInfo, profile: str) -> tuple[Decision, Explanation]:
        self.scheduler.handlers.settle_budgets()
        decision = self.scheduler.scheduler.decide(pod, profile)
        return decision, explain(decision, self.scheduler.scheduler.snapshot)

    def _objection(self, pod: PodInfo, judged: Judgement) -> dict[str, object]:
        decision, explanation = self._decided(pod, judged.scheduler_name)
        node_name = judged.node_name
        if node_name in explanation.best:
            return {}
        refused = explanation.filter.get(node_name)
        objection: dict[str, object] = {"theirs": refused.message if refused else "it fits"}
        if node_name in explanation.totals:
            objection["theirScores"] = dict(explanation.scores[node_name])
        if not decision.node_name:
            snapshot = self.scheduler.scheduler.snapshot
            return {**objection, "ours": failure_message(decision, snapshot)}
        scores = dict(explanation.scores[explanation.best[0]])
        return {**objection, "best": list(explanation.best), "bestScores": scores}

    def _holds_now(self, judged: Judgement) -> bool:
        context = self.scheduler.context
        placed = context.placed.get(uid(judged.pod))
        if placed is None:
            return False
        snapshot = context.scheduler.snapshot
        snapshot.remove_pod(placed)
        try:
            pod = context.scheduler.pending(judged.pod)
            return not self._objection(pod, judged)
        finally:
            context.scheduler.nominator.withdraw(pod)
            snapshot.add_pod(placed, judged.node_name)

    def _keys(self, uids: Iterable[str]) -> list[str]:
        placed = self.scheduler.context.placed
        return sorted(placed[one].key if one in placed else one for one in uids)

    def _count(self, judged: Judgement, result: str) -> None:
        self.counts[judged.kind, result] += 1
        extra = fields(kind=judged.kind, pod=key(judged.pod), node=judged.node_name, **judged.ours)
        if result == DISAGREES:
            _logger.warning("would have decided otherwise", extra=extra)
        else:
            _logger.debug("would have decided alike", extra=extra)


class _Counts(Collector):
    def __init__(self, counts: Counter[tuple[str, str]]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[CounterMetricFamily]:
        family = CounterMetricFamily(
            "podium_shadow_judgements",
            "Decisions of another scheduler, by what Podium says of them.",
            labels=("kind", "result"),
        )
        for (kind, result), count in sorted(self._counts.items()):
            family.add_metric((kind, result), count)
        yield family
