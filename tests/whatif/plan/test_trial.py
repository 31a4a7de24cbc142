"""A shop's cluster and changes of it: a plan, a simulation and a running cluster agree.

The manifests of a user's trial may lie beside the checkout, in `../shared/trial`.
"""

from pathlib import Path

import pytest

from podium import Cluster
from podium.cluster.manifests.manifest_sources import read_sources
from podium.cluster.virtual.cluster_options import start_s
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.conftest import ROOT
from tests.whatif.plan.test_agreement import outcome_of
from tests.whatif.plan.worlds import World, simulated, without_place

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
UNTIL_S = 900.0


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
    found = plan(PlanRequest(LoadedState(there.state), [Apply(there.applied)], until_s=UNTIL_S))
    assert outcome_of(found) == simulated(there, start_s(there.state), UNTIL_S)
    with Cluster(nodes=0, manifests=there.state) as cluster:
        cluster.advance(10)
        cluster.apply(*there.applied)
        cluster.advance(UNTIL_S)
        about = [event["involvedObject"] for event in cluster.events(reason="Preempted")]
        preempted = {f"{one['namespace']}/{one['name']}" for one in about}
        pending = without_place(cluster.pods())
    assert {victim.pod for p in found.preemptions for victim in p.taken} == preempted
    assert {one.pod for one in found.pending} == pending
