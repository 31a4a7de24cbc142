"""Faults, crashes, failing nodes, drains, rollouts at once; in the end everything is well."""

import pytest

from podium.apiserver.store.store import Store
from podium.cluster.virtual import Cluster
from podium.simulation.runner.scenario_runner import simulate
from podium.simulation.scenario.scenario_document import read_scenario
from tests.simulation.runner.checkers import Checker, lacking, look_on
from tests.simulation.runner.storms import storm

CALM_SEEDS = 3
# What a machine may be late by: crashes, repeated refusals and lost watches add up.
PATIENCE_S, CALM_PATIENCE_S = 60.0, 1.0
RECOVERY_S_MAX, LOOK_EVERY_S = 1_200.0, 10.0


def weather(seed: int, *, faults: bool = True) -> None:
    checkers: list[Checker] = []

    def begin(cluster: Cluster) -> None:
        checkers.extend(look_on(cluster, PATIENCE_S if faults else CALM_PATIENCE_S))

    try:
        simulation = simulate(read_scenario("storm", storm(seed, faults=faults)), prepare=begin)
        recover(simulation.cluster)
        for checker in checkers:
            checker.at_rest()
    except Exception as error:
        error.add_note(f"python -m tests.simulation.runner.storms {seed} | podium simulate -")
        raise


def recover(cluster: Cluster) -> None:
    """Let time pass until all is well, or for too long; after half of it, touch the DaemonSets.

    A daemon's pod that failed while its node was deleted stays when the node comes again, until
    something else has the controller look: syncNodeUpdate of v1.36 takes the node for served.
    """
    end_s = cluster.driver.now_s + RECOVERY_S_MAX
    touched = False
    while wrong := lacking(cluster.store):
        assert cluster.driver.now_s < end_s, wrong
        cluster.driver.advance(LOOK_EVERY_S)
        if not touched and cluster.driver.now_s >= end_s - RECOVERY_S_MAX / 2:
            touched = True
            touch_daemon_sets(cluster.store)


def touch_daemon_sets(store: Store) -> None:
    for daemon_set in store.list("DaemonSet").items:
        metadata = {**daemon_set["metadata"], "annotations": {"touched": "true"}}
        store.update("DaemonSet", {**daemon_set, "metadata": metadata})


@pytest.mark.seeds(30, 1_000)
def test_all_is_well_after_a_storm(seed: int) -> None:
    weather(seed)


@pytest.mark.parametrize("seed", range(CALM_SEEDS))
def test_nobody_is_late_where_only_nodes_fail(seed: int) -> None:
    weather(seed, faults=False)
