"""What a test asks its cluster: waiting, events, pods by label, plans."""

import time

import pytest

import podium
from podium.api.errors import PodiumError, RefusedError
from podium.api.objects import condition_status
from tests.objects import namespace, node, pod, priority_class, workload


def is_running(cluster: podium.Cluster, name: str) -> bool:
    return cluster.get("Pod", name)["status"]["phase"] == "Running"


def test_waiting_moves_the_clock_no_further_than_needed() -> None:
    with podium.Cluster(nodes=1) as cluster:
        cluster.apply(pod("a"))
        assert cluster.wait_for(lambda: is_running(cluster, "a"))
        began_s = cluster.now_s
        cluster.delete("Pod", "a", grace_period_s=20)
        assert cluster.wait_for(lambda: not cluster.list("Pod"), step_s=5)
        assert cluster.now_s - began_s in (20, 25)


def test_waiting_has_an_end() -> None:
    with podium.Cluster(nodes=0) as cluster:
        cluster.apply(pod("a"))
        began_s = cluster.now_s
        with pytest.raises(TimeoutError, match="isn't true after 90 s"):
            cluster.wait_for(lambda: is_running(cluster, "a"), timeout_s=90, step_s=40)
        assert cluster.now_s == began_s + 90


def test_what_is_not_there_yet_is_waited_for_and_a_mistake_is_not() -> None:
    with podium.Cluster(nodes=1) as cluster:
        with pytest.raises(TimeoutError):
            cluster.wait_for(lambda: cluster.get("Pod", "a"), timeout_s=2)
        with pytest.raises(RefusedError, match="found '='"):
            cluster.wait_for(lambda: cluster.pods(label="a=b=c"))


def test_waiting_for_a_clock_that_moves_by_itself() -> None:
    with podium.Cluster(nodes=1, speed="10x") as cluster:
        began_s = time.monotonic()
        later_s = cluster.now_s + 2
        assert cluster.wait_for(lambda: cluster.now_s >= later_s)
        assert time.monotonic() - began_s >= 0.2


def test_pods_by_label() -> None:
    with podium.Cluster(nodes=1) as cluster:
        web = workload("ReplicaSet", "web", replicas=2)
        web["metadata"]["namespace"] = "shop"
        cluster.apply(namespace("shop"), web, pod("a"))
        cluster.wait_for(lambda: len(cluster.pods()) == 3)
        assert len(cluster.pods(label="app=web")) == 2
        assert [one["metadata"]["name"] for one in cluster.pods("default")] == ["a"]
        assert cluster.pods("default", label="app=web") == []
        assert cluster.pods("kube-system") == []


def test_events_by_reason_and_object() -> None:
    with podium.Cluster(nodes=1, node_cpu="4") as cluster:
        cluster.apply(pod("a", "3"), pod("b", "3"))
        (failed,) = cluster.wait_for(lambda: cluster.events(reason="FailedScheduling"))
        assert "Insufficient cpu" in failed["message"]
        assert failed["involvedObject"]["name"] == "b"
        told = [event["reason"] for event in cluster.events(about="a")]
        assert told[0] == "Scheduled"
        assert cluster.events("kube-system", reason="Scheduled") == []


def test_a_plan_leaves_the_cluster_as_it_is() -> None:
    with podium.Cluster(
        nodes=1, node_cpu="4", manifests=[priority_class("urgent", 1000), pod("batch", "3")]
    ) as cluster:
        cluster.wait_for(lambda: is_running(cluster, "batch"))
        outcome = cluster.plan(pod("urgent", "3", priorityClassName="urgent"))
        assert [lost.pod for lost in outcome.disruptions] == ["default/batch"]
        assert [one.pod for one in outcome.placements] == ["default/urgent"]
        assert [one["metadata"]["name"] for one in cluster.pods()] == ["batch"]

        rival = pod("rival", "3")
        assert [one.pod for one in cluster.plan(rival).pending] == ["default/rival"]
        assert not cluster.plan(rival, delete=["pod/batch"]).pending
        drained = cluster.plan(drain="podium-1:force", until=120, fail_on="pending,eviction")
        assert [one.object for one in drained.failed_on][:1] == ["default/batch"]
        with pytest.raises(PodiumError, match="drian: unknown; is drain"):
            cluster.plan(drian="podium-1")
        with pytest.raises(PodiumError, match="the state has no"):
            cluster.plan(delete=["pod/nobody"])


@pytest.mark.parametrize("assumed", [False, True])
def test_what_is_loaded_stays_unready_unless_it_is_assumed_to_be_healthy(assumed: bool) -> None:
    told = {"name": "c", "ready": False, "state": {"waiting": {"reason": "ImagePullBackOff"}}}
    stuck = pod("stuck", on="n1", status={"containerStatuses": [told]})
    with podium.Cluster(manifests=[node("n1"), stuck], assume_healthy=assumed) as cluster:
        cluster.advance(600)
        ready = condition_status(cluster.get("Pod", "stuck"), "Ready")
        assert ready == ("True" if assumed else "False")
        cluster.delete("Pod", "stuck")
        assert bool(cluster.list("Pod")) is assumed
        cluster.advance(30)
        assert not cluster.list("Pod")
