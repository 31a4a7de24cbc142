"""A cluster in which a controller, the scheduler or the nodes stumble over one object."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.cluster.drivers.machine_health import MachineHealth
from podium.cluster.virtual import Cluster
from podium.controllers.replica_set import ReplicaSetController
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from podium.scheduler.scheduler import Scheduler
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


def is_there(kind: str) -> Callable[..., bool]:
    """Whether a machine knows the object `bad`, and handles it."""

    def is_bad(self: Any, key: tuple[str, str], now_s: float) -> bool:
        return key == ("default", "bad") and self.objects.get(kind, "bad", "default") is not None

    return is_bad


BAD_SET = workload("ReplicaSet", "bad", replicas=1)


@pytest.mark.parametrize(
    ("owner", "method", "is_bad", "bad", "ails"),
    [
        (
            ReplicaSetController,
            "reconcile",
            is_there("ReplicaSet"),
            BAD_SET,
            "replicaset-controller",
        ),
        (
            Scheduler,
            "decide",
            lambda _, pod, *__: pod.name == "bad",
            pod("bad"),
            "default-scheduler",
        ),
        (SimulatedKubelets, "reconcile", is_there("Pod"), pod("bad"), "kubelet"),
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
