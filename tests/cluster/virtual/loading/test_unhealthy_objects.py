"""Pods and nodes of a loaded state that aren't healthy stay so, but for pods that are starting."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import condition_status
from podium.api.pods import is_ready
from podium.api.values.times import timestamp
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding.bodies import PatchType
from podium.apiserver.server import PatchRequest
from podium.cluster.virtual import Cluster, ClusterOptions
from podium.cluster.virtual.cluster_options import START_S
from podium.cluster.virtual.loading.unhealthy_objects import LATE_S, is_overdue, kept_node
from podium.kubelet.simulated.behaviour import DEFAULT_BEHAVIOUR, NodeSettings
from podium.whatif.plan.plan_report import Plan, Return
from tests import objects
from tests.objects import Obj, container, node, pod, workload
from tests.whatif.plan.plans import places, planned


def ago(seconds: float) -> str:
    return timestamp(START_S - seconds)


def conditions(ready: str, since_s: float = 0.0) -> list[Obj]:
    return [{"type": "Ready", "status": ready, "lastTransitionTime": ago(since_s)}]


def status(phase: str, state: Obj, *, started_s: float = 60.0, **fields: Any) -> Obj:
    """The status of a pod that was taken so long ago, with one container that isn't ready."""
    told = {"name": "c", "ready": False, "restartCount": 0, "state": state, **fields}
    since_s = told.pop("since_s", started_s)
    return {
        "phase": phase,
        "startTime": ago(started_s),
        "conditions": conditions("False", since_s),
        "containerStatuses": [told],
    }


def running(seconds: float) -> Obj:
    return {"running": {"startedAt": ago(seconds)}}


def waiting(reason: str) -> Obj:
    return {"waiting": {"reason": reason, "message": "why"}}


CRASHED = {"terminated": {"exitCode": 1, "startedAt": ago(40), "finishedAt": ago(30)}}
PROBED = {"initialDelaySeconds": 5, "periodSeconds": 15}


def loaded(*state: Obj, heals: bool = False) -> Cluster:
    nodes = NodeSettings(behaviour=DEFAULT_BEHAVIOUR)
    cluster = Cluster(ClusterOptions(settled=True, heals=heals, nodes=nodes))
    heard = {"type": "Ready", "status": "True", "lastHeartbeatTime": ago(0)}
    clock = {**node("clock"), "status": {"conditions": [heard]}}
    cluster.load([node("n", uid="n"), clock, *state])
    cluster.start()
    return cluster


def pod_of(cluster: Cluster) -> Any:
    return cluster.store.get("Pod", "default", "p")


def ready_after_s(cluster: Cluster) -> float | None:
    """When the pod becomes ready, in seconds after the start."""
    for at_s in range(1200):
        cluster.driver.run_until(START_S + at_s)
        if is_ready(pod_of(cluster)):
            return at_s
    return None


@pytest.mark.parametrize(
    "state",
    [
        status("Running", waiting("CrashLoopBackOff"), restartCount=9),
        status("Running", waiting("CrashLoopBackOff"), restartCount=9, lastState=CRASHED),
        status("Running", CRASHED),
        status("Running", running(50)),
        status("Running", running(50), since_s=20),
        status("Running", running(2), restartCount=3, lastState=CRASHED),
        status("Pending", waiting("ImagePullBackOff")),
        status("Pending", waiting("CreateContainerConfigError")),
        status("Pending", waiting("ContainerCreating"), started_s=3600),
        {
            "phase": "Pending",
            "containerStatuses": [{"name": "c", "state": waiting("ErrImagePull")}],
        },
        {"phase": "Running", "conditions": conditions("False")},
        {
            **status("Pending", waiting("PodInitializing")),
            "initContainerStatuses": [{"name": "i", "state": waiting("CrashLoopBackOff")}],
        },
    ],
)
@pytest.mark.parametrize("uid", ["", "u"])
def test_what_has_failed_stays_as_it_is_unless_all_is_to_heal(state: Obj, uid: str) -> None:
    sick = pod("p", on="n", uid=uid, created=ago(60), status=state)
    cluster = loaded(sick)
    before = pod_of(cluster)
    assert ready_after_s(cluster) is None
    assert pod_of(cluster)["status"] == before["status"]
    healed = ready_after_s(loaded(sick, heals=True))
    assert healed is not None


