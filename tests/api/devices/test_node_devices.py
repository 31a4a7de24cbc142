"""Devices of nodes and pods as numbers, kept up to date with slices and claims."""

from random import Random
from typing import Any

import pytest

from podium.api.devices.node_devices import NodeDevices
from tests.device_objects import DRIVER, Obj, allocation, claim, device, resource_slice

MEMORY = {"memory": {"value": "80Gi"}}


def part(name: str, board: str, gib: int) -> Obj:
    taken = [{"counterSet": board, "counters": {"memory": {"value": f"{gib}Gi"}}}]
    return {**device(name), "consumesCounters": taken}


def held(name: str, *devices: str, pods: tuple[str, ...] = ("a",), **of: Any) -> Obj:
    users = [{"resource": "pods", "name": pod, "uid": pod} for pod in pods]
    return claim(name, allocation=allocation(*devices, **of), reservedFor=users)


def slices() -> list[Obj]:
    boards = [{"name": one, "counters": MEMORY} for one in ("x", "y")]
    parts = [part("x-half", "x", 40), part("x-whole", "x", 80), part("y-quarter", "y", 20)]
    nic = {**device("nic", {"bandwidth": "100"}), "allowMultipleAllocations": True}
    return [
        resource_slice("n1", [device("0"), device("1"), nic]),
        resource_slice("n2-boards", [], pool="n2", count=2, sharedCounters=boards),
        resource_slice("n2-parts", parts, pool="n2", count=2),
        resource_slice("remote", [device("0")], allNodes=True),
    ]


def devices_of(*objects: Obj) -> NodeDevices:
    devices = NodeDevices()
    for obj in objects:
        devices.put(obj["kind"], obj)
    return devices


@pytest.mark.parametrize(
    ("held_by_a", "amount"),
    [
        (held("c", "n1/0", "n1/1"), 2),
        (held("c", "n1/0", "n1/1", pods=("a", "b")), 1),
        (held("c", "n2/x-half", "n2/y-quarter"), 0.75),
        (held("c", "n1/nic", shareID="s", consumedCapacity={"bandwidth": "30"}), 0.3),
        (held("c", "n1/0", adminAccess=True), 0),
        (held("c", "remote/0"), 0),
    ],
    ids=["whole", "shared claim", "partitions", "shared device", "admin access", "of all nodes"],
)
def test_what_a_pod_has_of_the_devices_of_nodes(held_by_a: Obj, amount: float) -> None:
    devices = devices_of(*slices(), held_by_a)
    assert devices.of_pod("a") == ({DRIVER: amount} if amount else {})


def test_a_board_counts_once_however_it_is_partitioned() -> None:
    devices = devices_of(*slices(), held("c", "n2/x-half", pods=()))
    assert [devices.of_node(name) for name in ("n1", "n2", "n3")] == [{DRIVER: 3}, {DRIVER: 2}, {}]
    assert devices.unused("n2") == {DRIVER: 0.5}
    assert devices.unused("n1") == {}


def test_only_the_latest_generation_of_a_pool_counts() -> None:
    old, new = (resource_slice(f"s{n}", [device("0")] * n, pool="n1", generation=n) for n in (2, 3))
    devices = devices_of(old, new)
    assert devices.of_node("n1") == {DRIVER: 3}
    devices.put("ResourceSlice", new, is_gone=True)
    assert devices.take_changes() == ({"n1"}, set())
    assert devices.of_node("n1") == {DRIVER: 2}


@pytest.mark.parametrize("seed", range(5))
def test_changes_lead_to_what_a_fresh_reading_finds(seed: int) -> None:
    random, devices, there = Random(seed), NodeDevices(), dict[str, Obj]()
    names = ("n1/0", "n1/1", "n1/nic", "n2/x-half", "n2/x-whole", "n2/y-quarter")
    before: list[Any] = []
    for _ in range(200):
        pods = tuple(random.sample("abc", random.randrange(4)))
        some = random.sample(names, random.randrange(3))
        obj = random.choice([*slices(), held(random.choice("cde"), *some, pods=pods)])
        is_gone = random.random() < 0.3
        devices.put(obj["kind"], obj, is_gone=is_gone)
        there.pop(obj["metadata"]["name"], None)
        there |= {} if is_gone else {obj["metadata"]["name"]: obj}
        nodes, changed_pods = devices.take_changes()
        fresh = devices_of(*there.values())
        now = [
            *(
                (name in nodes, devices.of_node(name), devices.unused(name))
                for name in ("n1", "n2")
            ),
            *((pod in changed_pods, devices.of_pod(pod)) for pod in "abc"),
        ]
        assert [one[1:] for one in now] == [
            *((fresh.of_node(name), fresh.unused(name)) for name in ("n1", "n2")),
            *((fresh.of_pod(pod),) for pod in "abc"),
        ]
        for then, one in zip(before, now, strict=False):
            assert one[0] or one[1:] == then[1:]
        before = now
