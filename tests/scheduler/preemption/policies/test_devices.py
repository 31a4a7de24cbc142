"""The option `devicePreemption`: victims that hold the devices that a pod's claims need."""

from typing import Any

import pytest

from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.framework.cycle.diagnosis import failure_message
from podium.scheduler.plugins.default_preemption import FREEING
from podium.scheduler.scheduler import Scheduler
from tests.device_objects import (
    DRIVER,
    Obj,
    allocation,
    claim,
    claiming,
    device,
    device_class,
    exactly,
    resource_slice,
)
from tests.scheduler.plugins.small_cluster import node

GPU = device_class("gpu", f'device.driver == "{DRIVER}"')
RARE = f'device.attributes["{DRIVER}"].rare == "x"'


def held(name: str, where: str, *devices: str, by: tuple[str, ...] = (), **more: Any) -> Obj:
    """A claim that is allocated on a node and reserved for pods, by default of its own name."""
    users = [{"resource": "pods", "name": one, "uid": f"uid-{one}"} for one in by or (name,)]
    spots = [f"{where}/{one}" for one in devices]
    return claim(name, exactly(), allocation=allocation(*spots, **more), reservedFor=users)


def on(where: str, name: str, *claims: str, priority: int = 0, **spec: Any) -> Obj:
    return claiming(name, *claims, nodeName=where, priority=priority, **spec)


def cluster(pods: list[Obj], *others: Obj, enabled: bool = True, nodes: str = "a") -> Scheduler:
    options = SchedulerOptions(device_preemption=enabled)
    scheduler = Scheduler(every_node=True, options=options)
    has = {"cpu": "8", "memory": "8Gi", "pods": "10"}
    scheduler.load([node(name, **has) for name in nodes], pods, [GPU, *others])
    return scheduler


def victims_of(scheduler: Scheduler, obj: Obj) -> tuple[str, list[str]]:
    """The node that a pod is nominated to, with the victims; or why none is."""
    decision = scheduler.decide(scheduler.pending(obj))
    found = decision.post_filter
    assert found is not None
    if not found.nominated_node_name:
        return failure_message(decision, scheduler.snapshot), []
    return found.nominated_node_name, [victim.name for victim in found.victims]


HIGH = claiming("high", "wanted", priority=10)
ONE = resource_slice("a", [device("g0")])
TWO = resource_slice("a", [device("g0", rare=""), device("g1", rare="x")])
WANTED = claim("wanted", exactly())


def test_only_with_the_option_a_pod_gives_way_for_its_devices() -> None:
    pods, objects = [on("a", "low", "low")], [ONE, held("low", "a", "g0"), WANTED]
    assert victims_of(cluster(pods, *objects), HIGH) == ("a", ["low"])
    message, _ = victims_of(cluster(pods, *objects, enabled=False), HIGH)
    assert message.endswith("0/1 nodes are available: 1 Preemption is not helpful for scheduling.")


def test_only_pods_whose_devices_help_go() -> None:
    pods = [on("a", "plain", "plain"), on("a", "rare", "rare"), on("a", "none")]
    scheduler = cluster(
        pods,
        TWO,
        held("plain", "a", "g0"),
        held("rare", "a", "g1"),
        claim("wanted", exactly("r", RARE)),
    )
    assert victims_of(scheduler, HIGH) == ("a", ["rare"])


def test_a_shared_claim_is_freed_only_when_all_of_its_pods_go() -> None:
    shared = held("shared", "a", "g0", by=("x", "y"))
    pods = [on("a", "x", "shared"), on("a", "y", "shared")]
    where, victims = victims_of(cluster(pods, ONE, shared, WANTED), HIGH)
    assert (where, sorted(victims)) == ("a", ["x", "y"])
    pods[1] = on("a", "y", "shared", priority=10)
    message, _ = victims_of(cluster(pods, ONE, shared, WANTED), HIGH)
    assert "1 cannot allocate all claims. still not schedulable, preemption:" in message


def test_a_claim_of_pods_on_several_nodes_is_not_freed() -> None:
    shared = held("shared", "a", "g0", by=("x", "y"))
    pods = [on("a", "x", "shared"), on("b", "y", "shared")]
    _, victims = victims_of(cluster(pods, ONE, shared, WANTED, nodes="ab"), HIGH)
    assert not victims


@pytest.mark.parametrize(("priority", "expected"), [(0, "b"), (-5, "a")])
def test_fewest_devices_are_taken_after_the_lowest_priority(priority: int, expected: str) -> None:
    pods = [on("a", "big", "big", priority=priority), on("b", "s1", "s1"), on("b", "s2", "s2")]
    slices = [TWO, resource_slice("b", [device("g0"), device("g1")])]
    claims = [held("big", "a", "g0", "g1"), held("s1", "b", "g0"), held("s2", "b", "g1"), WANTED]
    where, victims = victims_of(cluster(pods, *slices, *claims, nodes="ab"), HIGH)
    assert (where, len(victims)) == (expected, 1)


def test_shares_of_a_device_are_given_back() -> None:
    sized = device("g0", {"memory": "4Gi"})
    sized["allowMultipleAllocations"] = True
    share = {"shareID": "s-1", "consumedCapacity": {"memory": "3Gi"}}
    wanted = exactly(capacity={"requests": {"memory": "2Gi"}})
    scheduler = cluster(
        [on("a", "low", "low")],
        resource_slice("a", [sized]),
        held("low", "a", "g0", **share),
        claim("wanted", wanted),
    )
    assert victims_of(scheduler, HIGH) == ("a", ["low"])


def test_a_nominated_pod_gets_freed_devices_before_pods_of_lower_priority() -> None:
    scheduler = cluster([], ONE, WANTED, claim("other", exactly()))
    first = scheduler.pending(HIGH)
    scheduler.nominator.nominate(first, "a")
    assert victims_of(scheduler, claiming("late", "other", priority=5))[1] == []
    assert (
        scheduler.decide(scheduler.pending(claiming("late", "other", priority=5))).node_name == ""
    )
    assert scheduler.decide(scheduler.pending(claiming("top", "other", priority=20))).node_name
    assert scheduler.decide(first).node_name == "a"


def test_a_preemptor_waits_until_the_claims_of_its_victims_are_deallocated() -> None:
    pods = [on("b", "low", "low")]
    gone, low = held("gone", "a", "g0"), held("low", "b", "g0")
    slices = [ONE, resource_slice("b", [device("g0")])]
    scheduler = cluster(pods, *slices, gone, low, WANTED, nodes="ab")
    waiting = scheduler.pending(HIGH)
    scheduler.nominator.nominate(waiting, "a")
    found = scheduler.decide(waiting).post_filter
    assert found is not None
    assert found.victims == ()
    assert FREEING in found.status.message
    scheduler.listers.set({**gone, "status": {}})
    assert scheduler.decide(waiting).node_name == "a"


def test_what_is_freed_is_decided_again_when_claims_change() -> None:
    pods, low = [on("a", "low", "low")], held("low", "a", "g0")
    scheduler = cluster(pods, ONE, low, WANTED)
    assert victims_of(scheduler, HIGH) == ("a", ["low"])
    scheduler.listers.set(held("low", "a", "g0", by=("low", "elsewhere")))
    assert victims_of(scheduler, HIGH)[1] == []
