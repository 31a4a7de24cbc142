"""What would give a pod a place: each remedy holds when it is tried for real."""

from typing import Any

import pytest

from podium.api.documents.report import PodReport
from podium.scheduler.config.load import load_configuration
from podium.scheduler.explain.remedies import Remedy
from podium.whatif.explain.explanation import PodExplanation
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import budget, container, node, pod, priority_class, workload
from tests.whatif.plan.plans import places, planned

CLASSES = [priority_class("mid", 50), priority_class("high", 100)]
TAINT = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}


def found(state: list[Any], new: Any) -> dict[str, Remedy]:
    remedies = explain_pod(PlanRequest(LoadedState([*state, new])), "default/new").remedies
    return {one.kind: one for one in remedies}


def test_who_has_a_place_needs_no_remedy() -> None:
    assert found([node("a")], pod("new")) == {}


def test_less_is_what_the_node_with_most_room_has() -> None:
    state = [node("a", "2"), node("b", "3"), *CLASSES]
    remedy = found(state, pod("new", "4"))["Request"]
    assert remedy == Remedy("Request", "request at most 3 CPU (no node has more than 3 CPU)", "b")
    assert places(planned(state, pod("new", "3")))["new"] == "b"
    used = [node("a", "4"), pod("old", "2", on="a")]
    assert found(used, pod("new", "3"))["Request"].change == "request at most 2 CPU"


def test_less_of_two_resources_and_from_several_containers() -> None:
    big = [
        container(resources={"requests": {"cpu": "3", "memory": "9Gi"}}),
        container("2", name="d"),
    ]
    remedy = found([node("a")], pod("new", containers=big))["Request"]
    assert remedy.change == (
        "request at most 2 CPU in container c and 8Gi memory in container c "
        "(no node has more than 4 CPU and 8Gi memory)"
    )


def test_no_request_is_small_enough_for_a_node_without_room() -> None:
    assert "Request" not in found([node("a", "1"), pod("old", "1", on="a")], pod("new"))


def test_the_fewest_taints_are_to_be_tolerated() -> None:
    other = {"key": "gpu", "effect": "NoExecute"}
    state = [node("a", taints=[TAINT, other]), node("b", taints=[TAINT])]
    remedy = found(state, pod("new"))["Toleration"]
    assert remedy == Remedy("Toleration", "tolerate dedicated=db:NoSchedule", "b")


def required_affinity(*requirement: Any) -> Any:
    expression = dict(zip(("key", "operator", "values"), requirement, strict=False))
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    return {"affinity": {"nodeAffinity": required}}


@pytest.mark.parametrize(
    ("asked", "change"),
    [
        ({"nodeSelector": {"disk": "nvme"}}, "label b disk=nvme"),
        (required_affinity("disk", "In", ["nvme", "ssd"]), "label b disk=nvme"),
        (required_affinity("disk", "Exists"), "label b disk=true"),
        (required_affinity("disk", "Gt", ["4"]), ""),
        ({"nodeSelector": {"kind": "large"}}, ""),
    ],
)
def test_a_label_that_only_one_node_lacks_is_given_to_the_best(asked: Any, change: str) -> None:
    state = [
        node("a", "2", labels={"kind": "small"}),
        node("b", "8", labels={"kind": "small"}),
        node("c", "64", unschedulable=True),
        node("e", "64", status={"conditions": [{"type": "Ready", "status": "False"}]}),
        node("d", "64", taints=[TAINT]),
    ]
    remedies = found(state, pod("new", "1", **asked))
    assert (remedies["Label"].change if change else remedies.get("Label")) == (change or None)


def test_a_node_that_is_not_well_is_no_remedy() -> None:
    taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    assert "Toleration" not in found([node("a", taints=[taint])], pod("new"))


def test_one_more_node_has_its_daemons() -> None:
    daemons = workload("DaemonSet", "agent", "1", uid="u")
    state = [
        node("a"),
        daemons,
        pod("agent-1", "1", on="a", owner=daemons),
        pod("old", "2", on="a"),
        {"kind": "Node", "metadata": {"name": "has-not-reported-yet"}},
    ]
    assert found(state, pod("new", "3"))["Node"].change == "one more node like a"
    assert "Node" not in found(state, pod("new", "3500m"))


def test_the_lowest_class_that_helps_and_whom_it_costs() -> None:
    state = [node("a"), pod("old", "4", on="a", priority=60), *CLASSES]
    remedy = found(state, pod("new", "2"))["Priority"]
    victim = PodReport(pod="default/old", namespace="default", priority=60)
    assert remedy == Remedy("Priority", "priority class high (100)", "a", (victim,))


def test_who_may_not_preempt_may_only_have_to_be_let() -> None:
    state = [node("a"), pod("old", "4", on="a", priority=1)]
    new = pod("new", "2", priority=5, preemptionPolicy="Never")
    assert found(state, new)["Priority"].change == "let it preempt"


RESPECT = {
    "apiVersion": "podium.dev/v1alpha1",
    "kind": "SchedulerOptions",
    "disruptionBudgets": "Respect",
}


@pytest.mark.parametrize(
    ("bound", "change"),
    [
        ({"maxUnavailable": 0}, "maxUnavailable: 2"),
        ({"minAvailable": 4}, "minAvailable: 2"),
        ({"minAvailable": "95%"}, "minAvailable: 50%"),
    ],
)
def test_a_budget_that_preemption_respects_may_ask_for_less(bound: Any, change: str) -> None:
    web = workload("ReplicaSet", "web", replicas=4, uid="u")
    pods = [pod(f"web-{n}", on="a", owner=web) for n in range(4)]
    respecting = load_configuration([RESPECT], frozenset())
    high, new = priority_class("high", 100), pod("new", "2", priorityClassName="high")

    def explained(**spec: Any) -> PodExplanation:
        state = [node("a"), web, *pods, budget("web", **spec), high, new]
        return explain_pod(PlanRequest(LoadedState(state), configuration=respecting), "default/new")

    (remedy,) = (one for one in explained(**bound).remedies if one.kind == "Budget")
    assert remedy.change == f"{change} in PodDisruptionBudget default/web"
    assert (remedy.node, len(remedy.victims)) == ("a", 2)
    field, value = change.split(": ")
    followed = explained(**{field: int(value) if value.isdecimal() else value})
    assert followed.decisions[-1].node == "a"


@pytest.mark.parametrize("new", [pod("new", "9"), pod("new", "2", nodeSelector={"x": "y"})])
def test_nothing_stays_changed(new: Any) -> None:
    state = [node("a"), node("b", taints=[TAINT]), pod("old", "3", on="a"), *CLASSES]
    once, again = (
        explain_pod(PlanRequest(LoadedState([*state, new])), "default/new") for _ in range(2)
    )
    assert once == again
    assert once.decisions[-1].node == ""
