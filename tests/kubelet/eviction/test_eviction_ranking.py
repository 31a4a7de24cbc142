"""Whom a node evicts first."""

from podium.api.values.quantity import value
from podium.kubelet.eviction.eviction_ranking import EvictionOrder, rank
from podium.kubelet.eviction.filesystems import Filesystems
from podium.kubelet.eviction.node_statistics import ContainerUsage, DiskUsage, PodUsage
from podium.kubelet.eviction.signals import Signal
from tests.kubelet.eviction.builders import GI, MI, pod

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


def test_memory() -> None:
    pods = [
        pod("within-low", "2Gi", -5),
        pod("within-high", "2Gi", 5),
        pod("above-high", "1Gi", 2000),
        pod("above-low-little", "1Gi"),
        pod("above-low-much", "1Gi"),
        pod("unknown-high", "1Gi", 3000),
        pod("unknown-low", "1Gi"),
    ]
    used = {
        "within-low": "1Gi",
        "within-high": "2Gi",
        "above-high": "3Gi",
        "above-low-little": "1025Mi",
        "above-low-much": "2Gi",
    }
    usage = {called: PodUsage(memory_bytes=value(one)) for called, one in used.items()}
    assert order(Signal.MEMORY_AVAILABLE, pods, usage) == [
        "unknown-low", "unknown-high", "above-low-much", "above-low-little", "above-high",
        "within-low", "within-high",
    ]  # fmt: skip


def test_equals_keep_their_order() -> None:
    pods = [pod("b"), pod("a"), pod("c")]
    assert order(Signal.MEMORY_AVAILABLE, pods, using(a="1Gi", b="1Gi", c="1Gi")) == ["b", "a", "c"]


def test_the_overhead_counts_only_for_who_requests_something() -> None:
    overhead = {"memory": "1Gi"}
    pods = [pod("with", "1Gi", overhead=overhead), pod("without", overhead=overhead)]
    usage = using(with_="0") | {name: PodUsage(memory_bytes=GI) for name in ("with", "without")}
    assert order(Signal.MEMORY_AVAILABLE, pods, usage) == ["without", "with"]


def test_pod_level_requests_replace_those_of_containers() -> None:
    plain = pod("plain", "1Gi")
    whole = pod("whole", "1Gi", resources={"requests": {"memory": "3Gi"}})
    limited = pod("limited", "1Gi", resources={"limits": {"cpu": "1"}})
    usage = dict.fromkeys(("plain", "whole", "limited"), PodUsage(memory_bytes=2 * GI))
    assert order(Signal.MEMORY_AVAILABLE, [whole, plain, limited], usage) == [
        "limited", "plain", "whole",
    ]  # fmt: skip


def test_process_ids() -> None:
    pods = [pod("a", priority=5), pod("b"), pod("c"), pod("unknown"), pod("unknown-high", "", 9)]
    usage = {"a": PodUsage(processes=900), "b": PodUsage(processes=1), "c": PodUsage(processes=2)}
    assert order(Signal.PID_AVAILABLE, pods, usage) == ["unknown", "c", "b", "a", "unknown-high"]


def disk(rootfs: int, logs: int, volume: int) -> PodUsage:
    return PodUsage(
        containers=(ContainerUsage("c", None, DiskUsage(rootfs, rootfs), DiskUsage(logs, logs)),),
        volumes={"v": DiskUsage(volume, volume)},
    )


def test_what_counts_of_disk_usage_depends_on_the_filesystems() -> None:
    volumes = [{"name": "v", "emptyDir": {}}]
    pods = [pod(called, volumes=volumes) for called in ("root", "log", "vol")]
    usage = {"root": disk(3 * MI, 0, 0), "log": disk(0, 2 * MI, 0), "vol": disk(0, 0, MI)}
    nodefs, imagefs = Signal.NODEFS_AVAILABLE, Signal.IMAGEFS_AVAILABLE
    dedicated, split = Filesystems(True), Filesystems(True, True)
    assert order(nodefs, pods, usage) == ["root", "log", "vol"]
    assert order(nodefs, pods, usage, dedicated) == ["log", "vol", "root"]
    assert order(imagefs, pods, usage, dedicated)[0] == "root"
    assert order(Signal.CONTAINERFS_AVAILABLE, pods, usage, dedicated)[0] == "root"
    assert order(nodefs, pods, usage, split) == ["root", "log", "vol"]
    assert order(imagefs, pods[::-1], usage, split) == ["vol", "log", "root"]


def test_inodes_are_compared_with_the_request_for_ephemeral_storage() -> None:
    storage = pod("storage")
    storage["spec"]["containers"][0]["resources"] = {"requests": {"ephemeral-storage": "1Ki"}}
    pods = [storage, pod("none"), pod("idle")]
    usage = {"storage": disk(2000, 0, 0), "none": disk(1000, 0, 0), "idle": disk(0, 0, 0)}
    assert order(Signal.NODEFS_INODES_FREE, pods, usage) == ["none", "storage", "idle"]


def test_volumes_elsewhere_and_in_memory_take_nothing_of_the_disk() -> None:
    for volume in ({"persistentVolumeClaim": {}}, {"emptyDir": {"medium": "Memory"}}):
        one = pod("p", volumes=[{"name": "v", **volume}])
        (ranked,) = rank(Signal.NODEFS_AVAILABLE, [one], {"p": disk(0, 0, 5)}, ONE_DISK)
        assert dict(ranked.keys)["usage beyond requests"] == "+0"


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