@pytest.mark.parametrize(
    ("state", "at_s"),
    [
        (None, 0),
        ({"phase": "Pending"}, 2),
        ({"phase": "Pending", "startTime": ago(1)}, 1),
        (status("Pending", waiting("ContainerCreating"), started_s=1), 1),
        # It is late, and takes as long again.
        (status("Pending", waiting("ContainerCreating"), started_s=60), 2),
        # Its probes have yet to succeed for the first time.
        (status("Running", running(8), started_s=10), 12),
        ({"phase": "Running"}, 0),
    ],
)
def test_what_is_starting_becomes_ready_in_its_time(state: Obj | None, at_s: float) -> None:
    probed = {**container(), "readinessProbe": PROBED}
    fields = {} if state is None else {"status": state}
    starting = pod("p", on="n", uid="u", created=ago(60), **fields)
    starting["spec"]["containers"] = [probed]
    if state is None:
        del starting["metadata"]["uid"]
    assert ready_after_s(loaded(starting)) == at_s


def test_scripts_of_its_own_go_on() -> None:
    scripted = pod("p", on="n", uid="u", status=status("Running", running(4)))
    scripted["metadata"]["annotations"] = {"podium.dev/ready-after": "10s"}
    assert ready_after_s(loaded(scripted)) == 6


def test_a_stuck_pod_goes_when_it_is_deleted_and_what_runs_of_it_takes_its_time() -> None:
    for state, at_s in ((waiting("CrashLoopBackOff"), 0.0), (running(50), 30.0)):
        stuck = pod("p", on="n", uid="u", status=status("Running", state))
        cluster = loaded(stuck)
        cluster.driver.advance(1)
        gone_s = cluster.driver.now_s + at_s
        cluster.server.delete(Attributes(KINDS["Pod"], "default", "p", cluster.driver.now_s))
        if at_s:
            cluster.driver.run_until(gone_s - 0.1)
            assert pod_of(cluster)
        cluster.driver.run_until(gone_s)
        assert pod_of(cluster) is None


@pytest.mark.parametrize(
    ("phase", "state", "restarts", "counted"),
    [
        ("Running", running(50), 0, 0),
        ("Running", waiting("CrashLoopBackOff"), 0, 1),
        ("Running", waiting("CrashLoopBackOff"), 9, 10),
        ("Pending", waiting("ImagePullBackOff"), 0, 0),
    ],
)
def test_without_its_annotation_a_stuck_pod_recovers_and_counts_its_restart(
    phase: str, state: Obj, restarts: int, counted: int
) -> None:
    stuck = status(phase, state, restartCount=restarts)
    cluster = loaded(pod("p", on="n", uid="u", status=stuck))
    cluster.driver.advance(10)
    body = {"metadata": {"annotations": {"podium.dev/stuck": None}}}
    what = Attributes(KINDS["Pod"], "default", "p", cluster.driver.now_s)
    cluster.server.patch(what, PatchRequest(PatchType.MERGE, body))
    cluster.driver.advance(1)
    assert is_ready(pod_of(cluster))
    (container_status,) = pod_of(cluster)["status"]["containerStatuses"]
    assert container_status["restartCount"] == counted


@pytest.mark.parametrize("told", ["False", "Unknown"])
@pytest.mark.parametrize("settled", [True, False])
def test_a_node_that_is_not_ready_stays_so(told: str, *, settled: bool) -> None:
    sick = node("sick", status={"conditions": conditions(told)})
    for heals, expected in ((False, told), (True, "True")):
        cluster = Cluster(ClusterOptions(settled=settled, heals=heals))
        cluster.load([sick])
        cluster.start()
        cluster.driver.advance(30)
        found = cluster.store.get("Node", "", "sick")
        assert found is not None
        assert condition_status(found, "Ready") == expected


def test_a_condition_without_a_type_says_nothing_of_a_node() -> None:
    odd = node("n", status={"conditions": [{"status": "True"}]})
    assert kept_node(odd) == odd


