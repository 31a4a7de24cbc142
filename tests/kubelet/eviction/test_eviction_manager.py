"""Rounds of an eviction manager."""

import pytest

from podium.kubelet.eviction.eviction_manager import (
    EvictionConfig,
    EvictionManager,
    SplitFilesystemError,
)
from podium.kubelet.eviction.filesystems import Filesystems, NodeReclaim
from podium.kubelet.eviction.node_statistics import DiskUsage, Observation, PodUsage, Statistics
from podium.kubelet.eviction.signals import Signal
from tests.kubelet.eviction.builders import GI, MI, Node, config, memory, pod
from tests.replacing import replace

HARD = {"evictionHard": {"memory.available": "1Gi"}}
SOFT = {
    "evictionSoft": {"memory.available": "2Gi"},
    "evictionSoftGracePeriod": {"memory.available": "30s"},
    "evictionMaxPodGracePeriod": 20,
}


def node(**kubelet: object) -> Node:
    made = Node(config(**kubelet), [pod("modest", "2Gi", 5), pod("greedy", "1Gi", 10)])
    made.uses("modest", "1Gi")
    made.uses("greedy", "3Gi")
    return made


def test_a_hard_threshold_evicts_at_once_and_one_pod_a_round() -> None:
    n = node(**HARD)
    eviction_round = n.look(memory("1000Mi"))
    (eviction,) = eviction_round.evictions
    assert eviction.pod["metadata"]["name"] == "greedy"
    assert eviction.grace_period_s == 1
    assert eviction.disrupts
    assert n.evicted(memory("1000Mi"), 10) == ["modest"]
    assert n.evicted(memory("1000Mi"), 10) == []


def test_exactly_the_threshold_is_enough() -> None:
    assert node(**HARD).evicted(memory("1Gi")) == []


def test_a_soft_threshold_waits_and_starts_over_after_a_break() -> None:
    n = node(**SOFT)
    assert n.evicted(memory("1Gi")) == []
    assert n.evicted(memory("1Gi"), 29) == []
    assert n.evicted(memory("4Gi"), 1) == []
    assert n.evicted(memory("1Gi"), 1) == []
    assert n.evicted(memory("1Gi"), 29.5) == []
    assert n.evicted(memory("1Gi"), 0.5) == ["greedy"]


@pytest.mark.parametrize(("own_s", "given_s"), [(None, 20), (60, 20), (5, 5), (0, 0)])
def test_the_grace_period_of_a_soft_eviction_is_at_most_the_pods_own(
    own_s: int | None, given_s: int
) -> None:
    spec = {} if own_s is None else {"terminationGracePeriodSeconds": own_s}
    n = Node(config(**SOFT), [pod("only", **spec)])
    n.look(memory("1Gi"))
    assert [one.grace_period_s for one in n.look(memory("1Gi"), 30).evictions] == [given_s]


def test_eviction_goes_on_until_the_minimum_reclaim_is_there() -> None:
    n = node(**HARD, evictionMinimumReclaim={"memory.available": "512Mi"})
    assert n.evicted(memory("1000Mi")) == ["greedy"]
    assert n.evicted(memory("1535Mi"), 10) == ["modest"]
    n.pods.append(pod("late"))
    assert n.evicted(memory("1536Mi"), 10) == []
    assert n.evicted(memory("1535Mi"), 10) == []


def test_a_condition_stays_for_the_transition_period() -> None:
    n = node(**HARD, evictionPressureTransitionPeriod="1m")
    n.look(memory("1000Mi"))
    n.look(memory("4Gi"), 59.5)
    assert n.manager.conditions == ["MemoryPressure"]
    n.look(memory("4Gi"), 0.5)
    assert n.manager.conditions == []


def test_a_soft_threshold_makes_the_condition_before_its_grace_period_is_over() -> None:
    n = node(**SOFT)
    n.look(memory("1Gi"))
    assert n.manager.conditions == ["MemoryPressure"]


