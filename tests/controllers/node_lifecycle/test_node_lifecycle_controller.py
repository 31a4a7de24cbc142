"""Nodes that fail and come back, with what that means to their pods, second by second."""

import pytest

from podium.cluster.drivers.faults import NO_FAULTS, Faults
from podium.controllers.node_lifecycle.node_lifecycle_controller import NodeLifecycleController
from podium.controllers.taint_eviction import TaintEvictionController
from podium.machines.effects import Patch
from tests.controllers.worlds import START_S, World, node
from tests.objects import pod


def world_of(nodes: int, seed: int = 0) -> World:
    return World(NodeLifecycleController, TaintEvictionController, nodes=nodes, seed=seed)


def taints(world: World, name: str) -> list[tuple[str, str]]:
    found = world.get("Node", name)["spec"].get("taints") or ()
    return [(one["key"].rpartition("/")[2], one["effect"]) for one in found]


def condition(world: World, kind: str, name: str, which: str = "Ready") -> tuple[str, str | None]:
    conditions = world.get(kind, name)["status"]["conditions"]
    found = next(one for one in conditions if one["type"] == which)
    return found["status"], found.get("reason")


def tainted_s(world: World) -> dict[str, float]:
    """When which node got its NoExecute taint."""
    found = {}
    for call in world.writes:
        effect = call.effect
        if isinstance(effect, Patch) and effect.kind == "Node" and not effect.subresource:
            added = effect.body["spec"]["taints"] or ()
            if any(one["effect"] == "NoExecute" for one in added):
                found.setdefault(effect.name, round(call.at_s - START_S, 3))
    return found


def test_healthy_nodes_cost_nothing() -> None:
    world = world_of(3)
    world.run_until(10_000)
    assert world.writes == []
    assert world.driver.settle()


def test_a_silent_node_is_given_up_step_by_step() -> None:
    world = world_of(3)
    world.create(pod("p", on="n1"))
    world.run_until(23)
    world.annotate("Node", "n1", down="true")
    # The last renewal, at 20, counts from the look at 25.
    world.run_until(74.9)
    assert condition(world, "Node", "n1")[0] == "True"
    world.run_until(75)
    for kind in ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure"):
        assert condition(world, "Node", "n1", kind) == ("Unknown", "NodeStatusUnknown")
    assert taints(world, "n1") == [("unreachable", "NoSchedule")]
    assert condition(world, "Pod", "p")[0] == "False"
    assert "Node n1 status is now: NodeNotReady" in world.events("NodeNotReady")
    assert "Node is not ready" in world.events("NodeNotReady")
    world.run_until(80.2)
    assert taints(world, "n1") == [("unreachable", "NoSchedule"), ("unreachable", "NoExecute")]
    world.run_until(380)
    assert not world.get("Pod", "p")["metadata"].get("deletionTimestamp")
    world.run_until(380.2)
    assert world.get("Pod", "p")["metadata"]["deletionTimestamp"]


@pytest.mark.parametrize("status", ["False", "Unknown"])
def test_pods_stay_ready_on_a_node_that_says_itself_that_it_is_not(status: str) -> None:
    world = world_of(3)
    world.create(pod("p", on="n1"))
    world.run_until(20)
    stopped = {"type": "Ready", "status": status, "reason": "KubeletStopped"}
    world.annotate("Node", "n1", conditions=f"Ready={status}")
    world.patch("Node", "n1", {"status": {"conditions": [stopped]}}, "status")
    world.run_until(30)
    assert condition(world, "Node", "n1")[0] == status
    assert condition(world, "Pod", "p")[0] == "True"
    # Nor do they lose it when the node falls silent later, as it wasn't ready before.
    world.annotate("Node", "n1", down="true")
    world.run_until(100)
    assert condition(world, "Node", "n1")[0] == "Unknown"
    assert condition(world, "Pod", "p")[0] == "True"
    assert world.events("NodeNotReady") == []


