"""A plan, a simulation and an explanation of the same change come to the same."""

from random import Random

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from podium.cluster.virtual.cluster_options import start_s
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.whatif.plan.worlds import UNTIL_S, Outcome, World, simulated, world

# A smaller seed is no simpler world: there is nothing to shrink.
_seeded = settings(phases=[Phase.explicit, Phase.reuse, Phase.generate])
_seeds = st.integers(0, 2**32)


def outcome_of(found: Plan) -> Outcome:
    lost = frozenset(one.pod for one in found.disruptions)
    return Outcome(lost, frozenset(one.pod for one in (*found.pending, *found.gated)))


def request_of(there: World, until_s: float = UNTIL_S) -> PlanRequest:
    return PlanRequest(LoadedState(there.state), [Apply(there.applied)], until_s=until_s)


@_seeded
@given(seed=_seeds)
def test_the_same_pods_are_lost_and_left_over_in_a_simulation(seed: int) -> None:
    there = world(Random(seed))
    found = plan(request_of(there))
    assert outcome_of(found) == simulated(there, start_s(there.state))


def test_pods_that_take_each_others_place_for_ever_agree_too() -> None:
    there, until_s = world(Random(69)), 10.0
    found = outcome_of(plan(request_of(there, until_s)))
    assert len(found.lost) > until_s
    assert found == simulated(there, start_s(there.state), until_s)


@_seeded
@given(seed=_seeds)
def test_an_explanation_tells_the_plans_own_preemption(seed: int) -> None:
    there = world(Random(seed))
    request = request_of(there)
    for preemption in plan(request).preemptions:
        explained = explain_pod(request, preemption.preemptor).decisions
        chosen = [
            view.preemption.outcome.chosen
            for view in explained
            if view.preemption is not None and view.preemption.outcome is not None
        ]
        assert preemption.chosen in chosen
