"""What the API lets in of the changes, and what it says of the rest."""

from typing import Any

import pytest

from tests.objects import Obj, container, namespace, node, pod, priority_class, workload
from tests.whatif.plan.plans import places, planned

RUNTIME = {
    "apiVersion": "node.k8s.io/v1",
    "kind": "RuntimeClass",
    "metadata": {"name": "gvisor"},
    "handler": "runsc",
}
ONE = priority_class("one", 1, globalDefault=True)
STATE: list[Obj] = [
    node("n"),
    *map(namespace, ("default", "payments")),
    priority_class("critical", 1000),
    ONE,
    RUNTIME,
    pod("old", on="n"),
    workload("Job", "work", uid="j"),
]
NO_CLASS = 'pods "new" is forbidden: no PriorityClass with name {} was found'


def limited(kind: str, **spec: Any) -> Obj:
    metadata = {"name": "limits", "namespace": "default"}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec}


@pytest.mark.parametrize(
    ("applied", "name", "message"),
    [
        (pod("new", priorityClassName="zebra"), "Pod default/new", NO_CLASS.format("zebra")),
        (
            pod("new", priorityClassName="critcal"),
            "Pod default/new",
            f"{NO_CLASS.format('critcal')}; is critical meant?",
        ),
        (
            pod("new", priorityClassName="system-node-crtical"),
            "Pod default/new",
            f"{NO_CLASS.format('system-node-crtical')}; is system-node-critical meant?",
        ),
        (pod("new", runtimeClassName="gviser"), "Pod default/new", "; is gvisor meant?"),
        (pod("new", namespace="paymnts"), "Pod paymnts/new", "; is payments meant?"),
        (pod("new", namespace="x"), "Pod x/new", 'namespaces "x" not found'),
        (priority_class("two", 2, globalDefault=True), "PriorityClass two", "default can exist"),
        ({**ONE, "value": 2}, "PriorityClass one", "may not be changed in an update."),
        ({**ONE, "preemptionPolicy": "Never"}, "PriorityClass one", "field is immutable"),
        (workload("Job", "work", "2"), "Job default/work", "field is immutable"),
    ],
)
def test_what_the_api_rejects_is_named_with_its_message(
    applied: Obj, name: str, message: str
) -> None:
    outcome = planned(STATE, applied)
    (rejected,) = outcome.rejected
    assert rejected.object == name
    assert rejected.message.endswith(message)
    assert not outcome.placements


def test_most_of_a_pod_cant_be_changed() -> None:
    (rejected,) = planned(STATE, pod("old", "2")).rejected
    assert rejected.message.startswith('Pod "old" is invalid: spec: Forbidden')


def test_the_workload_of_rejected_pods_is_named_with_their_number() -> None:
    asked = workload("Deployment", "web", replicas=2, template={"priorityClassName": "critcal"})
    (rejected,) = planned(STATE, asked).rejected
    assert (rejected.object, rejected.count) == ("2 pods", 2)
    assert rejected.workload == "Deployment default/web"
    assert rejected.message.endswith("with name critcal was found; is critical meant?")


def test_classes_come_before_the_pods_that_name_them_wherever_they_stand() -> None:
    new = pod("new", priorityClassName="late")
    outcome = planned([node("n")], new, priority_class("late", 5))
    assert outcome.placements[0].priority == 5


def test_the_default_class_is_for_new_pods_and_those_written_by_hand() -> None:
    default = priority_class("usual", 30, globalDefault=True)
    outcome = planned([default, node("n"), pod("old")], pod("new"))
    assert [placement.priority for placement in outcome.placements] == [30, 30]


def test_a_pod_of_the_state_that_would_not_be_admitted_is_taken_as_it_stands() -> None:
    outcome = planned([node("n"), pod("old", priorityClassName="nope")])
    assert places(outcome) == {"old": "n"}
    assert outcome.warnings[0] == (
        "Pod default/old is taken as it stands, although "
        'pods "old" is forbidden: no PriorityClass with name nope was found'
    )


def test_a_namespace_may_come_with_what_is_in_it() -> None:
    outcome = planned([namespace("team"), node("n")], pod("a", namespace="new"), namespace("new"))
    assert [placement.pod for placement in outcome.placements] == ["new/a"]


@pytest.mark.parametrize(
    ("state", "applied", "placed"),
    [
        # A pod that is there stays where it is.
        (
            [node("a"), node("b"), pod("old", "1000m", on="b")],
            pod("old", containers=[container("1", image="other")]),
            {},
        ),
        (
            [node("n"), pod("old", schedulingGates=[{"name": "example.com/wait"}])],
            pod("old", schedulingGates=None),
            {"old": "n"},
        ),
        ([node("n", "1"), pod("big", "2")], node("n", "2"), {"big": "n"}),
    ],
    ids=["the image of a pod", "the gates of a pod", "a node"],
)
def test_what_can_be_changed(state: list[Obj], applied: Obj, placed: dict[str, str]) -> None:
    outcome = planned(state, applied)
    assert (places(outcome), outcome.rejected) == (placed, ())


def test_a_quota_keeps_pods_of_a_workload_out() -> None:
    quota = limited("ResourceQuota", hard={"pods": "2"})
    outcome = planned(
        [node("n"), quota, pod("old", on="n")], workload("Deployment", "web", replicas=3)
    )
    assert len(outcome.placements) == 1
    (rejected,) = outcome.rejected
    assert rejected.count == 2
    assert "exceeded quota: limits" in rejected.message


def test_a_limit_range_says_what_a_pod_requests() -> None:
    default = {"type": "Container", "defaultRequest": {"cpu": "3"}, "default": {"cpu": "3"}}
    state = [node("n"), limited("LimitRange", limits=[default])]
    bare = [container(resources={})]
    outcome = planned(state, pod("one", containers=bare), pod("two", containers=bare))
    assert [one.pod for one in outcome.placements] == ["default/one"]
    (pending,) = outcome.pending
    assert "Insufficient cpu" in pending.message
