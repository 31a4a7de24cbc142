"""What becomes of disruption budgets in the course of a plan: how few pods are healthy, and why."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import msgspec

from podium.api.objects import Object, key, labels, namespace, uid
from podium.api.policy.disruption_budgets import budget_selector, sync_failure
from podium.api.workloads import pod_template_of
from podium.simulation.timeline.pod_history import PodHistory
from podium.whatif.plan.outcome.timeline import BudgetCounts, Timeline
from podium.whatif.plan.plan_report import BudgetChange, RemovedPod


class BudgetMoment(msgspec.Struct, frozen=True):
    """The numbers of a budget from `at_s` on, in seconds since the beginning, for `for_s`."""

    at_s: float
    for_s: float
    counts: BudgetCounts

    @property
    def margin(self) -> int:
        """How many pods are healthy beyond those that the budget asks for."""
        return self.counts.healthy - self.counts.desired


class BudgetCourses:
    """Reads what became of budgets off the timeline of a play that is over."""

    def __init__(self, timeline: Timeline, removed: Iterable[RemovedPod]) -> None:
        self._timeline = timeline
        self._removed = {one.pod for one in removed if not one.is_evicted}
        self._broken: dict[str, list[str]] = defaultdict(list)
        for outcome in timeline.play.preemptions.outcomes:
            for victim in outcome.taken:
                for budget in victim.broken:
                    self._broken[budget].append(victim.pod)

    def changes(self) -> Iterator[BudgetChange]:
        """What has become of the budgets that there are in the end."""
        for pdb in self._timeline.store.list("PodDisruptionBudget").items:
            yield self._change(pdb)

    def _change(self, pdb: Object) -> BudgetChange:
        timeline = self._timeline
        noted = timeline.budgets.get(key(pdb), [])
        known = timeline.budgets_before.get(key(pdb))
        before = known or (noted[0][1] if noted else BudgetCounts())
        least_s, least = min(
            ((at_s, counts.allowed) for at_s, counts in noted),
            key=lambda one: one[1],
            default=(0.0, before.allowed),
        )
        if least >= before.allowed:
            least_s, least = 0.0, before.allowed
        moments = [*_moments(before, noted, timeline.play.passed_s)]
        below = [*_below(moments, known)]
        worst = min(below or moments, key=lambda one: one.margin)
        pods = [*self._pods_of(pdb)]
        # By cause; empty of what the changes take away.
        lost = Counter(
            "" if one.cause is None else one.cause.group
            for one in pods
            if one.cause is not None or one.pod in self._removed
        )
        workloads = {timeline.owners.workload(one.pod, one.owner) for one in pods} if below else ()
        return BudgetChange(
            key(pdb),
            before.allowed,
            noted[-1][1].allowed if noted else before.allowed,
            allowed_least=least,
            least_at_s=least_s,
            violated_by=tuple(self._broken.get(key(pdb), ())),
            sync_failure=sync_failure(pdb),
            is_touched=bool(noted or lost),
            namespace=namespace(pdb),
            healthy_before=before.healthy,
            healthy_least=worst.counts.healthy,
            desired_healthy=worst.counts.desired,
            healthy_least_at_s=worst.at_s,
            below_for_s=round(sum(one.for_s for one in below), 3),
            lost={cause: number for cause, number in lost.items() if cause},
            removed=lost[""],
            workloads=tuple(sorted(workloads)),
        )

    def _pods_of(self, pdb: Object) -> Iterator[PodHistory]:
        selector = budget_selector(pdb)
        for carried, histories in self._alike.get(namespace(pdb), {}).items():
            if selector.matches(dict(carried)):
                yield from histories

    @cached_property
    def _alike(self) -> Mapping[str, Mapping[frozenset[tuple[str, str]], Sequence[PodHistory]]]:
        found: dict[str, dict[frozenset[tuple[str, str]], list[PodHistory]]] = defaultdict(dict)
        for history in self._timeline.histories.by_uid.values():
            carried = frozenset(self._labels(history).items())
            found[history.pod.partition("/")[0]].setdefault(carried, []).append(history)
        return found

    def _labels(self, history: PodHistory) -> Mapping[str, str]:
        """The labels of a pod; those of its owner's template if it came and is gone."""
        store, before = self._timeline.store, self._timeline.play.before.by_uid
        pod = before.get(history.uid) or store.get("Pod", *history.pod.split("/"))
        if pod is not None and uid(pod) == history.uid:
            return labels(pod)
        owner = store.get(*history.owner) if history.owner is not None else None
        return {} if owner is None else labels(pod_template_of(owner))


def _moments(
    before: BudgetCounts, noted: Sequence[tuple[float, BudgetCounts]], end_s: float
) -> Iterator[BudgetMoment]:
    """What a budget says from when to when, leaving out what lasts no time."""
    course = [(0.0, before), *noted]
    for (at_s, counts), (until_s, _) in pairwise(course):
        if until_s > at_s:
            yield BudgetMoment(at_s, until_s - at_s, counts)
    at_s, counts = course[-1]
    yield BudgetMoment(at_s, max(end_s - at_s, 0.0), counts)


def _below(moments: Iterable[BudgetMoment], before: BudgetCounts | None) -> Iterator[BudgetMoment]:
    """When fewer pods are healthy than the budget asks for, and fewer than were.

    A budget that asks for more as its workload is scaled up, or whose pods have yet to become
    ready for the first time, doesn't fall.
    """
    reference = 0 if before is None else before.healthy
    for one in moments:
        if one.margin >= 0:
            reference = max(reference, one.counts.healthy)
        elif one.counts.healthy < reference and one.for_s:
            yield one