def test_a_node_that_says_it_is_not_ready_is_tainted_at_the_next_look() -> None:
    world = world_of(3)
    world.run_until(21)
    world.annotate("Node", "n1", conditions="Ready=False")
    world.run_until(21.1)
    assert taints(world, "n1") == [("not-ready", "NoSchedule")]
    world.run_until(25.2)
    assert tainted_s(world) == {"n1": 25.1}
    world.annotate("Node", "n1", down="true")
    world.run_until(100)
    assert taints(world, "n1") == [("unreachable", "NoSchedule"), ("unreachable", "NoExecute")]


def test_nodes_of_a_zone_are_tainted_ten_seconds_apart_unless_they_recover() -> None:
    world = world_of(6)
    world.run_until(21)
    for name in ("n1", "n2", "n3"):
        world.annotate("Node", name, conditions="Ready=False")
    world.run_until(27)
    world.annotate("Node", "n2", conditions=None)
    world.run_until(100)
    assert tainted_s(world) == {"n1": 25.1, "n3": 35.1}


def test_when_all_zones_fail_nobody_is_sent_away() -> None:
    world = world_of(0)
    for name, zone in (("a1", "a"), ("b1", "b"), ("b2", "b")):
        world.create(node(name, **{"topology.kubernetes.io/zone": zone}))
    world.run_until(21)
    world.annotate("Node", "b1", conditions="Ready=False")
    world.run_until(30)
    assert ("not-ready", "NoExecute") in taints(world, "b1")
    for name in ("a1", "b2"):
        world.annotate("Node", name, conditions="Ready=False")
    world.run_until(35.2)
    assert all(("not-ready", "NoExecute") not in taints(world, n) for n in ("a1", "b1", "b2"))
    world.run_until(500)
    assert set(tainted_s(world)) == {"b1"}
    world.annotate("Node", "b2", conditions=None)
    world.run_until(600)
    assert taints(world, "a1") == [("not-ready", "NoSchedule"), ("not-ready", "NoExecute")]
    assert ("not-ready", "NoExecute") in taints(world, "b1")


def test_nodes_that_come_and_go_are_events() -> None:
    world = world_of(2)
    world.run_until(1)
    assert taints(world, "n1") == []
    assert world.events("RegisteredNode")[0] == "Node n1 event: Registered Node n1 in Controller"
    world.delete("Node", "n1", "")
    world.run_until(6)
    assert world.events("RemovingNode") == ["Node n1 event: Removing Node n1 from Controller"]


@pytest.mark.parametrize("seed", range(4))
def test_nodes_end_as_they_are_whatever_becomes_of_calls_and_machines(seed: int) -> None:
    faults = Faults(
        refused=0.1, unanswered=0.1, slow=0.1, broken_watches=0.05, slow_watches=0.1, restarts=0.01
    )
    world = world_of(6, seed=seed)
    world.create(pod("p", on="n1"))
    world.create(pod("q", on="n2"))
    world.run_until(20)
    for name in ("n1", "n2"):
        world.annotate("Node", name, down="true")
    world.run_until(21)
    world.driver.faults = faults
    world.run_until(200)
    world.annotate("Node", "n2", down=None)
    world.annotate("Node", "n3", conditions="Ready=False")
    world.run_until(250)
    world.driver.faults = NO_FAULTS
    world.run_until(1_000)
    assert sorted(taints(world, "n1")) == [
        ("unreachable", "NoExecute"),
        ("unreachable", "NoSchedule"),
    ]
    assert sorted(taints(world, "n3")) == [("not-ready", "NoExecute"), ("not-ready", "NoSchedule")]
    assert all(taints(world, name) == [] for name in ("n2", "n4", "n5", "n6"))
    assert world.get("Pod", "p")["metadata"].get("deletionTimestamp")
    assert condition(world, "Pod", "q")[0] == "True"
