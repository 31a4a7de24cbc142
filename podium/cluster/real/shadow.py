"""Shadow mode: what Podium would have decided, for each pod that another scheduler places.

It follows the cluster as the scheduler does and asks for nothing. A placement is judged by the
state that it was seen in. The other scheduler decides a little earlier, and in an order of its own:
what doesn't agree at once is judged again in the states that follow, for a moment.
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
from podium.scheduler.explain.explanation import Explanation, explain
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.diagnosis import failure_message
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.snapshot.pod_info import PodInfo

AGREES, AGREES_LATER, DISAGREES = "agrees", "agrees-later", "disagrees"
PLACEMENT, PREEMPTION = "placement", "preemption"
DOUBT_S = 2.0
"""How long what doesn't agree is judged again, and what preempted pods are waited for."""

_logger = logging.getLogger(__name__)


class Judgement(msgspec.Struct):
    """One decision of the other scheduler, with Podium's own to compare.

    Attributes:
        kind: `PLACEMENT` or `PREEMPTION`.
        pod: as it was before.
        node_name: where the other puts it, or makes room for it.
        until_s: when it is final.
        ours: why Podium would have decided otherwise; empty if it wouldn't.
        victims: of a preemption, uids of those whom Podium would have removed there.
    """

    kind: str
    pod: Object
    scheduler_name: str
    node_name: str
    until_s: float
    ours: dict[str, object] = msgspec.field(default_factory=dict)
    victims: frozenset[str] = frozenset()


class ShadowMachine:
    """Judges instead of scheduling; follows `podium.machines.machine.Machine`.

    Attributes:
        scheduler: follows the cluster; it is never told that it may decide.
        counts: how many judgements there were, by kind and result.
    """

    def __init__(self, scheduler: SchedulerMachine) -> None:
        self.scheduler = scheduler
        self.name, self.kinds = scheduler.name, scheduler.kinds
        self.counts: Counter[tuple[str, str]] = Counter()
        self._is_synced = False
        self._doubts: deque[Judgement] = deque()
        # Pods that another scheduler is removing, by node.
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
        # Doubtful placements are judged by the state that there is now, without themselves.
        for doubt in list(self._doubts):
            if doubt.kind == PLACEMENT and doubt is not judged and self._holds_now(doubt):
                self._doubts.remove(doubt)
                self._count(doubt, AGREES_LATER)

    def _judged(self, old: Object, new: Object) -> Judgement | None:
        pod = self.scheduler.context.pending.get(uid(old))
        if pod is None:
            return None
        theirs, nominated = node_name_of(new), nominated_node_of(new)
        until_s, profile = self._now_s + DOUBT_S, str(old["spec"]["schedulerName"])
        if theirs:
            judged = Judgement(PLACEMENT, old, profile, theirs, until_s)
            judged.ours = self._objection(pod, judged)
            return judged
        if nominated and nominated != nominated_node_of(old):
            judged = Judgement(PREEMPTION, old, profile, nominated, until_s)
            judged.ours = self._objection_to_preemption(pod, judged)
            return judged
        return None

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
        said: dict[str, object] = {"theirs": refused.message if refused else "it fits"}
        if node_name in explanation.totals:
            said["theirScores"] = dict(explanation.scores[node_name])
        if not decision.node_name:
            snapshot = self.scheduler.scheduler.snapshot
            return {**said, "ours": failure_message(decision, snapshot)}
        best = explanation.best[0]
        return {
            **said,
            "best": list(explanation.best),
            "bestScores": dict(explanation.scores[best]),
        }

    def _objection_to_preemption(self, pod: PodInfo, judged: Judgement) -> dict[str, object]:
        decision, explanation = self._decided(pod, judged.scheduler_name)
        candidates = {one.node_name: one for one in explanation.candidates}
        found = candidates.get(judged.node_name)
        if found is not None:
            judged.victims = frozenset(victim.uid for victim in found.victims)
        if judged.node_name in explanation.selected:
            return {}
        if decision.node_name:
            return {"ours": f"it fits on {decision.node_name}"}
        snapshot = self.scheduler.scheduler.snapshot
        refused = explanation.rejected.get(judged.node_name)
        return {
            "ours": list(explanation.selected) or failure_message(decision, snapshot),
            "theirs": refused.message if refused else "it is a candidate" if found else "no help",
        }

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
        said = fields(kind=judged.kind, pod=key(judged.pod), node=judged.node_name, **judged.ours)
        if result == DISAGREES:
            _logger.warning("would have decided otherwise", extra=said)
        else:
            _logger.debug("would have decided alike", extra=said)


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
