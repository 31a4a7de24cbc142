"""A real node's agent, on a made-up machine in virtual time."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.kubelet.containers.container import Handler, StopSignal
from tests.kubelet.real.acting import GI, Script, Stage, container, pod

MI = 2**20
EARLIER, LATER = "2027-01-15T07:00:00Z", "2027-01-15T07:30:00Z"


@pytest.fixture
def stage() -> Stage:
    """A node that is registered."""
    made = Stage()
    made.advance(1)
    return made


def test_a_node_registers_and_says_that_it_is_well(stage: Stage) -> None:
    assert stage.node is not None
    conditions = {one["type"]: one["status"] for one in stage.node["status"]["conditions"]}
    assert conditions == {
        "Ready": "True",
        "MemoryPressure": "False",
        "DiskPressure": "False",
        "PIDPressure": "False",
    }


def test_restarts_wait_longer_and_longer(stage: Stage) -> None:
    stage.put(pod("a"), a=Script(runs_s=1.0, code=1))
    stage.advance(100)
    began_s = stage.starts["a"][0]
    assert [round(at_s - began_s) for at_s in stage.starts["a"]] == [0, 1, 12, 33, 74]
    status = stage.status("a")["containerStatuses"][0]
    assert status["restartCount"] == 4
    assert status["state"]["waiting"]["reason"] == "CrashLoopBackOff"


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


@pytest.mark.parametrize(
    ("policy", "code", "starts", "phase"),
    [
        ("Never", 0, 1, "Succeeded"),
        ("Never", 1, 1, "Failed"),
        ("OnFailure", 0, 1, "Succeeded"),
        ("OnFailure", 1, 2, "Running"),
        ("Always", 0, 2, "Running"),
    ],
)
def test_the_policy_says_who_is_restarted(
    stage: Stage, policy: str, code: int, starts: int, phase: str
) -> None:
    stage.put(pod("a", restartPolicy=policy), a=Script(runs_s=1.0, code=code))
    stage.advance(5)
    assert len(stage.starts["a"]) == starts
    assert stage.status("a")["phase"] == phase


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


def test_init_containers_run_one_after_another_and_sidecars_end_last(stage: Stage) -> None:
    init = [container("one"), container("side", restartPolicy="Always"), container("two")]
    scripts = {"one": Script(runs_s=2.0), "two": Script(runs_s=3.0), "main": Script(runs_s=4.0)}
    made = pod("a", container("main"), initContainers=init, restartPolicy="Never")
    stage.put(made, side=Script(obeys_s=1.0), **scripts)
    stage.advance(20)
    began_s = stage.starts["one"][0]
    order = {name: round(at_s[0] - began_s) for name, at_s in stage.starts.items()}
    assert order == {"one": 0, "side": 2, "two": 2, "main": 5}
    assert [(round(at_s - began_s), name) for at_s, name, _ in stage.signals] == [(9, "side")]
    assert stage.status("a")["phase"] == "Succeeded"


def test_a_pod_whose_init_container_fails_for_good_has_failed(stage: Stage) -> None:
    init = [container("one")]
    made = pod("a", initContainers=init, restartPolicy="Never")
    stage.put(made, one=Script(runs_s=1.0, code=1))
    stage.advance(5)
    assert stage.status("a")["phase"] == "Failed"
    assert "a" not in stage.starts


def deleted(stage: Stage, script: Script, grace_period_s: int, **fields: Any) -> list[Any]:
    """What a container is sent when its pod is deleted: seconds since then, and which."""
    stage.put(pod("a", container("a", **fields)), a=script)
    stage.advance(2)
    began_s = stage.now_s - 1_800_000_000.0
    stage.delete("a", grace_period_s)
    stage.advance(60)
    assert "a" not in stage.pods
    return [(round(at_s - began_s), force) for at_s, _, force in stage.signals]


def test_whoever_obeys_isnt_killed(stage: Stage) -> None:
    assert deleted(stage, Script(obeys_s=3.0), 10) == [(0, StopSignal.TERM)]


def test_whoever_does_not_is(stage: Stage) -> None:
    sent = deleted(stage, Script(obeys_s=None), 10)
    assert sent == [(0, StopSignal.TERM), (10, StopSignal.KILL)]


def test_a_hook_comes_first_and_counts(stage: Stage) -> None:
    script = Script(obeys_s=None, answers={Handler.PRE_STOP: (True, 4.0)})
    hook = {"lifecycle": {"preStop": {"exec": {"command": ["x"]}}}}
    assert deleted(stage, script, 10, **hook) == [(4, StopSignal.TERM), (10, StopSignal.KILL)]


def test_a_hook_that_takes_all_the_time_leaves_two_seconds(stage: Stage) -> None:
    script = Script(obeys_s=None, answers={Handler.PRE_STOP: (True, 60.0)})
    hook = {"lifecycle": {"preStop": {"exec": {"command": ["x"]}}}}
    assert deleted(stage, script, 10, **hook) == [(10, StopSignal.TERM), (12, StopSignal.KILL)]


def test_a_second_deletion_may_make_it_sooner(stage: Stage) -> None:
    stage.put(pod("a"), a=Script(obeys_s=None))
    stage.advance(2)
    stage.delete("a", 30)
    stage.advance(5)
    stage.delete("a", 1)
    stage.advance(2)
    assert "a" not in stage.pods


def test_a_pod_that_is_gone_at_once_doesnt_run_on(stage: Stage) -> None:
    stage.put(pod("a"), a=Script(obeys_s=None))
    stage.advance(2)
    stage.forget("a")
    stage.advance(5)
    assert not stage.alive


def test_a_liveness_probe_restarts(stage: Stage) -> None:
    probe = {"exec": {"command": ["x"]}, "periodSeconds": 5, "failureThreshold": 2}
    script = Script(obeys_s=0.0, answers={Handler.LIVENESS: (False, 0.0)})
    stage.put(pod("a", container("a", livenessProbe=probe)), a=script)
    stage.advance(7)
    assert len(stage.starts["a"]) == 2
    assert stage.records["a"].count("Unhealthy") >= 2


def test_a_readiness_probe_only_tells(stage: Stage) -> None:
    probe = {"exec": {"command": ["x"]}, "periodSeconds": 1}
    script = Script(answers={Handler.READINESS: (False, 0.0)})
    stage.put(pod("a", container("a", readinessProbe=probe)), a=script)
    stage.advance(10)
    assert len(stage.starts["a"]) == 1
    assert not stage.status("a")["containerStatuses"][0]["ready"]
    script.answers = {}
    stage.advance(2)
    assert stage.status("a")["containerStatuses"][0]["ready"]


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


def test_a_soft_threshold_waits_for_its_grace_period() -> None:
    soft = {
        "evictionSoft": {"memory.available": "2Gi"},
        "evictionSoftGracePeriod": {"memory.available": "20s"},
        "evictionMaxPodGracePeriod": 5,
    }
    stage = Stage(soft)
    stage.put(pod("a"), a=Script(memory_bytes=5 * GI, obeys_s=None))
    stage.advance(19)
    assert stage.status("a")["phase"] == "Running"
    stage.advance(10)
    assert stage.status("a")["reason"] == "Evicted"
    (term_s, _, _), (kill_s, _, _) = stage.signals
    assert round(kill_s - term_s) == 5


def test_whoever_exceeds_its_own_limit_is_killed_and_restarted(stage: Stage) -> None:
    limit = {"resources": {"limits": {"memory": "100Mi"}}}
    stage.put(pod("a", container("a", **limit)), a=Script(memory_bytes=200 * MI))
    stage.advance(1.5)
    ended = stage.status("a")["containerStatuses"][0]["lastState"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (137, "OOMKilled")


def test_what_does_not_fit_is_refused(stage: Stage) -> None:
    large = {"resources": {"requests": {"cpu": "3"}}}
    stage.put(pod("a", container("a", **large)))
    stage.put(pod("b", container("b", **large)))
    stage.advance(1)
    assert stage.status("a")["phase"] == "Running"
    assert stage.status("b")["reason"] == "OutOfcpu"
    stage.delete("b", 30)
    stage.advance(2)
    assert "b" not in stage.pods


def test_a_critical_pod_gets_room(stage: Stage) -> None:
    large = {"resources": {"requests": {"cpu": "3"}}}
    stage.put(pod("a", container("a", **large)), a=Script(obeys_s=5.0))
    stage.advance(1)
    stage.put(pod("b", container("b", **large), priority=2_000_001_000))
    stage.advance(2)
    assert "b" not in stage.starts
    stage.advance(5)
    assert stage.status("a")["reason"] == "Preempting"
    assert stage.status("b")["phase"] == "Running"


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