def test_a_pod_written_by_hand_is_as_ready_as_its_containers() -> None:
    told = [{"name": "c", "ready": False, "state": running(5)}]
    cluster = loaded(pod("p", on="n", status={"phase": "Running", "containerStatuses": told}))
    ready = [condition_status(pod_of(cluster), kind) for kind in ("Ready", "ContainersReady")]
    assert ready == ["False", "False"]


def test_a_pod_of_a_silent_node_heals_with_it() -> None:
    told = status("Running", running(50), ready=True)
    marked = pod("p", on="n", uid="u", status=told)
    assert ready_after_s(loaded(marked)) is None
    assert ready_after_s(loaded(marked, heals=True)) == 0


READY = {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-03-01T09:10:00Z"}
NOON_S = 1_772_366_400.0
SILENT = {**READY, "status": "Unknown"}


def leaving(until: str, **metadata: Any) -> Any:
    deleted = {"deletionTimestamp": until, "deletionGracePeriodSeconds": 3600}
    created = {"creationTimestamp": "2026-03-01T08:00:00Z", "uid": "old-uid"}
    status = {"phase": "Running", "startTime": "2026-03-01T08:00:00Z"}
    return pod("old", "4", on="n", metadata={**created, **deleted, **metadata}, status=status)


def plan_of(old: Any, ready: Any = READY, **settings: Any) -> Plan:
    return planned([node("n", status={"conditions": [ready]}), old], pod("want", "4"), **settings)


def said_of(outcome: Plan) -> str:
    (found,) = [one for one in outcome.warnings if "default/old" in one]
    return found


def test_a_pod_is_overdue_a_minute_after_its_grace_period() -> None:
    old = leaving("2026-03-01T12:00:00Z")
    assert not is_overdue(old, NOON_S + LATE_S)
    assert is_overdue(old, NOON_S + LATE_S + 1)
    assert not is_overdue(pod("there", on="n"), NOON_S)


@pytest.mark.parametrize(("until", "goes_s"), [("09:11:00", 60.0), ("09:09:50", 0.0)])
def test_a_pod_has_what_is_left_of_its_grace_period(until: str, goes_s: float) -> None:
    outcome = plan_of(leaving(f"2026-03-01T{until}Z"))
    assert [(one.pod, one.at) for one in outcome.placements] == [("default/want", goes_s)]
    assert not [one for one in outcome.warnings if "default/old" in one]


@pytest.mark.parametrize(
    ("old", "ready", "why"),
    [
        (
            leaving("2026-03-01T09:00:00Z", finalizers=["example.com/a", "example.com/b"]),
            READY,
            "held by the finalizers example.com/a, example.com/b",
        ),
        (leaving("2026-03-01T09:00:00Z"), SILENT, "node n doesn't answer; delete the Node, or"),
        (leaving("2026-03-01T09:00:00Z"), READY, "the state doesn't say why node n doesn't end it"),
    ],
    ids=["finalizers", "silent node", "unknown"],
)
def test_a_pod_that_is_long_overdue_stays_and_why_is_told(old: Any, ready: Any, why: str) -> None:
    outcome = plan_of(old, ready)
    assert not places(outcome)
    stays = "pod default/old should be gone by its deletionTimestamp, and stays: "
    assert said_of(outcome).startswith(stays + why)


def test_deleting_it_by_force_ends_it() -> None:
    outcome = plan_of(leaving("2026-03-01T09:00:00Z"), delete="pod/old:force")
    assert places(outcome) == {"want": "n"}


def test_a_pod_of_a_silent_node_is_replaced_only_once_the_node_answers() -> None:
    taint = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}
    silent = node("n", status={"conditions": [SILENT]}, taints=[taint])
    db = workload("StatefulSet", "db", uid="db-uid", replicas=1)
    old = pod("db-0", on="n", owner=db, uid="db-0-uid", status=objects.READY)
    outcome = planned([silent, node("m"), db, old], pod("new"))
    (lost,) = outcome.disruptions
    assert (lost.pod, lost.comes_again) == ("default/db-0", Return.AFTER_NODE)
