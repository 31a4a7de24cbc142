"""Machines that are told of lists do as those that are told of each object."""

from typing import Any

import pytest

from podium.api.objects import Object
from podium.cluster.drivers.driver_events import DriverEvent, Stepped
from podium.cluster.virtual import Cluster, ClusterOptions
from podium.controllers.replica_set import ReplicaSetController
from podium.kubelet.kubelets import Kubelets
from podium.machines.events import FirstList
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.prometheus_metrics import SchedulerMetrics
from tests.objects import READY, node, pod, workload

_TAKERS = (Kubelets, ReplicaSetController, SchedulerMachine)


def state() -> list[Object]:
    """Pods that run, wait, are bound without having run, have ended and are to go."""
    web = workload("ReplicaSet", "web", uid="uid-web", replicas=3)

    def there(name: str, status: Any = None, deleted: str = "", **spec: Any) -> Object:
        metadata = {"deletionTimestamp": deleted} if deleted else {}
        about = {"app": "web", "owner": web, "uid": f"uid-{name}", "metadata": metadata}
        return pod(name, status=status or {}, **about, **spec)

    return [
        node("n0"),
        node("n1", cpu="1"),
        web,
        there("a", READY, nodeName="n0"),
        there("b", READY, nodeName="n1"),
        there("c", {"phase": "Succeeded"}, nodeName="n0"),
        there("d", nodeName="n0"),
        there("e", READY, "2026-01-01T00:00:00Z", nodeName="n0"),
        there("f", READY, nodeName="elsewhere"),
        there("g", schedulingGates=[{"name": "example.com/wait"}]),
        there("h", cpu="9"),
        pod("alone", nodeName="n0"),
    ]


def played(*, settled: bool) -> tuple[list[str], list[Object]]:
    """What machines did, and what came of it."""
    cluster = Cluster(ClusterOptions(seed=5, settled=settled))
    assert cluster.load(state()) == []
    cluster.start()
    cluster.driver.run_until(cluster.driver.now_s)
    did: list[str] = []

    def look(event: DriverEvent) -> None:
        did.append(repr(event))

    cluster.driver.hooks.append(look)
    cluster.driver.step_hooks.append(look)
    cluster.driver.advance(60)
    kinds = ("Pod", "Event", "Node", "Lease", "ReplicaSet")
    return did, [obj for kind in kinds for obj in cluster.store.list(kind).items]


@pytest.mark.parametrize("settled", [True, False])
def test_the_same_comes_of_a_list_and_of_its_objects(
    settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = played(settled=settled)
    for taker in _TAKERS:
        monkeypatch.setattr(taker, "takes_lists", False)
    assert played(settled=settled) == at_once


def test_lists_are_told_at_once() -> None:
    cluster = Cluster()
    cluster.load(state())
    told: list[DriverEvent] = []
    cluster.driver.step_hooks.append(told.append)
    cluster.start()
    cluster.driver.run_until(cluster.driver.now_s)
    lists = [
        one.who
        for one in told
        if isinstance(one, Stepped) and isinstance(one.event, FirstList) and one.event.kind == "Pod"
    ]
    assert {"kubelet", "default-scheduler", "replicaset-controller"} == {*lists}


@pytest.mark.parametrize(
    "options", [{"evictionGuard": "60s"}, {"gangs": {"podGroups": ["scheduling.k8s.io"]}}]
)
def test_a_scheduler_of_which_a_part_looks_at_every_change_takes_no_lists(options: Any) -> None:
    assert SchedulerMachine().takes_lists
    assert not SchedulerMachine(options=SchedulerOptions.model_validate(options)).takes_lists
    assert not SchedulerMachine(metrics=SchedulerMetrics()).takes_lists
