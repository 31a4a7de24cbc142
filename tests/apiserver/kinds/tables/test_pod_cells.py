"""The READY, STATUS and RESTARTS columns of pods in all the states that they get into."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.kinds.tables.columns import row_of
from podium.apiserver.kinds.tables.pod_cells import ready, restarts, status

NOW_S = 1_000.0
RUNNING = {"running": {}}


def pod(*, init: list[dict[str, Any]] | None = None, metadata: Any = None, **of_status: Any):
    """A pod with two containers and, for each of `init`, an init container."""
    return {
        "metadata": {"name": "p", **(metadata or {})},
        "spec": {"initContainers": init or [], "containers": [{"name": "a"}, {"name": "b"}]},
        "status": {"phase": "Running", **of_status},
    }


def container(name: str, state: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": name, "state": state, **more}


def waiting(reason: str) -> dict[str, Any]:
    return {"waiting": {"reason": reason}}


def terminated(exit_code: int, **more: Any) -> dict[str, Any]:
    return {"terminated": {"exitCode": exit_code, **more}}


def ended(finished_at: str) -> dict[str, Any]:
    return {"lastState": {"terminated": {"exitCode": 1, "finishedAt": finished_at}}}


def cells(one: Any) -> tuple[str, str, str]:
    return ready(one, NOW_S), status(one, NOW_S), restarts(one, NOW_S)


def test_a_new_pod():
    assert cells(pod(phase="Pending")) == ("0/2", "Pending", "0")


def test_a_gated_pod():
    gated = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}
    assert status(pod(phase="Pending", conditions=[gated]), NOW_S) == "SchedulingGated"


def test_all_running():
    running = [container(one, RUNNING, ready=True) for one in "ab"]
    assert cells(pod(containerStatuses=running)) == ("2/2", "Running", "0")


def test_the_first_container_with_a_reason_has_the_say():
    statuses = [
        container("a", RUNNING, ready=True),
        container(
            "b", waiting("CrashLoopBackOff"), restartCount=3, **ended("1970-01-01T00:11:40Z")
        ),
    ]
    assert cells(pod(containerStatuses=statuses)) == ("1/2", "CrashLoopBackOff", "3 (5m ago)")


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (terminated(1, reason="OOMKilled"), "OOMKilled"),
        (terminated(137, signal=9), "Signal:9"),
        (terminated(2), "ExitCode:2"),
        (waiting("ImagePullBackOff"), "ImagePullBackOff"),
    ],
)
def test_reasons_of_containers(state, reason):
    assert status(pod(containerStatuses=[container("a", state)]), NOW_S) == reason
    init = pod(init=[{"name": "i"}], initContainerStatuses=[container("i", state)])
    assert status(init, NOW_S) == f"Init:{reason}"


@pytest.mark.parametrize(("is_ready", "told"), [("True", "Running"), ("False", "NotReady")])
def test_completed_while_another_runs(is_ready, told):
    statuses = [
        container("a", terminated(0, reason="Completed")),
        container("b", RUNNING, ready=True),
    ]
    condition = {"type": "Ready", "status": is_ready}
    assert status(pod(containerStatuses=statuses, conditions=[condition]), NOW_S) == told


def test_the_first_init_container_that_is_not_done_counts():
    init = [{"name": "one"}, {"name": "two"}, {"name": "three"}]
    statuses = [
        container("one", terminated(0), restartCount=2),
        container("two", waiting("PodInitializing"), restartCount=1),
        container("three", waiting("PodInitializing"), restartCount=7),
    ]
    assert cells(pod(init=init, initContainerStatuses=statuses)) == ("0/2", "Init:1/3", "3")


def test_restarts_of_init_containers_are_forgotten_once_all_are_done():
    done = container("i", terminated(0), restartCount=2)
    one = pod(init=[{"name": "i"}], initContainerStatuses=[done])
    assert restarts(one, NOW_S) == "0"


def test_a_sidecar_counts_as_a_container():
    sidecar = {"name": "s", "restartPolicy": "Always"}
    started = container("s", RUNNING, ready=True, started=True, restartCount=1)
    one = pod(
        init=[sidecar],
        initContainerStatuses=[started],
        containerStatuses=[container("a", RUNNING, ready=True)],
    )
    assert cells(one) == ("2/3", "Running", "1")


def test_terminating_unless_finished():
    deleted = {"deletionTimestamp": "1970-01-01T00:00:00Z"}
    assert status(pod(metadata=deleted), NOW_S) == "Terminating"
    assert status(pod(metadata=deleted, phase="Failed"), NOW_S) == "Failed"
    assert status(pod(metadata=deleted, reason="NodeLost"), NOW_S) == "Unknown"


def test_the_reason_of_the_status_goes_before_the_phase():
    assert status(pod(phase="Failed", reason="Evicted"), NOW_S) == "Evicted"


def test_wide_columns():
    one = pod(
        podIPs=[{"ip": "10.0.0.1"}],
        nominatedNodeName="n2",
        conditions=[{"type": "x", "status": "True"}],
    )
    one["spec"] |= {
        "nodeName": "n1",
        "readinessGates": [{"conditionType": "x"}, {"conditionType": "y"}],
    }
    row = row_of(KINDS["Pod"], one, NOW_S)
    assert row["cells"][5:] == ["10.0.0.1", "n1", "n2", "1/2"]


def test_a_finished_pod_is_marked_so_that_kubectl_can_grey_it_out():
    row = row_of(KINDS["Pod"], pod(phase="Succeeded"), NOW_S)
    assert [one["reason"] for one in row["conditions"]] == ["Succeeded"]
