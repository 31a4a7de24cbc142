"""Which pod stands for a workload."""

import pytest

from podium.whatif.explain.pod_explanations import ExplainError, explain_pod, explain_workload
from podium.whatif.plan.changes import Apply, parse_workload
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import Obj, node, pod, priority_class, workload


def explained(text: str, state: list[Obj], *applied: Obj) -> tuple[str, str]:
    """The pod, and the note about it."""
    sought = parse_workload(text, "default")
    assert sought is not None
    found = explain_workload(PlanRequest(LoadedState(state), [Apply(applied)]), sought)
    return found.pod, found.notes[0]


def test_the_first_that_waits() -> None:
    web = workload("StatefulSet", "web", replicas=3, podManagementPolicy="Parallel")
    note = "It is the first pod of StatefulSet default/web that waits."
    for text in ("sts/web", "statefulsets.apps/web", "default/sts/web"):
        assert explained(text, [node("n", "2")], web) == ("default/web-2", note)


def test_of_those_that_have_a_place_a_new_one_before_an_old_one() -> None:
    there = {"status": {"phase": "Running"}, "uid": "u"}
    web = workload("StatefulSet", "web", replicas=1, uid="web-uid")
    state = [node("n"), web, pod("web-0", on="n", owner=web, **there)]
    note = "It is the first pod of StatefulSet default/web that has its place."
    assert explained("sts/web", state) == ("default/web-0", note)
    grown = workload("StatefulSet", "web", replicas=2)
    assert explained("sts/web", state, grown) == ("default/web-1", note)


def test_pods_belong_to_their_replica_set_and_its_deployment() -> None:
    web = workload("Deployment", "web", replicas=1)
    found, _ = explained("deploy/web", [node("n")], web)
    replica_set = found.removeprefix("default/").rpartition("-")[0]
    assert explained(f"rs/{replica_set}", [node("n")], web)[0] == found


def test_a_workload_without_pods() -> None:
    with pytest.raises(ExplainError) as error:
        explained("ds/gone", [node("n")])
    assert str(error.value) == "DaemonSet default/gone has no pods, or isn't there"


@pytest.mark.parametrize("text", ["web-0", "default/web-0", "pod/web-0", "node/n", "a/b/deploy/c"])
def test_what_is_no_workload(text: str) -> None:
    assert parse_workload(text, "default") is None


def test_a_replacement_that_the_plan_names() -> None:
    low, high = priority_class("low", 1), priority_class("high", 1000)
    kept = workload("ReplicaSet", "web", replicas=1, uid="r", template={"priorityClassName": "low"})
    old = pod("web-0", on="n", owner=kept, uid="u", priorityClassName="low")
    first = pod("first", priorityClassName="high")
    request = PlanRequest(LoadedState([low, high, node("n", "1"), kept, old]), [Apply([first])])
    (replacement,) = plan(request).pending
    assert replacement.replaces == "default/web-0"
    *_, last = explain_pod(request, replacement.pod).decisions
    assert last.message == replacement.message
