"""Running pods that keep a priority which their successors don't get, and what these do."""

from typing import Any

import pytest

from podium.api.presentation import Table
from podium.whatif.plan.fail_on import findings, parse_gates
from podium.whatif.plan.plan_report import Plan, StalePriority
from podium.whatif.plan.planner import Planner, plan
from podium.whatif.plan.presentation.next_pod_words import stale_sentences
from podium.whatif.plan.presentation.plan_presentation import stale_priorities
from podium.whatif.plan.request import NEXT_PODS_MAX, LoadedState, PlanRequest
from tests.objects import Obj, node, pod, priority_class, reference, resource_quota, workload
from tests.whatif.plan.plans import planned
from tests.whatif.plan.worlds import exported

STANDARD = priority_class("standard", 1000, globalDefault=True)


def tried(state: list[Obj], *applied: Obj, **settings: Any) -> Plan:
    return planned(state, *applied, next_pods_max=NEXT_PODS_MAX, **settings)


def stale(state: list[Obj], *applied: Obj, **settings: Any) -> StalePriority:
    (found,) = tried(state, *applied, **settings).stale_priorities
    return found


TEAM = priority_class("team", 100)


def web(*classes: Obj, **template: Any) -> list[Obj]:
    """A cluster full of the three pods of a ReplicaSet."""
    there = workload("ReplicaSet", "web", replicas=3, template=template)
    return exported([node("n", "3"), *classes, there])


def old() -> Obj:
    return pod("old", "2", on="n", priority=0)


def sentences(outcome: Plan) -> list[str]:
    return [*stale_sentences(outcome.stale_priorities)]


def test_two_templates_of_a_deployment_are_listed_each_though_one_is_refused() -> None:
    above = workload("Deployment", "web", replicas=2, uid="d")
    state: list[Obj] = [node("n"), TEAM, above]
    for name, given in (("admitted", {}), ("refused", {"priority": 5})):
        template = {"priorityClassName": "team", **given}
        below = workload("ReplicaSet", name, template=template, uid=name)
        below["metadata"]["ownerReferences"] = [{**reference(above), "controller": True}]
        there = pod(f"{name}-1", on="n", owner=below, priority=0, uid=f"{name}-1")
        state += [below, there]
    found = tried(state).stale_priorities
    assert [(one.workload, one.next_priority) for one in found] == [
        ("Deployment default/web", 100),
        ("Deployment default/web", None),
    ]


def test_each_replacement_preempts_the_next_of_a_workload() -> None:
    owner = workload("ReplicaSet", "web", replicas=3, uid="r")
    started = [f"2026-01-0{day}T00:00:00Z" for day in (1, 2, 3)]
    pods = [
        pod(f"web-{n}", on=n, owner=owner, priority=0, uid=n, status={"startTime": at})
        for n, at in zip("abc", started, strict=True)
    ]
    found = stale([*(node(n, "1") for n in "abc"), owner, *pods], STANDARD)
    assert (found.workload, found.pods) == ("ReplicaSet default/web", 3)
    replacement, new = found.next_pods
    assert replacement.is_replacement
    # The pod that was deleted isn't preempted, and the last replacement takes its place.
    assert [lost.pod for lost in replacement.preempted] == ["default/web-c", "default/web-b"]
    first, second = replacement.preempted
    assert first.by == replacement.pod
    assert second.by not in (replacement.pod, "")
    assert second.by_workload == found.workload
    assert len({lost.pod for lost in new.preempted}) == 3


def test_a_default_class_that_is_in_the_state_already_is_looked_at_too() -> None:
    assert stale([node("n", "2"), STANDARD, old()]).is_harmful


def test_the_lowest_of_two_default_classes_counts() -> None:
    lower = priority_class("lower", 500, globalDefault=True)
    found = stale([node("n", "2"), STANDARD, lower, old()])
    assert (found.next_priority, found.next_class) == (500, "lower")


def test_a_second_default_class_is_rejected_and_changes_nothing() -> None:
    more = priority_class("more", 2000, globalDefault=True)
    outcome = tried([node("n", "2"), STANDARD, pod("new", on="n", priority=1000)], more)
    (rejected,) = outcome.rejected
    assert "standard is already marked as default" in rejected.message
    assert not outcome.stale_priorities


def test_a_class_that_is_made_anew_with_another_value() -> None:
    state = web(TEAM, priorityClassName="team")
    again = tried(state, priority_class("team", 200), delete="pc/team")
    (found,) = again.stale_priorities
    assert (found.priority, found.next_priority, found.by_default) == (100, 200, False)
    assert found.is_harmful
    assert "and new ones get 200 of PriorityClass team, which they name" in sentences(again)[0]


def test_successors_of_pods_whose_class_is_deleted_are_refused() -> None:
    outcome = tried(web(TEAM, priorityClassName="team"), delete="pc/team")
    (found,) = outcome.stale_priorities
    assert (found.next_priority, found.next_pods) == (None, ())
    assert found.is_harmful
    assert sentences(outcome) == [
        "3 running pods keep priority 100, and the API refuses new pods of ReplicaSet default/web: "
        "no PriorityClass with name team was found"
    ]


def test_successors_get_0_where_the_default_class_is_deleted() -> None:
    state = [node("n", "4"), STANDARD, pod("new", on="n", priority=1000)]
    outcome = tried(state, delete="pc/standard")
    (found,) = outcome.stale_priorities
    assert (found.priority, found.next_priority, found.is_harmful) == (1000, 0, False)
    assert "as there is no default class any more" in sentences(outcome)[0]


