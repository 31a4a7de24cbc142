"""A real node's agent, on a made-up machine in virtual time."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.kubelet.containers.container import Handler, StopSignal
from tests.kubelet.real.acting import GI, START_S, Script, Stage, container, pod

MI = 2**20
EARLIER, LATER = "2027-01-15T07:00:00Z", "2027-01-15T07:30:00Z"


@pytest.fixture
def stage() -> Stage:
    """A node that is registered."""
    made = Stage()
    made.advance(1)
    return made


def resumed(stage: Stage, state: dict[str, Any], policy: str) -> dict[str, Any]:
    """The status of a container after the agent has started anew, a second later."""
    told = {"name": "a", "restartCount": 2, "state": state}
    status = {"phase": "Running", "startTime": EARLIER, "containerStatuses": [told]}
    stage.put({**pod("a", restartPolicy=policy), "status": status}, a=Script())
    stage.advance(1)
    (told,) = stage.status("a")["containerStatuses"]
    return told


def test_what_had_ended_before_the_agent_started_anew_has_ended_so(stage: Stage) -> None:
    ended = {
        "exitCode": 137,
        "reason": "OOMKilled",
        "message": "too much",
        "startedAt": EARLIER,
        "finishedAt": LATER,
    }
    told = resumed(stage, {"terminated": ended}, "Never")
    assert told["state"]["terminated"].items() >= ended.items()
    assert told["restartCount"] == 2
    assert stage.status("a")["phase"] == "Failed"
    assert "a" not in stage.starts


def test_what_ran_before_the_agent_started_anew_is_lost_and_restarted(stage: Stage) -> None:
    told = resumed(stage, {"running": {"startedAt": EARLIER}}, "Always")
    assert "running" in told["state"]
    lost = told["lastState"]["terminated"]
    assert (lost["reason"], lost["startedAt"]) == ("ContainerStatusUnknown", EARLIER)
    assert told["restartCount"] == 3


def test_containers_dont_wait_for_an_api_that_doesnt_answer(stage: Stage) -> None:
    probe = {"exec": {"command": ["x"]}, "periodSeconds": 5, "failureThreshold": 2}
    stage.put(pod("crashes"), crashes=Script(runs_s=1.0, code=1))
    stage.put(pod("late", activeDeadlineSeconds=20), late=Script(obeys_s=None))
    hangs = Script(obeys_s=0.0, answers={Handler.LIVENESS: (False, 0.0)})
    stage.put(pod("hangs", container("hangs", livenessProbe=probe)), hangs=hangs)
    stage.advance(0.5)
    stage.is_cut_off = True
    stage.advance(60)
    assert [len(stage.starts[name]) for name in ("crashes", "hangs")] == [4, 4]
    assert not stage.alive
    assert ("late", StopSignal.KILL) in [one[1:] for one in stage.signals]


def test_what_is_missing_is_waited_for_without_a_restart(stage: Stage) -> None:
    stage.put(pod("a"), a=Script(lacks='secret "s" not found'))
    stage.advance(1)
    waiting = stage.status("a")["containerStatuses"][0]["state"]["waiting"]
    assert waiting == {"reason": "CreateContainerConfigError", "message": 'secret "s" not found'}
    stage.scripts["a"] = Script()
    stage.advance(11)
    status = stage.status("a")
    assert status["phase"] == "Running"
    assert status["containerStatuses"][0]["restartCount"] == 0


def test_a_pod_whose_init_container_fails_for_good_has_failed(stage: Stage) -> None:
    init = [container("one")]
    made = pod("a", initContainers=init, restartPolicy="Never")
    stage.put(made, one=Script(runs_s=1.0, code=1))
    stage.advance(5)
    assert stage.status("a")["phase"] == "Failed"
    assert "a" not in stage.starts


@pytest.mark.parametrize(
    ("took_s", "sent_s"),
    [
        pytest.param(4.0, (4, 10), id="a hook comes first, and counts"),
        pytest.param(60.0, (10, 12), id="a hook that takes all the time leaves two seconds"),
    ],
)
def test_a_deleted_pods_hook_is_part_of_its_grace_period(
    stage: Stage, took_s: float, sent_s: tuple[int, int]
) -> None:
    script = Script(obeys_s=None, answers={Handler.PRE_STOP: (True, took_s)})
    hook = {"lifecycle": {"preStop": {"exec": {"command": ["x"]}}}}
    stage.put(pod("a", container("a", **hook)), a=script)
    stage.advance(2)
    began_s = stage.now_s - START_S
    stage.delete("a", 10)
    stage.advance(60)
    sent = [(round(at_s - began_s), signal) for at_s, _, signal in stage.signals]
    assert sent == list(zip(sent_s, (StopSignal.TERM, StopSignal.KILL), strict=True))


def test_a_pod_that_is_gone_at_once_doesnt_run_on(stage: Stage) -> None:
    stage.put(pod("a"), a=Script(obeys_s=None))
    stage.advance(2)
    stage.forget("a")
    stage.advance(5)
    assert not stage.alive


def test_memory_pressure_is_noticed_within_a_second_and_evicts_who_exceeds_its_request() -> None:
    stage = Stage({"evictionHard": {"memory.available": "1Gi"}})
    # Just after a look at everything, the next of which is ten seconds away.
    stage.advance(1)
    modest = {"resources": {"requests": {"memory": "2Gi"}}}
    stage.put(pod("modest", container("modest", **modest)), modest=Script(memory_bytes=GI))
    stage.put(pod("greedy"), greedy=Script(memory_bytes=GI))
    stage.advance(2)
    assert [stage.status(name)["phase"] for name in ("modest", "greedy")] == ["Running"] * 2
    stage.scripts["greedy"].memory_bytes = 4 * GI + 512 * MI
    stage.advance(2.1)
    status = stage.status("greedy")
    assert (status["phase"], status["reason"]) == ("Failed", "Evicted")
    assert stage.status("modest")["phase"] == "Running"
    assert stage.node is not None
    conditions = {one["type"]: one["status"] for one in stage.node["status"]["conditions"]}
    assert conditions["MemoryPressure"] == "True"
    assert "NodeHasInsufficientMemory" in stage.records["worker"]


@pytest.mark.parametrize(("waste", "phase"), [(3 * GI, "Running"), (GI, "Failed")])
def test_what_nobody_needs_is_thrown_away_before_anybody_is_evicted(waste: int, phase: str) -> None:
    stage = Stage({"evictionHard": {"nodefs.available": "10Gi"}})
    stage.advance(1)
    stage.put(pod("a"))
    stage.disk_bytes, stage.waste_bytes = 8 * GI, waste
    stage.advance(15)
    assert stage.waste_bytes == 0
    assert stage.status("a")["phase"] == phase


def test_whoever_exceeds_its_own_limit_is_killed_and_restarted(stage: Stage) -> None:
    limit = {"resources": {"limits": {"memory": "100Mi"}}}
    stage.put(pod("a", container("a", **limit)), a=Script(memory_bytes=200 * MI))
    stage.advance(1.5)
    ended = stage.status("a")["containerStatuses"][0]["lastState"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (137, "OOMKilled")


def test_the_end_takes_everybody_along(stage: Stage) -> None:
    stage.put(pod("a"), a=Script(obeys_s=3.0))
    stage.put(pod("b"), b=Script(obeys_s=None))
    stage.advance(2)
    stage.end()
    stage.put(pod("late"))
    stage.advance(10)
    assert stage.status("a")["reason"] == "Terminated"
    assert stage.status("late")["reason"] == "NodeShutdown"
    assert not stage.has_ended
    stage.advance(25)
    assert stage.has_ended
    assert not stage.alive
    assert stage.node is not None
    ready = [one for one in stage.node["status"]["conditions"] if one["type"] == "Ready"]
    assert (ready[0]["status"], ready[0]["message"]) == ("False", "node is shutting down")


def test_a_node_ends_without_an_api_server(stage: Stage) -> None:
    stage.put(pod("a"), a=Script(obeys_s=3.0))
    stage.advance(2)
    stage.is_cut_off = True
    stage.end()
    stage.advance(12)
    assert not stage.has_ended
    stage.advance(2)
    assert stage.has_ended
    assert not stage.alive


def test_a_node_that_somebody_deletes_stays_deleted(stage: Stage) -> None:
    stage.take_node_away()
    stage.advance(60)
    assert stage.node is None


SPANS = st.one_of(st.none(), st.floats(0.0, 40.0))


@given(
    scripts=st.lists(
        st.builds(Script, runs_s=SPANS, code=st.integers(0, 1), obeys_s=SPANS),
        min_size=3,
        max_size=3,
    ),
    policy=st.sampled_from(["Always", "OnFailure", "Never"]),
    deleted_s=st.floats(0.0, 100.0),
    grace_period_s=st.integers(0, 40),
)
def test_whatever_happens_a_deleted_pod_is_gone_in_time(
    scripts: list[Script], policy: str, deleted_s: float, grace_period_s: int
) -> None:
    stage = Stage()
    init = [container("side", restartPolicy="Always")]
    made = pod("a", container("x"), container("y"), initContainers=init, restartPolicy=policy)
    stage.put(made, **dict(zip(("side", "x", "y"), scripts, strict=True)))
    stage.advance(deleted_s)
    stage.delete("a", grace_period_s)
    before = {name: len(times) for name, times in stage.starts.items()}
    stage.advance(grace_period_s + 5.0)
    assert "a" not in stage.pods
    assert not stage.alive
    assert {name: len(times) for name, times in stage.starts.items()} == before
