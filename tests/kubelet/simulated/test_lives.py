"""The lives of pods on a simulated node, told by what the API shows of them."""

from itertools import pairwise
from typing import Any

import pytest

from podium.kubelet.simulated.behaviour import Behaviour, NodeSettings, fixed
from podium.machines.effects import Delete, Patch
from tests.kubelet.builders import pod
from tests.kubelet.cluster import Cluster

JOB = {"restartPolicy": "Never"}


@pytest.mark.parametrize(
    ("annotations", "spec", "story"),
    [
        ({}, {}, [(0, "Running ready")]),
        (
            {"startup": "2s", "ready_after": "5s"},
            {},
            [(0, "Pending"), (2, "Running"), (7, "Running ready")],
        ),
        ({"ready_after": "never"}, {}, [(0, "Running")]),
        ({"run_duration": "10s"}, JOB, [(0, "Running ready"), (10, "Succeeded")]),
        ({"run_duration": "10s", "exit_code": "3"}, JOB, [(0, "Running ready"), (10, "Failed")]),
        (
            {"run_duration": "10s"},
            {"restartPolicy": "OnFailure"},
            [(0, "Running ready"), (10, "Succeeded")],
        ),
        (
            {"startup": "5s", "run_duration": "1h"},
            {"activeDeadlineSeconds": 20, "terminationGracePeriodSeconds": 3},
            [(0, "Pending"), (5, "Running ready"), (23, "Failed")],
        ),
    ],
)
def test_a_pod_lives_as_scripted(
    annotations: dict[str, str], spec: dict[str, Any], story: list[tuple[float, str]]
) -> None:
    cluster = Cluster()
    cluster.create(pod("p", **spec), **annotations)
    assert cluster.story("p", 60) == story


@pytest.mark.parametrize(
    ("annotations", "spec", "grace_s", "gone_s"),
    [
        ({}, {}, None, 40),
        ({"termination": "4s"}, {}, None, 14),
        ({"termination": "40s"}, {}, None, 40),
        ({"termination": "4s"}, {}, 2, 12),
        (
            {"termination": "1s"},
            {
                "containers": [
                    {"name": "c", "image": "i", "lifecycle": {"preStop": {"sleep": {"seconds": 5}}}}
                ]
            },
            None,
            16,
        ),
        (
            {},
            {
                "containers": [
                    {"name": "c", "image": "i", "lifecycle": {"preStop": {"sleep": {"seconds": 9}}}}
                ]
            },
            5,
            17,
        ),
    ],
)
def test_a_deleted_pod_is_gone_when_it_has_terminated(
    annotations: dict[str, str], spec: dict[str, Any], grace_s: int | None, gone_s: int
) -> None:
    cluster = Cluster()
    cluster.create(pod("p", **spec), **annotations)
    cluster.run_until(10)
    cluster.delete("p", grace_s)
    cluster.run_until(gone_s - 0.1)
    assert "terminating" in cluster.gist("p")
    cluster.run_until(gone_s)
    assert cluster.gist("p") == "gone"


def test_who_has_not_started_is_gone_at_once() -> None:
    cluster = Cluster()
    cluster.create(pod("p"), startup="1m")
    cluster.run_until(10)
    cluster.delete("p")
    cluster.run_until(10)
    assert cluster.gist("p") == "gone"


def test_a_second_deletion_may_hurry_the_first() -> None:
    cluster = Cluster()
    cluster.create(pod("p"))
    cluster.run_until(10)
    cluster.delete("p", 100)
    cluster.run_until(20)
    cluster.delete("p", 5)
    assert cluster.story("p", 60)[-1] == (25, "gone")


def test_a_short_life_takes_two_writes() -> None:
    cluster = Cluster()
    cluster.create(pod("p"))
    cluster.run_until(100)
    cluster.delete("p")
    cluster.run_until(200)
    assert [type(effect) for effect in cluster.writes] == [Patch, Delete]


def test_who_is_held_by_a_finalizer_tells_how_it_ended() -> None:
    cluster = Cluster()
    held = pod("p")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    cluster.create(held)
    cluster.run_until(1)
    cluster.delete("p", 5)
    cluster.run_until(6)
    assert cluster.gist("p") == "Failed terminating"
    state = cluster.status("p")["containerStatuses"][0]["state"]
    assert state["terminated"]["exitCode"] == 137
    cluster.patch("Pod", "p", {"metadata": {"finalizers": None}})
    cluster.run_until(6)
    assert cluster.gist("p") == "gone"


def test_restarts_wait_longer_and_longer() -> None:
    cluster = Cluster()
    cluster.create(pod("p"), run_duration="1s", exit_code="1")
    starts = []
    for second in range(600):
        cluster.run_until(second)
        container = cluster.status("p")["containerStatuses"][0]
        if container["restartCount"] >= len(starts):
            starts.append(second)
    waits = [later - earlier - 1 for earlier, later in pairwise(starts)]
    assert waits == [0, 10, 20, 40, 80, 160]
    assert container["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert container["state"]["waiting"]["message"] == (
        "back-off 5m0s restarting failed container=c pod=p_default(uid)"
    ).replace("uid", cluster.get("Pod", "p", "default")["metadata"]["uid"])
    assert container["lastState"]["terminated"]["exitCode"] == 1
    assert cluster.gist("p") == "Running"


