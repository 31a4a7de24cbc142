"""A plan and a simulation of the same change come to the same."""

from dataclasses import replace
from itertools import chain
from random import Random
from typing import Any

import pytest

from podium.cluster import Cluster, ClusterOptions, SchedulerSetup
from podium.node.simulated.node_settings import NodeSettings
from podium.plan.play import BEHAVIOUR, DECISION_S
from podium.simulation.actions import Apply
from podium.simulation.scenario_file import Scenario
from podium.simulation.scenario_file.steps import Step
from podium.simulation.scenario_runner import simulate
from tests.plan.objects import node, planned, priority_class, workload

CLASSES = [priority_class("low", 1), priority_class("high", 1000)]
EXPORTED = (
    *("Node", "Pod", "PriorityClass", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"),
    *("ControllerRevision", "Namespace"),
)
UNTIL_S = 150.0
OPTIONS = ClusterOptions(
    schedulers=(SchedulerSetup(decision_s=DECISION_S),), nodes=NodeSettings(behaviour=BEHAVIOUR)
)


def drawn(rng: Random, name: str) -> Any:
    kind = rng.choice(["Deployment", "StatefulSet", "DaemonSet"])
    replicas = {} if kind == "DaemonSet" else {"replicas": rng.randrange(5)}
    template = {
        "priorityClassName": rng.choice(["low", "high"]),
        "terminationGracePeriodSeconds": rng.choice([5, 30]),
    }
    return workload(kind, name, rng.choice(["500m", "1", "2"]), template=template, **replicas)


def exported(objects: list[Any]) -> list[Any]:
    """What a cluster of these objects is like after a while."""
    # With another seed than those that go on from here, or they would give the same uids again.
    cluster = Cluster(replace(OPTIONS, seed=7))
    cluster.load(objects)
    cluster.start()
    cluster.driver.advance(60)
    return [*chain.from_iterable(cluster.store.list(kind).items for kind in EXPORTED)]


@pytest.mark.parametrize("seed", range(12))
def test_the_same_pods_are_lost_and_left_over(seed: int) -> None:
    rng = Random(seed)
    there = [drawn(rng, name) for name in "abc"]
    nodes = [node(f"n{number}", rng.choice(["2", "3", "4"])) for number in range(3)]
    state = exported([*nodes, *CLASSES, *there])
    after = drawn(rng, rng.choice(there)["metadata"]["name"])
    if not any(
        one["kind"] == after["kind"] and one["metadata"] == after["metadata"] for one in there
    ):
        after = drawn(rng, "new")
    outcome = planned(state, after, until_s=UNTIL_S)
    scenario = Scenario(
        name="same",
        options=OPTIONS,
        objects=state,
        steps=[Step("spec.steps[0]", 0.0, Apply((after,)))],
        until_s=UNTIL_S,
    )
    simulation = simulate(scenario)
    lost = {
        f"{entry.namespace}/{entry.name}"
        for entry in simulation.entries
        if entry.kind == "Pod" and entry.details.get("disruption")
    }
    pods = simulation.cluster.store.list("Pod").items
    waiting = {
        f"{one['metadata']['namespace']}/{one['metadata']['name']}"
        for one in pods
        if not one["spec"].get("nodeName")
    }
    assert {one.pod for one in outcome.disruptions} == lost
    assert {one.pod for one in outcome.pending} == waiting
