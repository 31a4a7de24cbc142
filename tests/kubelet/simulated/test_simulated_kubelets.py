"""Nodes: heartbeats, conditions, silence, admission, and agents that restart."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.nodes import CONTINUOUS, ENDED, HEARTBEATS, LEASE_NAMESPACE, WRITTEN
from podium.api.pods import is_finished
from podium.apiserver.attributes import Attributes
from podium.cluster.drivers.faults import Faults, Latency
from podium.kubelet.simulated.behaviour import Behaviour, NodeSettings, fixed
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from podium.machines.effects import Create, Patch
from tests.controllers.builders import Hand
from tests.kubelet.builders import node, pod
from tests.kubelet.cluster import Cluster

CRITICAL = {"priority": 2_000_000_000, "priorityClassName": "system-cluster-critical"}


def lease(cluster: Cluster, name: str = "n1") -> tuple[str, str]:
    """What a Lease says of heartbeats, and when it was renewed."""
    found = cluster.get("Lease", name, LEASE_NAMESPACE)
    return found["metadata"]["annotations"][HEARTBEATS], found["spec"]["renewTime"][11:21]


def conditions(cluster: Cluster, name: str = "n1") -> dict[str, str]:
    found = cluster.get("Node", name)["status"]["conditions"]
    return {one["type"]: one["status"] for one in found}


def test_a_node_says_once_that_it_is_ready_and_goes_on() -> None:
    cluster = Cluster(2)
    assert conditions(cluster) == {
        "MemoryPressure": "False",
        "DiskPressure": "False",
        "PIDPressure": "False",
        "Ready": "True",
    }
    cluster.run_until(3600)
    assert cluster.writes == []
    assert lease(cluster, "n2") == (CONTINUOUS, "00:00:00.0")
    hosts = [cluster.get("Node", name)["status"]["addresses"][0] for name in ("n1", "n2")]
    assert hosts[0]["address"] != hosts[1]["address"]


def test_a_node_that_is_ready_already_writes_nothing_but_its_lease() -> None:
    cluster = Cluster(start=False)
    healthy = {"MemoryPressure": "False", "DiskPressure": "False", "PIDPressure": "False"}
    told = [{"type": k, "status": v} for k, v in {**healthy, "Ready": "True"}.items()]
    cluster.patch("Node", "n1", {"status": {"conditions": told}}, "status")
    cluster.driver.add(SimulatedKubelets())
    cluster.run_until(1)
    assert [type(effect) for effect in cluster.writes] == [Create]


def test_a_node_that_falls_silent_ends_its_heartbeats_at_the_last_one() -> None:
    cluster = Cluster()
    cluster.run_until(47)
    cluster.annotate("n1", down="true")
    cluster.run_until(100)
    assert lease(cluster) == (ENDED, "00:00:40.0")
    cluster.annotate("n1", down="false")
    cluster.run_until(101)
    assert lease(cluster) == (CONTINUOUS, "00:01:40.0")
    cluster.run_until(115)
    cluster.annotate("n1", down="true")
    cluster.run_until(116)
    assert lease(cluster) == (ENDED, "00:01:50.0")


def test_leases_are_renewed_in_earnest_where_others_watch() -> None:
    cluster = Cluster(settings=NodeSettings(writes_heartbeats=True))
    cluster.run_until(25)
    assert lease(cluster) == (WRITTEN, "00:00:20.0")
    assert [type(write).__name__ for write in cluster.writes] == ["Patch", "Patch"]
    cluster.annotate("n1", down="true")
    cluster.run_until(100)
    assert lease(cluster) == (WRITTEN, "00:00:20.0")
    cluster.annotate("n1", down=None)
    cluster.run_until(105)
    assert lease(cluster) == (WRITTEN, "00:01:40.0")
    cluster.driver.restart(cluster.kubelets, SimulatedKubelets(cluster.settings))
    cluster.run_until(106)
    assert lease(cluster) == (WRITTEN, "00:01:45.0")


@pytest.mark.parametrize(("termination", "gone_s"), [("grace", 40.0), ("25s", 35.0)])
def test_a_pod_that_was_terminating_at_an_agents_start_has_what_is_left(
    termination: str, gone_s: float
) -> None:
    cluster = Cluster()
    cluster.create(pod("leaving"), termination=termination)
    cluster.run_until(10)
    cluster.delete("leaving", 30)
    cluster.run_until(30)
    cluster.driver.restart(cluster.kubelets, SimulatedKubelets(cluster.settings))
    cluster.run_until(gone_s - 1)
    assert cluster.gist("leaving") == "Running terminating ready"
    cluster.run_until(gone_s)
    assert cluster.gist("leaving") == "gone"


def test_a_silent_nodes_pods_go_on_unseen_and_it_catches_up() -> None:
    cluster = Cluster()
    cluster.create(pod("ends", restartPolicy="Never"), run_duration="30s")
    cluster.create(pod("deleted"), termination="5s")
    cluster.run_until(10)
    cluster.annotate("n1", down="true")
    cluster.run_until(11)
    cluster.create(pod("new"))
    cluster.create(pod("brief"))
    cluster.delete("deleted")
    cluster.delete("brief", 30)
    cluster.run_until(100)
    gists = [cluster.gist(name) for name in ("ends", "deleted", "new", "brief")]
    assert gists == ["Running ready", "Running terminating ready", "Pending", "Pending terminating"]
    cluster.annotate("n1", down=None)
    cluster.run_until(100.1)
    gists = [cluster.gist(name) for name in ("ends", "deleted", "new", "brief")]
    assert gists == ["Succeeded", "Running terminating ready", "Running ready", "gone"]
    ended = cluster.status("ends")["containerStatuses"][0]["state"]["terminated"]
    assert ended["finishedAt"] == "2026-01-01T00:00:30Z"
    cluster.run_until(105)
    assert cluster.gist("deleted") == "gone"


def test_conditions_follow_the_annotation_and_nobody_elses_word() -> None:
    cluster = Cluster()
    cluster.annotate("n1", conditions="MemoryPressure=True, NetworkUnavailable=True")
    cluster.run_until(1)
    assert conditions(cluster)["MemoryPressure"] == "True"
    assert conditions(cluster)["NetworkUnavailable"] == "True"
    cluster.annotate("n1", conditions=None)
    cluster.run_until(2)
    assert "True" not in {v for k, v in conditions(cluster).items() if k != "Ready"}
    unknown = [{"type": "Ready", "status": "Unknown"}]
    cluster.patch("Node", "n1", {"status": {"conditions": unknown}}, "status")
    cluster.run_until(3)
    assert conditions(cluster)["Ready"] == "True"
    cluster.annotate("n1", down="true")
    cluster.run_until(4)
    cluster.patch("Node", "n1", {"status": {"conditions": unknown}}, "status")
    cluster.run_until(5)
    assert conditions(cluster)["Ready"] == "Unknown"


def test_annotations_that_cannot_be_read_are_told() -> None:
    cluster = Cluster()
    cluster.create(pod("p"), run_duration="soon", exit_code="-1")
    cluster.annotate("n1", down="maybe")
    cluster.run_until(1)
    status = cluster.status("p")
    assert (status["phase"], status["reason"]) == ("Failed", "InvalidBehaviour")
    assert (
        'metadata.annotations[podium.dev/run-duration]: Invalid value: "soon"' in status["message"]
    )
    assert "metadata.annotations[podium.dev/exit-code]" in status["message"]
    (note,) = (note for reason, note in cluster.events() if "podium.dev/down" in note)
    assert note.endswith('supported values: "true", "false"')


def test_what_does_not_fit_fails_and_leaves_its_room() -> None:
    cluster = Cluster()
    for name, cpu in (("a", "3"), ("large", "2"), ("b", "1")):
        cluster.create(pod(name, cpu))
    cluster.run_until(1)
    assert [cluster.gist(name) for name in ("a", "large", "b")] == [
        "Running ready",
        "Failed",
        "Running ready",
    ]
    assert cluster.status("large")["message"] == (
        "Pod was rejected: Node didn't have enough resource: cpu, requested: 2000, used: 3000, "
        "capacity: 4000"
    )


def test_a_pod_of_which_others_say_that_it_has_failed_leaves_its_room() -> None:
    cluster = Cluster()
    cluster.create(pod("a", "4"))
    cluster.run_until(1)
    cluster.patch("Pod", "a", {"status": {"phase": "Failed"}}, "status")
    cluster.run_until(2)
    cluster.create(pod("b", "4"))
    cluster.run_until(3)
    assert cluster.gist("b") == "Running ready"


def test_who_ran_already_and_is_gone_at_once_leaves_its_room() -> None:
    cluster = Cluster()
    cluster.create(pod("a", "4"))
    cluster.run_until(1)
    cluster.driver.restart(cluster.kubelets, SimulatedKubelets())
    cluster.run_until(2)
    cluster.delete("a", 0)
    cluster.run_until(3)
    cluster.create(pod("b", "4"))
    cluster.run_until(4)
    assert cluster.gist("b") == "Running ready"


def test_a_critical_pod_stops_others_and_starts_when_they_have() -> None:
    cluster = Cluster()
    cluster.create(pod("small", "1"), termination="2s")
    cluster.create(pod("large", "3"), termination="7s")
    cluster.run_until(10)
    cluster.create(pod("critical", "2", **CRITICAL))
    assert cluster.story("critical", 30)[-1] == (17, "Running ready")
    assert (cluster.gist("small"), cluster.gist("large")) == ("Running ready", "Failed")
    status = cluster.status("large")
    assert status["reason"] == "Preempting"
    (target,) = (one for one in status["conditions"] if one["type"] == "DisruptionTarget")
    assert target["reason"] == "TerminationByKubelet"
    assert target["message"] == "Pod was preempted by Kubelet to accommodate a critical pod."
    assert ("Preempting", "Preempted in order to admit critical pod") in cluster.events()


def test_a_critical_pod_that_is_too_large_fails() -> None:
    cluster = Cluster()
    cluster.create(pod("other", "1"))
    cluster.run_until(1)
    cluster.create(pod("critical", "5", **CRITICAL))
    cluster.run_until(2)
    assert cluster.status("critical")["reason"] == "UnexpectedAdmissionError"
    assert cluster.status("critical")["message"].endswith("[(res: cpu, q: 2000), ]")
    assert cluster.gist("other") == "Running ready"


def test_nodes_are_registered_if_they_are_missing() -> None:
    cluster = Cluster(1, register=(node("n1", unknown=True), node("n2")))
    assert cluster.get("Node", "n2")["status"]["allocatable"]["cpu"] == "4"
    assert "unknown" not in cluster.get("Node", "n1")["status"]
    assert conditions(cluster, "n2")["Ready"] == "True"


def test_nodes_without_the_mark_are_left_alone_where_not_all_are_simulated() -> None:
    cluster = Cluster(1, NodeSettings(simulates_all=False))
    cluster.create(pod("p"))
    cluster.run_until(60)
    assert (cluster.writes, cluster.gist("p")) == ([], "Pending")
    cluster.annotate("n1", simulated="true")
    cluster.run_until(61)
    assert cluster.gist("p") == "Running ready"
    cluster.annotate("n1", simulated=None)
    cluster.delete("p")
    cluster.run_until(120)
    assert cluster.gist("p") == "Running terminating ready"


def test_pods_of_a_node_that_is_not_there_wait_for_it() -> None:
    cluster = Cluster(0)
    cluster.create(pod("p"))
    cluster.run_until(10)
    assert cluster.gist("p") == "Pending"
    cluster.create(node("n1"))
    cluster.run_until(11)
    assert cluster.gist("p") == "Running ready"


def test_agents_that_restart_go_on_where_they_were() -> None:
    cluster = Cluster()
    cluster.create(pod("job", restartPolicy="Never"), run_duration="60s")
    cluster.create(pod("crashes"), run_duration="2s", exit_code="1")
    cluster.create(pod("slow"), startup="50s")
    cluster.create(pod("going"))
    cluster.run_until(19)
    cluster.delete("going", 30)
    cluster.run_until(20)
    writes = len(cluster.writes)
    cluster.driver.restart(cluster.kubelets, SimulatedKubelets(cluster.settings))
    cluster.run_until(20.5)
    assert [type(effect) for effect in cluster.writes[writes:]] == [Create, Patch]
    assert cluster.story("slow", 55)[-1] == (50, "Running ready")
    cluster.run_until(70)
    names = ("job", "crashes", "going")
    assert [cluster.gist(name) for name in names] == ["Succeeded", "Running", "gone"]
    assert cluster.status("job")["containerStatuses"][0]["state"]["terminated"]["finishedAt"] == (
        "2026-01-01T00:01:00Z"
    )
    assert cluster.status("crashes")["containerStatuses"][0]["restartCount"] == 3


def test_a_running_pod_that_is_loaded_is_left_as_it_is() -> None:
    cluster = Cluster()
    cluster.create(pod("p"))
    ready = [{"type": "Ready", "status": "True"}]
    cluster.driver.crash(cluster.kubelets)
    cluster.patch("Pod", "p", {"status": {"phase": "Running", "conditions": ready}}, "status")
    cluster.writes.clear()
    cluster.driver.restart(cluster.kubelets, SimulatedKubelets())
    cluster.run_until(10)
    about_pods = [one for one in cluster.writes if getattr(one, "kind", "") == "Pod"]
    assert about_pods == []


def test_a_pod_that_is_loaded_from_a_later_time_ends_like_others() -> None:
    cluster = Cluster()
    cluster.create(pod("p"))
    cluster.driver.crash(cluster.kubelets)
    status = {"phase": "Running", "startTime": "2027-01-01T00:00:00Z"}
    cluster.patch("Pod", "p", {"status": status}, "status")
    cluster.driver.restart(cluster.kubelets, SimulatedKubelets())
    cluster.run_until(1)
    cluster.delete("p", 5)
    cluster.run_until(6)
    assert cluster.gist("p") == "gone"


def test_pods_that_run_count_before_others_are_admitted() -> None:
    cluster = Cluster()
    cluster.create(pod("runs", "4"))
    cluster.run_until(1)
    cluster.driver.crash(cluster.kubelets)
    cluster.create(pod("a-new-one", "1"))
    cluster.driver.restart(cluster.kubelets, SimulatedKubelets())
    cluster.run_until(2)
    assert cluster.status("a-new-one")["reason"] == "OutOfcpu"
    assert cluster.gist("runs") == "Running ready"


def test_addresses_in_use_are_not_given_again() -> None:
    cluster = Cluster()
    cluster.create(pod("old"))
    cluster.run_until(1)
    cluster.driver.restart(cluster.kubelets, SimulatedKubelets())
    cluster.create(pod("new"))
    cluster.run_until(2)
    assert cluster.status("old")["podIP"] != cluster.status("new")["podIP"]


def test_news_that_come_late_change_nothing() -> None:
    cluster = Cluster(latency=Latency(news_s=1))
    cluster.run_until(1)
    cluster.create(pod("large", "4"), termination="1s")
    uid = cluster.get("Pod", "large", "default")["metadata"]["uid"]
    cluster.run_until(10)
    cluster.delete("large")
    cluster.run_until(15)
    cluster.create(pod("next", "4"))
    cluster.run_until(20)
    assert (cluster.gist("large"), cluster.gist("next")) == ("gone", "Running ready")
    kubelets = cluster.kubelets.machine
    assert isinstance(kubelets, SimulatedKubelets)
    assert kubelets.kubelets["n1"].pods.get(uid) is None


def test_a_status_that_does_not_come_through_is_written_again() -> None:
    hand = Hand(SimulatedKubelets())
    never_ready = {"podium.dev/run-duration": "5s", "podium.dev/ready-after": "never"}
    hand.start(node(), pod("p", annotations=never_ready))
    hand.run(0)
    (restart,) = hand.wake(5)
    assert hand.refuse(restart, "InternalError", 500) == []
    (again,) = hand.wake(6)
    assert isinstance(again, Patch)
    assert again.body["status"]["containerStatuses"][0]["restartCount"] == 1


def test_kubelets_look_after_all_news_that_have_gathered_at_once() -> None:
    hand = Hand(SimulatedKubelets(NodeSettings(gathers_s=0.05)))
    hand.start(node())
    hand.wake(0)
    for name in ("p", "q"):
        hand.tell(pod(name))
    assert hand.wake(0.04) == []
    patches = [one for one in hand.wake(0.06) if isinstance(one, Patch)]
    assert [one.name for one in patches] == ["p", "q"]


def test_pods_get_ready_on_a_node_that_comes_back_with_another_address() -> None:
    cluster = Cluster(2)
    cluster.create(pod("p"), ready_after="30s")
    cluster.run_until(10)
    before = cluster.status("p")["hostIP"]
    cluster.server.delete(Attributes(KINDS["Node"], "", "n1", cluster.driver.now_s))
    cluster.run_until(11)
    cluster.create(node("n1"))
    assert cluster.story("p", 40)[-1] == (30, "Running ready")
    status = cluster.status("p")
    assert status["hostIP"] != before
    assert status["hostIPs"] == [{"ip": status["hostIP"]}]


FAULTS = Faults(refused=0.2, unanswered=0.1, repeated=0.1, broken_watches=0.05, restarts=0.02)


@pytest.mark.parametrize("seed", range(5))
def test_whatever_goes_wrong_pods_come_to_run_and_to_go(seed: int) -> None:
    settings = NodeSettings(behaviour=Behaviour(startup=fixed(1), termination=fixed(2)), seed=seed)
    latency = Latency(apply_s=0.05, answer_s=0.05, news_s=0.1, is_exponential=True)
    cluster = Cluster(3, settings, faults=FAULTS, latency=latency)
    for number in range(30):
        cluster.create(pod(f"p{number}", on=f"n{number % 3 + 1}"))
    cluster.run_until(60)
    for number in range(0, 30, 2):
        cluster.delete(f"p{number}")
    cluster.run_until(400)
    found: list[Any] = [cluster.gist(f"p{number}") for number in range(30)]
    assert found == ["gone", "Running ready"] * 15


def test_nobody_finished_is_touched_again() -> None:
    cluster = Cluster()
    cluster.create(pod("p", restartPolicy="Never"), run_duration="1s")
    cluster.run_until(2)
    writes = len(cluster.writes)
    cluster.driver.restart(cluster.kubelets, SimulatedKubelets())
    cluster.run_until(100)
    assert is_finished(cluster.get("Pod", "p", "default"))
    assert not [one for one in cluster.writes[writes:] if getattr(one, "kind", "") == "Pod"]
