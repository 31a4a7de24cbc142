"""What a node decides about a pod that names it, as explained."""

from typing import Any

import pytest

from podium.api.policy.disruption_target import BY_KUBELET
from podium.whatif.explain.explanation import PodExplanation
from podium.whatif.explain.pod_explanations import explain_named
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import container, node, pod, workload
from tests.whatif.plan.plans import planned

CRITICAL = "system-node-critical"
UNKNOWN = {"conditions": [{"type": "Ready", "status": "Unknown"}]}


def explained(state: list[Any], applied: Any, named: str = "new") -> PodExplanation:
    return explain_named(PlanRequest(LoadedState(state), [Apply([applied])]), named, "default")


def full() -> list[Any]:
    """A node whose room is taken by pods of which the scheduler would take another one."""
    best_effort = pod("cache", on="n", priorityClassName="system-cluster-critical")
    best_effort["spec"]["containers"] = [{"name": "c", "image": "i"}]
    return [node("n", "4", pods="2"), best_effort, pod("batch", on="n")]


def test_a_critical_pod_has_another_stopped_by_its_qos_class() -> None:
    new = pod("new", "100m", on="n", priorityClassName=CRITICAL)
    explanation = explained(full(), new)
    admission = explanation.admission
    assert admission is not None
    assert admission.is_admitted
    assert [(one.pod, one.qos_class) for one in admission.stopped] == [
        ("default/cache", "BestEffort")
    ]
    assert explanation.decisions == ()
    outcome = planned(full(), new)
    assert not outcome.preemptions
    assert [(one.pod, one.cause) for one in outcome.disruptions] == [("default/cache", BY_KUBELET)]


@pytest.mark.parametrize(
    ("machine", "admitted", "message"),
    [
        (node("n"), True, ""),
        (node("n", "500m"), False, "Node didn't have enough resource: cpu, requested: 1000"),
        (node("n", status=UNKNOWN), False, "node n doesn't answer: its kubelet starts it only"),
        (node("m"), False, "node n isn't there: no kubelet starts it"),
    ],
    ids=["taken", "refused", "silent", "missing"],
)
def test_what_the_node_says_is_told(machine: Any, message: str, *, admitted: bool) -> None:
    admission = explained([machine], pod("new", on="n")).admission
    assert admission is not None
    assert admission.is_admitted is admitted
    assert admission.message.startswith(message)
    assert bool(admission.reason) is ("Node" in message)


def test_a_workload_whose_pods_are_refused_is_explained_by_the_first() -> None:
    pinned = workload("Deployment", "pinned", replicas=1, template={"nodeName": "n"})
    request = PlanRequest(LoadedState([node("n", "500m")]), [Apply([pinned])], until_s=5.0)
    explanation = explain_named(request, "deploy/pinned", "default")
    assert explanation.admission is not None
    assert explanation.admission.reason == "OutOfcpu"
    assert "that its node refuses" in explanation.notes[0]


def test_a_pod_that_a_scheduler_places_has_no_such_decision() -> None:
    explanation = explained([node("n")], pod("new", containers=[container("1")]))
    assert explanation.admission is None
    assert explanation.decisions
