"""Disruption budgets over the time of a plan: how few of their pods are healthy, and why."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec

from podium.api.objects import key, labels, namespace, uid
from podium.api.policy.disruption_budgets import BudgetStatus, budget_selector, sync_failure
from podium.api.workloads import pod_template_of
from podium.simulation.timeline.pod_history import PodHistory
from podium.whatif.plan.outcome.timeline import Timeline
from podium.whatif.plan.plan_report import BudgetChange, RemovedPod


class BudgetMoment(msgspec.Struct, frozen=True):
    """The numbers of a budget for `for_s` seconds from `at_s`, in seconds since the plan began."""

    at_s: float
    for_s: float
    counts: BudgetStatus

    @property
    def margin(self) -> int:
        """The number of healthy pods above the desired number; negative if pods are missing."""
        return self.counts.current_healthy - self.counts.desired_healthy


def budget_changes(timeline: Timeline, gone: Iterable[RemovedPod]) -> Iterator[BudgetChange]:
    """Yield the changes of the budgets that exist in the end; `gone` are the removed pods."""
    removed = {pod.pod for pod in gone if not pod.is_evicted}
    broken: dict[str, list[str]] = defaultdict(list)
    for outcome in timeline.play.preemptions.outcomes:
        for victim in outcome.taken:
            for budget in victim.broken:
                broken[budget].append(victim.pod)
    # By namespace, the pods that carry the same labels.
    alike: dict[str, dict[frozenset[tuple[str, str]], list[PodHistory]]] = defaultdict(dict)
    budgets = timeline.store.list("PodDisruptionBudget").items
    for history in timeline.histories.by_uid.values() if budgets else ():
        carried = frozenset(_labels(timeline, history).items())
        alike[history.pod.partition("/")[0]].setdefault(carried, []).append(history)
    for pdb in budgets:
        noted = timeline.budgets.get(key(pdb), [])
        known = timeline.budgets_before.get(key(pdb))
        before = known or (noted[0][1] if noted else BudgetStatus.of({}))
        least_s, least = min(
            ((at_s, counts.disruptions_allowed) for at_s, counts in noted),
            key=lambda entry: entry[1],
            default=(0.0, before.disruptions_allowed),
        )
        if least >= before.disruptions_allowed:
            least_s, least = 0.0, before.disruptions_allowed
        moments = [*_moments(before, noted, timeline.play.passed_s)]
        below = [*_below(moments, known)]
        worst = min(below or moments, key=lambda moment: moment.margin)
        selector = budget_selector(pdb)
        pods = [
            history
            for carried, histories in alike.get(namespace(pdb), {}).items()
            if selector.matches(dict(carried))
            for history in histories
        ]
        # By cause; empty of what the changes take away.
        lost = Counter(
            "" if pod.cause is None else pod.cause.group
            for pod in pods
            if pod.cause is not None or pod.pod in removed
        )
        workloads = {timeline.owners.workload(pod.pod, pod.owner) for pod in pods} if below else ()
        yield BudgetChange(
            key(pdb),
            before.disruptions_allowed,
            noted[-1][1].disruptions_allowed if noted else before.disruptions_allowed,
            allowed_least=least,
            least_at=least_s,
            violated_by=tuple(broken[key(pdb)]),
            sync_failure=sync_failure(pdb),
            is_touched=bool(noted or lost),
            namespace=namespace(pdb),
            healthy_before=before.current_healthy,
            healthy_least=worst.counts.current_healthy,
            desired_healthy=worst.counts.desired_healthy,
            healthy_least_at=worst.at_s,
            below_for_seconds=round(sum(moment.for_s for moment in below), 3),
            lost={cause: number for cause, number in lost.items() if cause},
            removed=lost[""],
            workloads=tuple(sorted(workloads)),
        )


def _labels(timeline: Timeline, history: PodHistory) -> Mapping[str, str]:
    """Return the labels of a pod; for a deleted pod that was new, those of its owner's template."""
    store, before = timeline.store, timeline.play.before.by_uid
    pod = before.get(history.uid) or store.get("Pod", *history.pod.split("/"))
    if pod is not None and uid(pod) == history.uid:
        return labels(pod)
    owner = store.get(*history.owner) if history.owner is not None else None
    return {} if owner is None else labels(pod_template_of(owner))


def _moments(
    before: BudgetStatus, noted: Sequence[tuple[float, BudgetStatus]], end_s: float
) -> Iterator[BudgetMoment]:
    course = [(0.0, before), *noted]
    for (at_s, counts), (until_s, _) in pairwise(course):
        if until_s > at_s:
            yield BudgetMoment(at_s, until_s - at_s, counts)
    at_s, counts = course[-1]
    yield BudgetMoment(at_s, max(end_s - at_s, 0.0), counts)


def _below(moments: Iterable[BudgetMoment], before: BudgetStatus | None) -> Iterator[BudgetMoment]:
    # When fewer pods are healthy than the budget asks for, and fewer than were. A budget that asks
    # for more as its workload is scaled up, or whose pods have yet to become ready for the first
    # time, doesn't fall.
    reference = 0 if before is None else before.current_healthy
    for moment in moments:
        if moment.margin >= 0:
            reference = max(reference, moment.counts.current_healthy)
        elif moment.counts.current_healthy < reference and moment.for_s:
            yield moment
