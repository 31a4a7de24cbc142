"""Simulated nodes that feel what is used on them, told by what the API shows."""

from typing import Any

import pytest

from podium.api.objects import condition_status
from podium.cluster.drivers.faults import NO_FAULTS, Faults, Latency
from podium.kubelet.eviction.eviction_manager import EvictionConfig
from podium.kubelet.kubelet_config import read_eviction_config
from podium.kubelet.simulated.behaviour import NodeSettings
from podium.machines.effects import Patch
from tests.kubelet.builders import Obj, pod
from tests.kubelet.cluster import START_S, Cluster

MESSAGE = (
    "The node was low on resource: memory. Threshold quantity: 1Gi, available: 858993459. "
    "Container c was using 2362232013, request is 1Gi, has larger consumption of memory. "
)


def settings(**kubelet: Any) -> NodeSettings:
    hard = {"evictionHard": {"memory.available": "1Gi"}}
    return NodeSettings(eviction=read_eviction_config(hard | kubelet))


def requesting(name: str, memory: str, **fields: Any) -> Obj:
    return pod(name, requests={"memory": memory}, **fields)


def pressure(cluster: Cluster) -> str:
    return condition_status(cluster.get("Node", "n1"), "MemoryPressure")


def events(cluster: Cluster) -> list[str]:
    found = cluster.server.store.list("Event").items
    return [one["reason"] for one in found]


