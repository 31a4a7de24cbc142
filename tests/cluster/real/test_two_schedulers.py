"""Podium beside the real kube-scheduler, each for the pods that name it."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from podium.scheduler.preemption.policies.livelock import ROUNDS
from tests.cluster.real.conftest import StartPodium
from tests.cluster.real.podium_process import PodiumScheduler
from tests.cluster.real.server import Json
from tests.cluster.real.test_scheduler import condition
from tests.cluster.real.world import World, pod, until

OURS = {"schedulerName": "podium"}
GRACE = {"terminationGracePeriodSeconds": 600}
CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
podMaxBackoffSeconds: 1
profiles: [{schedulerName: podium}]
---
apiVersion: podium.dev/v1alpha1
kind: SchedulerOptions
otherNominations: true
"""


@pytest.fixture
def scheduler(world: World, podium: StartPodium, tmp_path: Path) -> Iterator[PodiumScheduler]:
    """Podium, while kube-scheduler runs as well."""
    if not (world.plane.binaries / "kube-scheduler").exists():
        pytest.skip("no kube-scheduler beside the API server")
    world.node("a", cpu="2")
    world.priority("high", 1000)
    (tmp_path / "podium.yaml").write_text(CONFIGURATION)
    world.plane.launch("kube-scheduler", "--secure-port", "0", "--leader-elect=false")
    try:
        yield podium("--config", str(tmp_path / "podium.yaml"))
    finally:
        world.plane.stop("kube-scheduler")


def terminating(world: World) -> list[str]:
    found = [one["metadata"] for one in world.pods()]
    return [metadata["name"] for metadata in found if metadata.get("deletionTimestamp")]


def test_room_that_kube_scheduler_makes_is_left_to_its_pod(
    world: World, scheduler: PodiumScheduler
) -> None:
    world.create(*(pod(f"low-{number}", nodeName="a", **GRACE) for number in range(2)))
    world.create(pod("vip-1", cpu="2", priorityClassName="high"))
    until(lambda: (world.pod("vip-1") or {})["status"].get("nominatedNodeName"))
    until(lambda: len(terminating(world)) == 2)
    world.delete("low-0", 0)
    world.create(pod("small-1", **OURS))
    found = until(lambda: condition(world.pod("small-1") or {}, "PodScheduled"))
    assert "1 Insufficient cpu" in found["message"]
    world.delete("low-1", 0)
    world.wait_bound("vip-1")
    assert world.places() == {"vip-1": "a", "small-1": ""}
    assert scheduler.metric("podium_preemption_livelocks_total") == 0


def test_room_that_kube_scheduler_fills_again_and_again_is_given_up(
    world: World, scheduler: PodiumScheduler
) -> None:
    world.create(*(pod(f"low-{number}", **GRACE) for number in range(2)))
    world.wait_bound()
    world.create(pod("big-1", cpu="2", priorityClassName="high", **OURS))
    made = itertools.count(2)

    def replaced() -> list[Json]:
        """What controllers and kubelets do: a new pod comes, then the old one goes."""
        for gone in terminating(world):
            name = f"low-{next(made)}"
            world.create(pod(name, **GRACE))
            world.delete(gone, 0)
            world.wait_bound(name)
        return world.events("PreemptionLivelock")

    (event,) = until(replaced)
    assert f"taken {ROUNDS} times by pods of default-scheduler" in event["note"]
    assert event["regarding"]["name"] == "big-1"
    assert scheduler.metric("podium_preemption_livelocks_total") == 1
    assert not terminating(world)
    assert sorted(world.places().values()) == ["", "a", "a"]