def test_where_there_is_room_nobody_is_preempted() -> None:
    outcome = tried([node("n", "8"), old()], STANDARD)
    (found,) = outcome.stale_priorities
    assert not found.is_harmful
    assert sentences(outcome)[0].endswith("Pod default/old finds room on n")


def test_a_default_class_that_never_preempts_waits() -> None:
    never = priority_class("standard", 1000, globalDefault=True, preemptionPolicy="Never")
    (new,) = stale([node("n", "2"), old()], never).next_pods
    assert (new.node, new.preempted) == ("", ())
    assert "Insufficient cpu" in new.message


def test_what_a_quota_refuses_is_told() -> None:
    quota = resource_quota(
        "q", {"pods": "1"}, status={"hard": {"pods": "1"}, "used": {"pods": "1"}}
    )
    (new,) = stale([node("n", "4"), old(), quota], STANDARD).next_pods
    assert new.pod == ""
    assert "exceeded quota" in new.message


@pytest.mark.parametrize(
    "kept",
    [
        pod("named", on="n", priority=1000, priorityClassName="standard"),
        pod("waiting", "9", priority=0),
        pod("ended", on="n", priority=0, status={"phase": "Succeeded"}),
        pod(
            "mirror",
            on="n",
            priority=0,
            metadata={"annotations": {"kubernetes.io/config.mirror": "x"}},
        ),
    ],
    ids=lambda kept: kept["metadata"]["name"],
)
def test_pods_that_have_no_stale_priority(kept: Obj) -> None:
    assert not tried([node("n", "4"), STANDARD, kept]).stale_priorities


def test_the_next_pods_of_some_workloads_are_tried_and_all_are_counted() -> None:
    pods = [pod(f"p{n}", str(n), on="n", priority=0) for n in range(1, 8)]
    outcome = tried([node("n", "28"), *pods], STANDARD)
    assert len(outcome.stale_priorities) == 7
    tries = {one.workload for one in outcome.stale_priorities if one.next_pods}
    assert tries == {f"Pod default/p{n}" for n in (4, 5, 6, 7)}
    assert sentences(outcome)[0].startswith("7 running pods keep priority 0")


def test_pods_of_one_shape_are_tried_once() -> None:
    pods = [pod(f"p{n}", on="n", priority=0) for n in range(3)]
    found = tried([node("n", "3"), *pods], STANDARD).stale_priorities
    assert [len(one.next_pods) for one in found] == [1, 0, 0]


def test_nothing_is_said_of_classes_that_an_export_leaves_out() -> None:
    owner = workload("ReplicaSet", "web", replicas=1, uid="r")
    given = pod("web-1", on="n", owner=owner, priority=1000, priorityClassName="std", uid="p")
    differ = [
        pod(f"p{n}", on="n", priority=n, priorityClassName="team", uid=f"p{n}") for n in (100, 200)
    ]
    state = [node("n", uid="n"), owner, given, *differ]
    assert not tried(state).stale_priorities
    # What comes with the changes is known.
    old = pod("old", on="n", priority=0, uid="o")
    assert stale([*state, old], STANDARD).workload == "Pod default/old"


def test_a_cascade_is_followed_until_fifty_pods_have_been_preempted() -> None:
    owner = workload("ReplicaSet", "web", "1", replicas=60, uid="r")
    pods = [pod(f"web-{n}", on="n", owner=owner, priority=0, uid=f"p{n}") for n in range(60)]
    outcome = tried([node("n", "60"), owner, *pods], STANDARD)
    (found,) = outcome.stale_priorities
    (new,) = [one for one in found.next_pods if not one.is_replacement]
    assert (len(new.preempted), new.cut_short) == (50, True)
    assert "and at least 49 more give way in turn" in sentences(outcome)[0]


def test_workloads_that_werent_tried_are_summed_up_unless_asked_for() -> None:
    pods = [pod(f"p{n}", str(n), on="n", priority=0) for n in range(1, 16)]
    outcome = tried([node("n", "120"), *pods], STANDARD)
    (table,) = stale_priorities(outcome, wide=False).blocks
    assert isinstance(table, Table)
    *shown, last = table.rows
    assert [str(row[0]) for row in shown[:4]] == [f"Pod default/p{n}" for n in (12, 13, 14, 15)]
    assert (len(shown), [*last[:2]]) == (10, ["5 more, with -o wide", "5"])
    (table,) = stale_priorities(outcome, wide=True).blocks
    assert isinstance(table, Table)
    assert len(table.rows) == 15


def test_it_is_looked_for_only_where_that_is_asked_for() -> None:
    assert not planned([node("n", "2"), old()], STANDARD).stale_priorities


def test_plans_from_one_beginning_find_the_same() -> None:
    request = PlanRequest(
        LoadedState([node("n", "2"), STANDARD, old()]), next_pods_max=NEXT_PODS_MAX
    )
    assert Planner(request).plan(()).stale_priorities == plan(request).stale_priorities != ()


def test_a_gate_stops_a_stale_priority_only_where_it_costs_places() -> None:
    gates = parse_gates(["stale-priority"], None)
    assert not findings(tried([node("n", "8"), old()], STANDARD), gates)
    (refused,) = findings(tried(web(TEAM, priorityClassName="team"), delete="pc/team"), gates)
    assert refused.message.endswith("no PriorityClass with name team was found")