def test_a_long_run_makes_the_next_restart_immediate() -> None:
    cluster = Cluster()
    cluster.create(pod("p"), run_duration="11m", exit_code="1")
    cluster.run_until(3 * 11 * 60)
    assert cluster.status("p")["containerStatuses"][0]["restartCount"] == 3


def test_init_containers_run_one_after_another() -> None:
    inits = [{"name": "a", "image": "i"}, {"name": "b", "image": "i"}]
    cluster = Cluster()
    cluster.create(pod("p", initContainers=inits), init_duration="10s")
    cluster.run_until(15)
    status = cluster.status("p")
    states = [next(iter(one["state"])) for one in status["initContainerStatuses"]]
    assert states == ["terminated", "running"]
    (initialized,) = (one for one in status["conditions"] if one["type"] == "Initialized")
    assert initialized["message"] == "containers with incomplete status: [b]"
    assert cluster.story("p", 25)[-1] == (20, "Running ready")
    (initialized,) = (
        one for one in cluster.status("p")["conditions"] if one["type"] == "Initialized"
    )
    assert "message" not in initialized
    assert initialized["lastTransitionTime"] == "2026-01-01T00:00:20Z"


def test_sidecars_start_in_their_turn_and_end_with_the_others() -> None:
    inits = [
        {"name": "a", "image": "i"},
        {"name": "side", "image": "i", "restartPolicy": "Always"},
        {"name": "b", "image": "i"},
    ]
    cluster = Cluster()
    made = pod("p", initContainers=inits, **JOB)
    cluster.create(made, init_duration="10s", run_duration="5s")
    cluster.run_until(15)
    states = {one["name"]: one["state"] for one in cluster.status("p")["initContainerStatuses"]}
    assert states["side"] == {"running": {"startedAt": "2026-01-01T00:00:10Z"}}
    cluster.run_until(25)
    states = {one["name"]: one["state"] for one in cluster.status("p")["initContainerStatuses"]}
    assert states["side"]["terminated"]["finishedAt"] == "2026-01-01T00:00:25Z"
    assert cluster.gist("p") == "Succeeded"


def test_a_running_pod_says_where_it_is_and_since_when() -> None:
    cluster = Cluster(2)
    cluster.create(pod("p"))
    cluster.create(pod("q", on="n2"))
    cluster.create(pod("host", hostNetwork=True))
    cluster.run_until(1)
    status = cluster.status("p")
    assert status["startTime"] == "2026-01-01T00:00:00Z"
    assert status["qosClass"] == "Burstable"
    assert status["containerStatuses"][0]["state"] == {
        "running": {"startedAt": "2026-01-01T00:00:00Z"}
    }
    assert status["podIP"] != cluster.status("q")["podIP"]
    assert status["hostIP"] == cluster.status("host")["podIP"] != cluster.status("q")["hostIP"]
    kinds = [one["type"] for one in status["conditions"]]
    assert kinds == ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"]


def test_readiness_gates_hold_readiness_back() -> None:
    cluster = Cluster()
    cluster.create(pod("p", readinessGates=[{"conditionType": "example.com/up"}]))
    cluster.run_until(1)
    assert cluster.gist("p") == "Running"
    conditions = cluster.status("p")["conditions"]
    opened = [*conditions, {"type": "example.com/up", "status": "True"}]
    cluster.patch("Pod", "p", {"status": {"conditions": opened}}, "status")
    cluster.run_until(2)
    assert cluster.gist("p") == "Running ready"


def test_what_others_write_into_a_status_is_put_right() -> None:
    cluster = Cluster()
    cluster.create(pod("p"))
    cluster.run_until(1)
    wrong = [{**one, "status": "False"} for one in cluster.status("p")["conditions"]]
    cluster.patch("Pod", "p", {"status": {"conditions": wrong}}, "status")
    assert cluster.gist("p") == "Running"
    cluster.run_until(2)
    assert cluster.gist("p") == "Running ready"


def test_chance_is_settled_by_the_seed() -> None:
    def ends(seed: int) -> list[tuple[float, str]]:
        cluster = Cluster(settings=NodeSettings(seed=seed))
        cluster.create(pod("p", **JOB), run_duration="~20s", startup="1s..9s")
        return cluster.story("p", 120)

    assert ends(1) == ends(1) != ends(2)


def test_defaults_go_for_who_says_nothing_and_nodes_for_their_pods() -> None:
    cluster = Cluster(2, NodeSettings(behaviour=Behaviour(startup=fixed(3), ready_after=fixed(2))))
    cluster.annotate("n2", startup="10s")
    cluster.create(pod("p"))
    cluster.create(pod("q", on="n2"))
    cluster.create(pod("own", on="n2"), startup="1s")
    assert cluster.story("p", 20)[1:] == [(3, "Running"), (5, "Running ready")]
    times = {
        name: cluster.status(name)["containerStatuses"][0]["state"]["running"]["startedAt"][-3:]
        for name in ("q", "own")
    }
    assert times == {"q": "10Z", "own": "01Z"}


def test_lives_are_recorded_on_request() -> None:
    cluster = Cluster(settings=NodeSettings(records_lives=True))
    cluster.create(pod("p"), run_duration="5s")
    cluster.run_until(11)
    cluster.delete("p")
    cluster.run_until(20)
    reasons = sorted({reason for reason, _ in cluster.events()})
    assert reasons == ["BackOff", "Created", "Pulled", "Started"]
    assert ("Started", "Container started") in cluster.events()
