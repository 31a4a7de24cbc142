"""What a node refuses of pods that name it."""

from typing import Any

import pytest

from podium.api.policy.disruption_target import BY_KUBELET, BY_POD_GC, BY_TAINT
from podium.whatif.plan.plan_report import Happening
from tests.objects import UNKNOWN, container, node, pod, priority_class, workload
from tests.whatif.plan.plans import places, planned

AFFINITY = {"disk": "ssd"}
PORTS = [container("1", ports=[{"containerPort": 80, "hostPort": 80}])]
NO_EXECUTE = [{"key": "gone", "effect": "NoExecute"}]
GPU = [container("1", resources={"limits": {"example.com/gpu": "2"}})]


LACKS = "Node didn't have enough resource: "
FAILED = "Predicate {} failed: node(s) "


@pytest.mark.parametrize(
    ("machine", "fields", "reason", "message"),
    [
        (
            node("n", "1"),
            {"cpu": "2"},
            "OutOfcpu",
            f"{LACKS}cpu, requested: 2000, used: 250, capacity: 1000",
        ),
        (node("n", pods="1"), {}, "OutOfpods", f"{LACKS}pods, requested: 1, used: 1, capacity: 1"),
        (
            node("n", allocatable={"example.com/gpu": "1"}),
            {"containers": GPU},
            "OutOfexample.com/gpu",
            f"{LACKS}example.com/gpu, requested: 2, used: 0, capacity: 1",
        ),
        (
            node("n"),
            {"nodeSelector": AFFINITY},
            "NodeAffinity",
            f"{FAILED.format('NodeAffinity')}didn't match Pod's node affinity/selector",
        ),
        (
            node("n"),
            {"containers": PORTS},
            "NodePorts",
            f"{FAILED.format('NodePorts')}didn't have free ports for the requested pod ports",
        ),
        (
            node("n", taints=NO_EXECUTE),
            {},
            "TaintToleration",
            f"{FAILED.format('TaintToleration')}had untolerated taint(s)",
        ),
        (
            node("n"),
            {"os": {"name": "windows"}},
            "PodOSNotSupported",
            "Failed to admit pod as the OS field doesn't match node OS",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_node_refuses(machine: Any, fields: Any, reason: str, message: str) -> None:
    there = pod("there", "250m", on="n", containers=[{**PORTS[0], **container("250m")}])
    there["spec"]["containers"][0]["ports"] = PORTS[0]["ports"]
    outcome = planned([machine, there], pod("new", on="n", **fields))
    (refusal,) = outcome.refusals
    assert (refusal.pod, refusal.node) == ("default/new", "n")
    assert (refusal.reason, refusal.message) == (reason, message)
    assert not outcome.placements


def test_the_node_takes_what_the_scheduler_would_not() -> None:
    cordoned = node("n", unschedulable=True, taints=[{"key": "k", "effect": "NoSchedule"}])
    outcome = planned([cordoned], pod("new", on="n", schedulerName="whoever"))
    assert places(outcome) == {"new": "n"}
    assert outcome.placements[0].by_node_name


def test_an_extended_resource_that_the_node_doesnt_know_is_no_objection() -> None:
    assert places(planned([node("n")], pod("new", on="n", containers=GPU))) == {"new": "n"}


def test_a_refused_pod_leaves_the_room_to_others() -> None:
    outcome = planned([node("n", "2")], pod("refused", "3", on="n"), pod("other", "2"))
    assert places(outcome) == {"other": "n"}


def test_a_pod_that_names_its_node_is_there_before_others_are_decided() -> None:
    high = priority_class("high", 1000)
    state = [high, node("n", "1")]
    outcome = planned(state, pod("x", priorityClassName="high"), pod("fixed", on="n"))
    assert [v.pod for p in outcome.preemptions for v in p.chosen.victims] == ["default/fixed"]
    assert places(outcome) == {"x": "n"}


def test_a_node_that_isnt_there_is_warned_about() -> None:
    outcome = planned([node("n")], pod("new", on="elsewhere"))
    assert not outcome.placements
    assert not outcome.pending
    warning = "default/new asks for node elsewhere, which isn't there: no kubelet starts it"
    assert warning in outcome.warnings
    (lost,) = outcome.disruptions
    assert (lost.pod, lost.cause) == ("default/new", BY_POD_GC)


def test_a_critical_pod_gets_its_room_by_force() -> None:
    critical = pod("new", on="n", priorityClassName="system-node-critical")
    outcome = planned([node("n", "1"), pod("old", on="n")], critical)
    assert places(outcome) == {"new": "n"}
    (lost,) = outcome.disruptions
    assert (lost.pod, lost.cause) == ("default/old", BY_KUBELET)
    assert lost.message == "Preempted in order to admit critical pod"


def test_a_critical_pod_is_refused_where_stopping_others_doesnt_help() -> None:
    critical = pod("new", "2", on="n", priorityClassName="system-node-critical")
    (refusal,) = planned([node("n", "1")], critical).refusals
    assert refusal.reason == "UnexpectedAdmissionError"


TOLERANT = {"tolerations": [{"operator": "Exists"}]}
FULL_DISK = {"conditions": [{"type": kind, "status": "True"} for kind in ("Ready", "DiskPressure")]}


@pytest.mark.parametrize(
    ("machine", "template", "reason"),
    [
        (node("n", "500m"), {"nodeName": "n"}, "OutOfcpu"),
        (node("n"), {"nodeName": "n", "nodeSelector": AFFINITY}, "NodeAffinity"),
        (node("n"), {"nodeName": "n", "containers": PORTS}, "NodePorts"),
        (node("n", taints=NO_EXECUTE), {"nodeName": "n"}, "TaintToleration"),
        (node("n", status=FULL_DISK), {"nodeName": "n", **TOLERANT}, "Evicted"),
        (node("n", status=FULL_DISK), TOLERANT, "Evicted"),
    ],
    ids=["cpu", "selector", "ports", "taint", "pressure", "scheduled under pressure"],
)
@pytest.mark.parametrize("kind", ["ReplicaSet", "Deployment", "StatefulSet"])
def test_a_pod_that_is_refused_and_made_again_takes_its_time(
    kind: str, machine: Any, template: Any, reason: str
) -> None:
    there = pod("there", "250m", on="n", containers=PORTS)
    again = workload(kind, "again", replicas=1, template=template)
    outcome = planned([machine, there], again, until_s=10.0)
    assert outcome.until_seconds == 10.0
    (refusal,) = outcome.refusals
    assert refusal.reason == reason
    assert outcome.counts.refused == 1 + refusal.repeats
    assert 30 <= outcome.counts.refused <= 50
    assert refusal.repeated_until == pytest.approx(10.0, abs=1)


def test_pods_that_are_refused_together_each_have_their_own_row() -> None:
    pinned = workload("ReplicaSet", "pinned", replicas=3, template={"nodeName": "n"})
    outcome = planned([node("n", "500m")], pinned, until_s=10.0)
    assert len(outcome.refusals) == 3
    assert outcome.refusals[0].repeats > 20
    assert [one.repeats for one in outcome.refusals[1:]] == [0, 0]


def test_what_repeats_is_one_line_of_the_timeline() -> None:
    pinned = workload("ReplicaSet", "pinned", replicas=1, template={"nodeName": "n"})
    outcome = planned([node("n", "500m")], pinned, until_s=10.0)
    (refusal,) = outcome.refusals
    happened = [(one.event, one.pod, one.repeats) for one in outcome.timeline]
    assert happened == [
        (Happening.CREATED, refusal.pod, 0),
        (Happening.BOUND, refusal.pod, 0),
        (Happening.FAILED, refusal.pod, refusal.repeats),
    ]


def test_daemons_back_off() -> None:
    daemons = workload("DaemonSet", "daemon", template={"containers": PORTS})
    there = pod("there", "250m", on="n", containers=PORTS)
    outcome = planned([node("n"), there], daemons, until_s=20.0)
    assert not outcome.refusals
    pinned = workload("DaemonSet", "daemon", template={"nodeName": "n", "containers": PORTS})
    (refusal,) = planned([node("n"), there], pinned, until_s=20.0).refusals
    # After 0, 1, 3, 7 and 15 seconds.
    assert (refusal.repeats, refusal.reason) == (5, "NodePorts")


def test_pods_that_a_taint_removes_from_a_silent_node_take_their_time() -> None:
    silent = node("n", taints=NO_EXECUTE, status=UNKNOWN)
    again = workload("ReplicaSet", "again", replicas=1, template={"nodeName": "n"})
    outcome = planned([silent], again, until_s=10.0)
    (lost,) = outcome.disruptions
    assert lost.cause == BY_TAINT
    assert outcome.counts.evicted == 1 + lost.repeats
    assert 30 <= outcome.counts.evicted <= 50
