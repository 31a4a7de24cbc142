"""What the API would let in of the manifests."""

from typing import Any

import pytest

from podium.whatif.plan.plan_report import RejectedObject
from tests.objects import container, namespace, node, pod, priority_class, workload
from tests.whatif.plan.plans import places, planned


def rejected(outcome: Any) -> RejectedObject:
    (found,) = outcome.rejected
    return found  # type: ignore[no-any-return]


def test_an_unknown_class_keeps_the_pod_out() -> None:
    outcome = planned([node("n")], pod("new", priorityClassName="nope"))
    assert rejected(outcome).object == "Pod default/new"
    assert rejected(outcome).message == (
        'pods "new" is forbidden: no PriorityClass with name nope was found'
    )
    assert not outcome.placements
    assert any("no PriorityClass" in warning for warning in outcome.warnings)


def test_the_workload_of_a_rejected_pod_is_named() -> None:
    deployment = workload("Deployment", "web", replicas=2, template={"priorityClassName": "nope"})
    outcome = planned([node("n")], deployment)
    found = rejected(outcome)
    assert (found.workload, found.count) == ("Deployment default/web", 2)
    assert found.object == "2 pods"


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


def test_a_second_default_class_is_not_let_in() -> None:
    state = [node("n"), priority_class("one", 1, globalDefault=True)]
    outcome = planned(state, priority_class("two", 2, globalDefault=True))
    assert rejected(outcome).object == "PriorityClass two"


@pytest.mark.parametrize(("field", "value"), [("value", 2), ("preemptionPolicy", "Never")])
def test_a_class_cant_be_changed(field: str, value: Any) -> None:
    one = priority_class("one", 1)
    outcome = planned([node("n"), one], {**one, field: value})
    start = f'PriorityClass.scheduling.k8s.io "one" is invalid: {field}: '
    assert rejected(outcome).message.startswith(start)


def test_a_namespace_has_to_be_there() -> None:
    state = [node("n"), namespace("team")]
    outcome = planned(state, pod("a", namespace="team"), pod("b", namespace="nowhere"))
    assert [placement.pod for placement in outcome.placements] == ["team/a"]
    assert rejected(outcome).message == 'namespaces "nowhere" not found'


def test_a_namespace_may_come_with_what_is_in_it() -> None:
    outcome = planned([namespace("team"), node("n")], pod("a", namespace="new"), namespace("new"))
    assert [placement.pod for placement in outcome.placements] == ["new/a"]


def test_a_pod_that_is_there_stays_where_it_is() -> None:
    state = [node("a"), node("b"), pod("old", "1000m", on="b")]
    outcome = planned(state, pod("old", containers=[container("1", image="other")]))
    assert (outcome.placements, outcome.rejected) == ((), ())


def test_most_of_a_pod_cant_be_changed() -> None:
    outcome = planned([node("n"), pod("old", on="n")], pod("old", "2"))
    assert rejected(outcome).message.startswith('Pod "old" is invalid: spec: Forbidden')


def test_the_gates_of_a_pod_can_be_lifted() -> None:
    gated = pod("old", schedulingGates=[{"name": "example.com/wait"}])
    outcome = planned([node("n"), gated], {**pod("old", schedulingGates=None)})
    assert places(outcome) == {"old": "n"}


def test_the_template_of_a_job_cant_be_changed() -> None:
    state = [node("n"), workload("Job", "work", uid="j")]
    assert rejected(planned(state, workload("Job", "work", "2"))).object == "Job default/work"


def test_a_node_can_be_changed() -> None:
    outcome = planned([node("n", "1"), pod("big", "2")], node("n", "2"))
    assert places(outcome) == {"big": "n"}