def test_a_pod_under_pressure_fails_as_the_kubelet_has_it() -> None:
    cluster = Cluster(settings=settings())
    cluster.create(requesting("modest", "6Gi"), usage_memory="5Gi")
    cluster.create(requesting("greedy", "1Gi"), usage_memory="0s=1Gi,100s=3Gi")
    cluster.run_until(60)
    assert cluster.status("greedy")["phase"] == "Running"
    cluster.run_until(75)
    status = cluster.status("greedy")
    assert (status["phase"], status["reason"]) == ("Failed", "Evicted")
    assert status["message"] == MESSAGE
    (condition,) = [one for one in status["conditions"] if one["type"] == "DisruptionTarget"]
    assert condition["reason"] == "TerminationByKubelet"
    assert condition["message"] == status["message"]
    assert status["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 137
    assert cluster.status("modest")["phase"] == "Running"


def test_the_condition_comes_with_the_status_and_stays_for_the_transition_period() -> None:
    cluster = Cluster(settings=settings(evictionPressureTransitionPeriod="1m"))
    cluster.create(requesting("p", "6Gi"), usage_memory="0s=7680Mi,15s=7680Mi,16s=1Gi")
    cluster.run_until(1)
    assert cluster.status("p")["reason"] == "Evicted"
    cluster.run_until(11)
    assert pressure(cluster) == "True"
    cluster.run_until(59)
    assert pressure(cluster) == "True"
    cluster.run_until(80)
    assert pressure(cluster) == "False"


def test_a_condition_is_told_late_rather_than_never() -> None:
    cluster = Cluster(settings=settings())
    cluster.run_until(1)
    cluster.create(requesting("p", "6Gi"), usage_memory="7680Mi")
    cluster.run_until(5)
    assert pressure(cluster) == "False"
    cluster.driver.pass_time(START_S + 13)
    cluster.run_until(14)
    assert pressure(cluster) == "True"


def test_a_node_under_pressure_takes_only_who_requests_something() -> None:
    cluster = Cluster(settings=settings())
    cluster.run_until(5)
    cluster.annotate("n1", usage_memory="7680Mi")
    cluster.run_until(15)
    for one in (pod("best-effort", ""), pod("burstable")):
        cluster.create(one)
    cluster.run_until(16)
    refused = cluster.status("best-effort")
    assert refused["reason"] == "Evicted"
    assert "The node had condition: [MemoryPressure]. " in refused["message"]
    assert cluster.status("burstable")["phase"] == "Running"


def test_who_runs_the_node_out_of_memory_between_two_looks_is_killed_and_restarted() -> None:
    cluster = Cluster(settings=settings())
    cluster.create(requesting("steady", "2Gi"), usage_memory="2Gi")
    cluster.create(requesting("leaking", "2Gi"), usage_memory="0s=1Gi,1s=1Gi,7s=10Gi")
    cluster.run_until(8)
    status = cluster.status("leaking")["containerStatuses"][0]
    ended = status["lastState"]["terminated"]
    assert (ended["reason"], ended["exitCode"]) == ("OOMKilled", 137)
    assert status["restartCount"] == 1
    assert cluster.status("steady")["containerStatuses"][0]["restartCount"] == 0
    assert "SystemOOM" in events(cluster)


def test_who_exceeds_its_own_limit_is_killed_though_the_node_has_room() -> None:
    cluster = Cluster(settings=settings())
    limited = requesting("p", "100Mi", restartPolicy="Never")
    limited["spec"]["containers"][0]["resources"]["limits"] = {"memory": "200Mi"}
    cluster.create(limited, usage_memory="0s=100Mi,20s=300Mi")
    cluster.run_until(9)
    assert cluster.status("p")["phase"] == "Running"
    cluster.run_until(11)
    status = cluster.status("p")
    assert status["phase"] == "Failed"
    assert status["containerStatuses"][0]["state"]["terminated"]["reason"] == "OOMKilled"
    assert "SystemOOM" not in events(cluster)


def test_usage_can_be_scripted_anew() -> None:
    cluster = Cluster(settings=settings())
    cluster.create(requesting("p", "1Gi"), usage_memory="1Gi")
    cluster.run_until(25)
    cluster.patch("Pod", "p", {"metadata": {"annotations": {"podium.dev/usage-memory": "7500Mi"}}})
    cluster.run_until(29)
    assert cluster.status("p")["phase"] == "Running"
    cluster.run_until(32)
    assert cluster.status("p")["reason"] == "Evicted"


def test_a_node_that_feels_nothing_costs_nothing() -> None:
    for annotations in ({}, {"usage_memory": "1Gi"}):
        cluster = Cluster(settings=settings())
        cluster.create(requesting("p", "1Gi"), **annotations)
        cluster.run_until(20)
        assert cluster.driver.next_s() is None


def test_images_are_thrown_away_before_pods_are_evicted() -> None:
    hard = {"evictionHard": {"nodefs.available": "10%"}}
    cluster = Cluster(settings=NodeSettings(eviction=read_eviction_config(hard)))
    cluster.patch("Node", "n1", {"status": {"capacity": {"ephemeral-storage": "100Gi"}}}, "status")
    cluster.annotate("n1", usage_disk="50Gi", unused_images="20Gi")
    cluster.create(pod("p"), usage_logs="25Gi")
    cluster.run_until(30)
    assert cluster.status("p")["phase"] == "Running"
    assert "EvictionThresholdMet" in events(cluster)
    cluster.patch("Pod", "p", {"metadata": {"annotations": {"podium.dev/usage-logs": "45Gi"}}})
    cluster.run_until(60)
    assert cluster.status("p")["reason"] == "Evicted"


def test_a_silent_node_evicts_nobody() -> None:
    cluster = Cluster(settings=settings())
    cluster.create(requesting("p", "1Gi"), usage_memory="0s=1Gi,60s=7500Mi")
    cluster.run_until(15)
    cluster.annotate("n1", down="true")
    cluster.run_until(200)
    assert cluster.status("p")["phase"] == "Running"
    cluster.annotate("n1", down=None)
    cluster.run_until(215)
    assert cluster.status("p")["reason"] == "Evicted"


def test_statuses_of_nodes_are_written_only_when_conditions_change() -> None:
    cluster = Cluster(settings=NodeSettings(eviction=EvictionConfig()))
    cluster.create(requesting("p", "1Gi"), usage_memory="100Mi..900Mi")
    cluster.run_until(600)
    assert not [one for one in cluster.writes if isinstance(one, Patch) and one.kind == "Node"]


@pytest.mark.parametrize("seed", range(3))
def test_whatever_goes_wrong_the_pod_is_evicted_and_the_condition_told(seed: int) -> None:
    faults = Faults(refused=0.2, unanswered=0.1, broken_watches=0.1, restarts=0.02)
    cluster = Cluster(settings=settings(), faults=faults, latency=Latency(0.01, 0.01, 0.01))
    cluster.create(requesting("p", "1Gi"), usage_memory=f"0s=1Gi,{20 + seed}s=7500Mi")
    cluster.run_until(100)
    cluster.driver.faults = NO_FAULTS
    cluster.run_until(130)
    assert cluster.status("p")["reason"] == "Evicted"
    assert pressure(cluster) == "True"
    cluster.run_until(500)
    assert pressure(cluster) == "False"
