"""Rounds of an eviction manager."""

from typing import Any

import pytest

from podium.kubelet.eviction.eviction_manager import (
    EvictionConfig,
    EvictionManager,
    SplitFilesystemError,
)
from podium.kubelet.eviction.filesystems import Filesystems
from podium.kubelet.eviction.node_statistics import DiskUsage, Observation, PodUsage, Statistics
from podium.kubelet.eviction.signals import Signal
from tests.kubelet.eviction.builders import GI, MI, config, pod
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


def evicted(settings: EvictionConfig, **spec: Any) -> bool:
    """Return whether a pod is evicted that stores too much, on a node without memory."""
    memory = {Signal.MEMORY_AVAILABLE: Observation(0, 8 * GI)}
    statistics = Statistics(memory, {"a": PodUsage(volumes={"v": DiskUsage(2 * MI)})})
    return bool(EvictionManager(settings).look(statistics, [pod("a", **spec)], 0.0).evictions)


def test_limits_of_local_storage_are_enforced_unless_the_configuration_says_otherwise() -> None:
    volumes = [{"name": "v", "emptyDir": {"sizeLimit": "1Mi"}}]
    assert evicted(EvictionConfig(), volumes=volumes)
    assert not evicted(config(localStorageCapacityIsolation=False), volumes=volumes)
