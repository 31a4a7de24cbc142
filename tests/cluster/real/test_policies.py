"""Podium's own options through the real API server: who is spared, who goes, and what is said."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.real.conftest import StartPodium, on_both_in_soak
from tests.cluster.real.podium_process import PodiumScheduler
from tests.cluster.real.server import Json
from tests.cluster.real.world import PODS, World, pod, until
from tests.objects import ZONE

pytestmark = on_both_in_soak
Start = Callable[..., PodiumScheduler]


@pytest.fixture
def start(podium: StartPodium, tmp_path: Path) -> Start:
    """Starts a scheduler with options."""

    def started(**options: Any) -> PodiumScheduler:
        document = {"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulerOptions", **options}
        file = tmp_path / "options.yaml"
        file.write_text(yaml.safe_dump(document))
        return podium("--no-leader-elect", "--config", str(file))

    return started


@pytest.fixture
def full(world: World) -> World:
    """A cluster of two full nodes in one zone, with the pods low-a and low-b of class low."""
    world.priority("high", 1000)
    world.priority("low", 100)
    for name in ("a", "b"):
        world.node(name, cpu="2", **{ZONE: "z"})
        world.create(pod(f"low-{name}", cpu="2", nodeName=name, priorityClassName="low"))
    return world


HIGH: Json = {"priorityClassName": "high"}


def test_a_rate_spares_whoever_comes_after_the_first(full: World, start: Start) -> None:
    start(protection={"rates": [{"victims": 1, "per": "1h"}]})
    names = ("new-1", "new-2")
    full.create(*(pod(name, cpu="2", **HIGH) for name in names))
    until(lambda: any("at most 1 pods of class low" in full.message(name) for name in names))
    until(lambda: len(full.pods()) == 3)


def test_a_budget_is_a_wall_until_it_allows_more(full: World, start: Start) -> None:
    full.budget("low", allowed=0)
    start(disruptionBudgets="Respect")
    full.create(pod("new-1", cpu="2", **HIGH))
    until(lambda: "PodDisruptionBudget default/low would be violated" in full.message("new-1"))
    for name in ("low-a", "low-b"):
        ready = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
        full.plane.merge(f"{PODS}/{name}/status", ready)
    budget = "/apis/policy/v1/namespaces/default/poddisruptionbudgets/low/status"
    full.plane.merge(budget, {"status": {"disruptionsAllowed": 1, "currentHealthy": 2}})
    full.wait_bound("new-1")
    assert len(full.pods()) == 2


def test_victims_go_from_several_nodes(full: World, start: Start) -> None:
    start(preemptionScope="CrossNode")
    others = {"labelSelector": {"matchLabels": {"app": "low"}}, "topologyKey": ZONE}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [others]}}
    full.create(pod("new-1", affinity=apart, **HIGH))
    full.wait_bound("new-1")
    assert [one["metadata"]["name"] for one in full.pods()] == ["new-1"]