def test_critical_pods_are_spared() -> None:
    n = Node(
        config(**HARD),
        [pod("critical", priority=2_000_000_000), pod("nearly", priority=1_999_999_999)],
    )
    n.uses("critical", "7Gi")
    assert n.evicted(memory("1Mi")) == ["nearly"]
    assert n.evicted(memory("1Mi"), 10) == []


def test_nobody_is_evicted_twice_for_one_observation() -> None:
    n = node(**HARD)
    old = {Signal.MEMORY_AVAILABLE: Observation(MI, 8 * GI, observed_s=7.0)}
    new = {Signal.MEMORY_AVAILABLE: Observation(MI, 8 * GI, observed_s=8.0)}
    assert n.evicted(old) == ["greedy"]
    assert n.evicted(old, 10) == []
    assert n.manager.met
    assert n.evicted(new, 10) == ["modest"]


DISK = {
    Signal.NODEFS_AVAILABLE: Observation(GI, 100 * GI),
    Signal.IMAGEFS_AVAILABLE: Observation(50 * GI, 100 * GI),
}
ROOMY = DISK | {Signal.NODEFS_AVAILABLE: Observation(50 * GI, 100 * GI)}
NODEFS = {"evictionHard": {"nodefs.available": "10%"}}


def test_the_node_throws_away_what_nobody_needs_first() -> None:
    n = node(**NODEFS)
    begun = n.look(DISK)
    assert begun.reclaims == (NodeReclaim.CONTAINERS, NodeReclaim.IMAGES)
    assert begun.evictions == ()
    assert n.manager.conclude(begun, ROOMY).evictions == ()
    (eviction,) = n.manager.conclude(begun, DISK).evictions
    assert eviction.message.startswith("The node was low on resource: ephemeral-storage. ")


def test_throwing_away_must_resolve_all_thresholds() -> None:
    hard = {"evictionHard": {"nodefs.available": "10%", "memory.available": "1Gi"}}
    n = node(**hard, evictionMinimumReclaim={"memory.available": "1Gi"})
    begun = n.look(DISK | memory("1500Mi"))
    assert n.manager.conclude(begun, ROOMY | memory("1500Mi")).evictions
    assert not n.manager.conclude(begun, ROOMY | memory("2Gi")).evictions


def test_thresholds_of_containerfs_go_from_the_second_round_on() -> None:
    n = node(**NODEFS)
    full = {Signal.CONTAINERFS_AVAILABLE: Observation(GI, 100 * GI)}
    n.look(full)
    assert n.manager.conditions == []
    n.look(full, 10)
    assert n.manager.conditions == ["DiskPressure"]


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


def test_limits_of_local_storage_come_before_thresholds_and_spare_nobody_who_exceeds_them() -> None:
    volumes = [{"name": "v", "emptyDir": {"sizeLimit": "1Mi"}}]
    pods = [pod("a", volumes=volumes), pod("b"), pod("c", volumes=volumes)]
    n = Node(config(**HARD), pods)
    n.usage = dict.fromkeys("abc", PodUsage(volumes={"v": DiskUsage(2 * MI)}))
    eviction_round = n.look(memory("1Mi"))
    assert [one.pod["metadata"]["name"] for one in eviction_round.evictions] == ["a", "c"]
    assert (
        eviction_round.evictions[0].message
        == 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". '
    )
    assert not eviction_round.evictions[0].disrupts
    assert n.evicted(memory("1Mi"), 10) == ["b"]


def test_limits_of_local_storage_are_enforced_unless_the_configuration_says_otherwise() -> None:
    volumes = [{"name": "v", "emptyDir": {"sizeLimit": "1Mi"}}]
    n = Node(EvictionConfig(), [pod("a", volumes=volumes)])
    n.usage = {"a": PodUsage(volumes={"v": DiskUsage(2 * MI)})}
    assert n.evicted(memory("4Gi")) == ["a"]


def test_without_thresholds_and_limits_there_is_nothing_to_do() -> None:
    n = Node(config(localStorageCapacityIsolation=False), [pod("only")])
    assert n.evicted(memory(0)) == []
