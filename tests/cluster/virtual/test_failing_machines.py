"""A cluster in which a controller, the scheduler or the nodes stumble over one object."""

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.cluster.drivers.machine_health import MachineHealth
from podium.cluster.virtual import Cluster
from podium.controllers.replica_set import ReplicaSetController
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from podium.machines.events import Event
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from tests.cluster.virtual.test_cluster import pods_of
from tests.objects import node, pod, workload


class StumbleError(Exception):
    """What a bug raises."""


def make_cluster(*objects: Any) -> Cluster:
    cluster = Cluster()
    cluster.driver.health = MachineHealth()
    cluster.load([node("n0", cpu="99"), node("n1", cpu="99"), *objects])
    cluster.start()
    return cluster


def stumble_at(
    monkeypatch: pytest.MonkeyPatch, owner: type, method: str, is_bad: Callable[..., bool]
) -> None:
    """Have a method raise for some arguments."""
    original = getattr(owner, method)

    def stumbling(self: Any, *args: Any) -> Any:
        if is_bad(self, *args):
            raise StumbleError
        return original(self, *args)

    monkeypatch.setattr(owner, method, stumbling)


def running(cluster: Cluster) -> list[str]:
    pods = [p for p in pods_of(cluster) if p["status"]["phase"] == "Running"]
    return sorted({p["metadata"]["name"].split("-")[0] for p in pods})


def ailing(cluster: Cluster) -> Iterable[str]:
    assert cluster.driver.health is not None
    found = cluster.driver.health.failures(cluster.driver.now_s)
    return [name for name, why in found.items() if why]


def bad_replica_set(self: ReplicaSetController, key: tuple[str, str], now_s: float) -> bool:
    found = self.objects.get("ReplicaSet", key[1], key[0])
    return found is not None and found["metadata"]["name"] == "bad"


def bad_pending_pod(self: Scheduler, pod: PodInfo, *args: str) -> bool:
    return pod.name == "bad"


def bad_running_pod(self: SimulatedKubelets, key: object, now_s: float) -> bool:
    return key == ("default", "bad") and self.objects.get("Pod", "bad", "default") is not None


@pytest.mark.parametrize(
    ("owner", "method", "is_bad", "bad", "ails"),
    [
        (
            ReplicaSetController,
            "reconcile",
            bad_replica_set,
            workload("ReplicaSet", "bad", replicas=1),
            "replicaset-controller",
        ),
        (Scheduler, "decide", bad_pending_pod, pod("bad"), "default-scheduler"),
        (SimulatedKubelets, "reconcile", bad_running_pod, pod("bad"), "kubelet"),
    ],
    ids=["a controller", "a scheduler", "nodes"],
)
def test_a_machine_that_stumbles_over_an_object_does_the_rest_and_recovers(
    owner: type,
    method: str,
    is_bad: Callable[..., bool],
    bad: Any,
    ails: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stumble_at(monkeypatch, owner, method, is_bad)
    web = workload("ReplicaSet", "web", replicas=2)
    cluster = make_cluster(pod("a"), web)
    cluster.driver.advance(10)
    kind, now_s = KINDS[bad["kind"]], cluster.driver.now_s
    cluster.server.create(Attributes(kind, "default", "", now_s), bad)
    cluster.driver.advance(30)
    assert running(cluster) == ["a", "web"]
    assert ailing(cluster) == [ails]
    cluster.store.delete(kind.key, "default", "bad")
    cluster.server.create(Attributes(KINDS["Pod"], "default", "", now_s), pod("late"))
    cluster.driver.advance(60)
    assert running(cluster) == ["a", "late", "web"]
    assert len(pods_of(cluster)) == 4
    assert ailing(cluster) == []


@pytest.mark.parametrize("seed", range(5))
def test_all_is_done_in_the_end_whatever_failed_at_random(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, clumsiness = Random(seed), [0.02]

    def is_clumsy(self: object, event: Event, now_s: float) -> bool:
        return rng.random() < clumsiness[0]

    for machine in (ReplicaSetController, SchedulerMachine, SimulatedKubelets):
        stumble_at(monkeypatch, machine, "step", is_clumsy)
    cluster = make_cluster(
        *(workload("ReplicaSet", f"web{number}", replicas=5) for number in range(4))
    )
    cluster.driver.advance(600)
    clumsiness[0] = 0.0
    cluster.driver.advance(600)
    health = cluster.driver.health
    assert health is not None
    # Which of them chance has chosen depends on how often each is told of something.
    assert health.panics.keys() <= {"replicaset-controller", "default-scheduler", "kubelet"}
    assert sum(health.panics.values()) > 0
    assert [p["status"]["phase"] for p in pods_of(cluster)] == ["Running"] * 20
    assert ailing(cluster) == []
    owners = cluster.store.list("ReplicaSet").items
    assert [one["status"]["readyReplicas"] for one in owners] == [5] * 4
