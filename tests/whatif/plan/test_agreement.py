"""A plan, an explanation, a simulation and a running cluster agree on the same change."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from podium import Cluster
from podium.cluster.manifests.manifest_sources import read_sources
from podium.cluster.virtual.cluster_options import start_s
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.conftest import ROOT
from tests.whatif.plan.worlds import UNTIL_S, Outcome, World, simulated, without_place, world

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


# The manifests of a shop's cluster and changes of it, from a user's trial, if they are there.
TRIAL = ROOT.parent / "shared" / "trial"
SHOP = [
    *("rollout/data-big.yaml", "rollout/data.yaml", "rollout/ds-big.yaml", "rollout/ds.yaml"),
    *("rollout/scale.yaml", "rollout/shop.yaml", "rollout/sts-scale.yaml"),
    *("release/payments-worker.yaml", "bugs/pinned.yaml", "bugs/unknown-class.yaml"),
    "bugs/quota.yaml",
]
CHANGES = [
    *(("state.json", change) for change in SHOP),
    ("bugs/upd-state.json", "bugs/upd-ds.yaml"),
    ("bugs/upd-state.json", "bugs/upd-web.yaml"),
    ("bugs/double-state.yaml", "bugs/double-apply.yaml"),
]
TRIAL_UNTIL_S = 900.0


@pytest.fixture(scope="session")
def trial() -> Path:
    """The manifests, or a skip where the checkout stands alone."""
    if not TRIAL.is_dir():
        pytest.skip(f"no manifests of the trial: {TRIAL} isn't a directory")
    return TRIAL


def world_of(trial: Path, state: str, change: str) -> World:
    def read(path: str) -> list[dict[str, object]]:
        return [loaded.obj for loaded in read_sources([str(trial / path)]).objects]

    return World(read(state), read(change))


@pytest.mark.parametrize(("state", "change"), CHANGES)
def test_the_same_pods_are_lost_and_left_over(trial: Path, state: str, change: str) -> None:
    there = world_of(trial, state, change)
    found = plan(
        PlanRequest(LoadedState(there.state), [Apply(there.applied)], until_s=TRIAL_UNTIL_S)
    )
    assert outcome_of(found) == simulated(there, start_s(there.state), TRIAL_UNTIL_S)
    with Cluster(nodes=0, manifests=there.state) as cluster:
        cluster.advance(10)
        cluster.apply(*there.applied)
        cluster.advance(TRIAL_UNTIL_S)
        about = [event["involvedObject"] for event in cluster.events(reason="Preempted")]
        preempted = {f"{one['namespace']}/{one['name']}" for one in about}
        pending = without_place(cluster.pods())
    assert {victim.pod for p in found.preemptions for victim in p.taken} == preempted
    assert {one.pod for one in found.pending} == pending
