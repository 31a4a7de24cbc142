"""How many of what a plan comes to."""

from podium.api.disruption import BY_EVICTION, BY_PRESSURE, BY_TAINT
from podium.plan.outcome import Counts, Plan, Return

_EVICTIONS = (BY_EVICTION, BY_TAINT, BY_PRESSURE)


def counts_of(plan: Plan) -> Counts:
    """The sums of what a plan lists."""
    placed = sum(not one.replaces for one in plan.placements)
    return Counts(
        placed=placed,
        preempted=sum(len(one.taken) for one in plan.preemptions),
        pending=len(plan.pending),
        evicted=sum(one.cause in _EVICTIONS for one in plan.disruptions),
        recreated=len(plan.placements) - placed,
        lost_for_good=sum(one.comes_again is Return.NEVER for one in plan.disruptions),
        gated=len(plan.gated),
        refused=len(plan.refusals),
        rejected=sum(one.count for one in plan.rejected),
        ignored=len(plan.ignored),
        removed=len(plan.removed),
    )
