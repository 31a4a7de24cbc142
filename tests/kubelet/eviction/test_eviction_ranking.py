"""Whom a node evicts first."""

from podium.api.values.quantity import value
from podium.kubelet.eviction.eviction_ranking import EvictionOrder, rank
from podium.kubelet.eviction.filesystems import Filesystems
from podium.kubelet.eviction.node_statistics import PodUsage
from podium.kubelet.eviction.signals import Signal
from tests.kubelet.eviction.builders import pod

ONE_DISK = Filesystems()


def order(
    signal: Signal,
    pods: list[dict[str, object]],
    usage: dict[str, PodUsage],
    filesystems: Filesystems = ONE_DISK,
    by: EvictionOrder = EvictionOrder.DEFAULT,
) -> list[str]:
    return [one.pod["metadata"]["name"] for one in rank(signal, pods, usage, filesystems, by)]


def using(**memory: str) -> dict[str, PodUsage]:
    return {called: PodUsage(memory_bytes=value(used)) for called, used in memory.items()}


def test_each_key_can_be_told() -> None:
    (ranked,) = rank(Signal.MEMORY_AVAILABLE, [pod("p", "1Ki", 7)], using(p="3Ki"), ONE_DISK)
    assert ranked.keys == (
        ("statistics", "known"),
        ("above requests", "yes"),
        ("priority", "7"),
        ("usage beyond requests", "+2048"),
    )


def test_the_proposals_order() -> None:
    pods = [pod("best-effort-high", "", 2000), pod("double", "1Gi"), pod("best-effort")]
    usage = {"best-effort-high": "3Gi", "double": "2Gi", "best-effort": "1Mi"}
    known = {called: PodUsage(memory_bytes=value(one)) for called, one in usage.items()}
    found = order(Signal.MEMORY_AVAILABLE, pods, known, by=EvictionOrder.USAGE_SHARE)
    assert found == ["best-effort", "double", "best-effort-high"]
