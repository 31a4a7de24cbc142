"""What of a plan depends on chance: the outcomes of several runs, compared pod by pod.

Where nothing tells nodes apart, kube-scheduler takes one of them at random. Each seed puts the
nodes in another order, in which the first of equals is taken; seed 0 goes by name.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from podium.api.documents.report import report_facts
from podium.whatif.plan.plan_report import Chance, Fate, Plan, PodRow

PENDING = "pending"
LOSES_PLACE = "loses its place"
NEITHER = "nothing of it"


def chances(plans: Sequence[Plan]) -> tuple[Chance, ...]:
    """The pods that don't fare alike in all plans, each with how often it fares how."""
    fates = [_fates(plan) for plan in plans]
    pods = dict.fromkeys(pod for fate in fates for pod in fate)
    rows = {row.pod: row for plan in plans for row in _rows(plan)}
    found = []
    for pod in pods:
        counted = Counter(fate.get(pod, NEITHER) for fate in fates)
        if len(counted) > 1:
            found.append(
                Chance(**report_facts(rows[pod], PodRow), outcomes=tuple(counted.most_common()))
            )
    return tuple(found)


def unrelated(plan: Plan, without_changes: Plan) -> tuple[Fate, ...]:
    """What would happen without the changes as well: pods that get or lose their place anyway."""
    anyway, rows = _fates(without_changes), {row.pod: row for row in _rows(plan)}
    return tuple(
        Fate(**report_facts(rows[pod], PodRow), outcome=outcome)
        for pod, outcome in _fates(plan).items()
        if outcome != PENDING and anyway.get(pod) == outcome
    )


def _rows(plan: Plan) -> Iterator[PodRow]:
    yield from (*plan.placements, *plan.pending, *plan.disruptions)


def _fates(plan: Plan) -> dict[str, str]:
    fates = {placement.pod: placement.node for placement in plan.placements}
    fates |= {pending.pod: PENDING for pending in plan.pending}
    return fates | {one.pod: LOSES_PLACE for one in plan.disruptions}
