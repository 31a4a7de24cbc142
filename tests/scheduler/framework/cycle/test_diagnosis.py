"""Why a pod fits nowhere, in the words of FailedScheduling events."""

from collections import Counter
from typing import Any

from podium.scheduler.explain.explanation import explain
from podium.scheduler.framework.cycle.diagnosis import failure_message, nodes_available_message
from podium.scheduler.scheduler import Scheduler
from tests.objects import Obj, near, node, pod, required

HELP = "No preemption victims found for incoming pod"
NO_HELP = "Preemption is not helpful for scheduling"
NO_CLAIMS = "no new claims to deallocate"


def message(nodes: list[Obj], pods: list[Obj], wanting: Obj, **others: Any) -> str:
    scheduler = Scheduler()
    scheduler.load(nodes, pods, **others)
    return failure_message(scheduler.decide(scheduler.pending(wanting)), scheduler.snapshot)


def test_reasons_are_counted_and_sorted_as_texts() -> None:
    reasons = Counter({"b": 3, "a": 10, "c": 1, "never": 0})
    message = nodes_available_message(14, reasons)
    assert message == "0/14 nodes are available: 1 c, 10 a, 3 b."


def test_messages() -> None:
    assert nodes_available_message(0, Counter()) == "0/0 nodes are available:"
    assert nodes_available_message(1, Counter("a"), "gone", "preemption: no.") == (
        "0/1 nodes are available: gone. preemption: no."
    )


def test_every_node_has_its_say() -> None:
    """A node counts once for each of its reasons."""
    tainted = node("n3") | {"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}}
    nodes = [node("n1", cpu="2"), node("n2", pods="1"), tainted]
    pods = [pod("a-1", "2", on="n1"), pod("a-2", "4", on="n2")]
    assert message(nodes, pods, pod("b-1", "2")) == (
        "0/3 nodes are available: 1 Too many pods, 1 node(s) had untolerated taint(s), "
        f"2 Insufficient cpu. {NO_CLAIMS}, preemption: "
        f"0/3 nodes are available: 1 {NO_HELP}, 2 {HELP}."
    )


def test_what_stands_in_the_way_of_preemption() -> None:
    """Removing the pod of lower priority doesn't cure what keeps the preemptor away."""
    low = pod("low-1", on="n1", priority=1)
    high = pod("high-1", on="n1", priority=9)
    shy = pod("shy", "4", priority=5, affinity=required("podAntiAffinity", near("high")))
    assert message([node("n1")], [low, high], shy) == (
        f"0/1 nodes are available: 1 Insufficient cpu. {NO_CLAIMS}, preemption: "
        "0/1 nodes are available: 1 Insufficient cpu."
    )


def test_a_refusal_for_all_nodes() -> None:
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}
    assert message([node("n1"), node("n2")], [], pod("p", volumes=[volume])) == (
        '0/2 nodes are available: persistentvolumeclaim "data" not found. not found'
    )


def test_nodes_that_were_never_asked() -> None:
    named = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    terms = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [named]}}
    nodes = [node("n1", cpu="1"), node("n2"), node("n3")]
    assert message(nodes, [], pod("p", "2", affinity={"nodeAffinity": terms})) == (
        "0/3 nodes are available: 1 Insufficient cpu, "
        f"2 node(s) didn't satisfy plugin(s) [NodeAffinity]. {NO_CLAIMS}, "
        f"preemption: 0/3 nodes are available: 3 {NO_HELP}."
    )


def test_a_pod_that_may_not_preempt() -> None:
    wanting = pod("p", "9", priority=5, preemptionPolicy="Never")
    assert message([node("n1")], [pod("low-1", on="n1")], wanting) == (
        f"0/1 nodes are available: 1 Insufficient cpu. {NO_CLAIMS}, "
        "preemption: not eligible due to preemptionPolicy=Never."
    )


def test_without_a_cycle() -> None:
    gated = pod("p", schedulingGates=[{"name": "wait"}, {"name": "more"}])
    assert message([node("n1")], [], gated) == "waiting for scheduling gates: [wait more]"
    assert message([], [], pod("p")) == "no nodes available to schedule pods"


def pod_for_n1_nominated_to_n2() -> Obj:
    named = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    terms = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [named]}}
    pending = pod("p", "2", affinity={"nodeAffinity": terms})
    pending["status"] = {"nominatedNodeName": "n2"}
    return pending


def test_the_nominated_node_is_filtered_though_it_was_left_out() -> None:
    nodes = [node("n1", cpu="1"), node("n2"), node("n3")]
    assert message(nodes, [], pod_for_n1_nominated_to_n2()) == (
        "0/3 nodes are available: 1 Insufficient cpu, "
        "1 node(s) didn't match Pod's node affinity/selector, "
        f"1 node(s) didn't satisfy plugin(s) [NodeAffinity]. {NO_CLAIMS}, "
        f"preemption: 0/3 nodes are available: 3 {NO_HELP}."
    )


def test_it_is_also_where_the_pod_has_another_place() -> None:
    scheduler = Scheduler()
    scheduler.load([node("n1"), node("n2"), node("n3")], [])
    decision = scheduler.decide(scheduler.pending(pod_for_n1_nominated_to_n2()))
    refused = explain(decision, scheduler.snapshot).filter
    assert decision.node_name == "n1"
    assert {name: status.plugin for name, status in refused.items()} == {
        "n2": "NodeAffinity",
        "n3": "",
    }
