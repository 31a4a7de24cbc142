"""Rounds of an eviction manager."""

import pytest

from podium.kubelet.eviction.eviction_manager import (
    EvictionConfig,
    EvictionManager,
    SplitFilesystemError,
)
from podium.kubelet.eviction.filesystems import Filesystems
from podium.kubelet.eviction.node_statistics import DiskUsage, Observation, PodUsage, Statistics
from podium.kubelet.eviction.signals import Signal
from tests.kubelet.eviction.builders import GI, MI, Node, config, memory, pod
from tests.replacing import replace

DISK = {
    Signal.NODEFS_AVAILABLE: Observation(GI, 100 * GI),
    Signal.IMAGEFS_AVAILABLE: Observation(50 * GI, 100 * GI),
}
NODEFS = {"evictionHard": {"nodefs.available": "10%"}}


def test_a_split_filesystem_needs_its_feature_gate() -> None:
    configured = replace(config(Filesystems(True, True), **NODEFS), separates_disk_gc=False)
    manager = EvictionManager(configured)
    with pytest.raises(SplitFilesystemError):
        manager.look(Statistics(DISK, {}), [], 0.0)
    eviction_round = manager.look(Statistics(DISK, {}), [pod("idle")], 10.0)
    assert (eviction_round.reclaiming, eviction_round.reclaims, eviction_round.evictions) == (
        "ephemeral-storage",
        (),
        (),
    )


def test_limits_of_local_storage_are_enforced_unless_the_configuration_says_otherwise() -> None:
    volumes = [{"name": "v", "emptyDir": {"sizeLimit": "1Mi"}}]
    n = Node(EvictionConfig(), [pod("a", volumes=volumes)])
    n.usage = {"a": PodUsage(volumes={"v": DiskUsage(2 * MI)})}
    assert n.evicted(memory("4Gi")) == ["a"]


def test_without_thresholds_and_limits_there_is_nothing_to_do() -> None:
    n = Node(config(localStorageCapacityIsolation=False), [pod("only")])
    assert n.evicted(memory(0)) == []
