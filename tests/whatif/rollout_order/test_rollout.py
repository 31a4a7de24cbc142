"""Orders of introducing classes, held against playing all of them."""

from functools import cache
from itertools import permutations
from random import Random
from typing import Any

import pytest

from podium.api.errors import PodiumError
from podium.api.kinds.snapshot_kinds import decisive
from podium.ui.writers.markdown import to_markdown
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import LoadedState, PlanRequest
from podium.whatif.rollout_order.rollout import Judge, RolloutRequest, play_step, rollout
from podium.whatif.rollout_order.rollout_presentation import rollout_presentation
from podium.whatif.rollout_order.rollout_report import RolloutAdvice
from podium.whatif.rollout_order.rollout_steps import Introduction, assigned, introduction
from tests.objects import Obj, node, pod, priority_class, workload
from tests.whatif.plan.worlds import exported

CLASSES = [priority_class("high", 1000), priority_class("low", 100)]


def introduced(state: list[Obj], *assignments: str, more: tuple[Obj, ...] = ()) -> Introduction:
    by_identity = decisive(state)
    workloads = [assigned(one, "default", by_identity) for one in assignments]
    return introduction(state, [*CLASSES, *more, *workloads])


def advice(
    state: list[Obj], *assignments: str, more: tuple[Obj, ...] = (), **settings: Any
) -> RolloutAdvice:
    limits = {"important": None, "tries": 1000, "more_nodes": 0, **settings}
    found = introduced(state, *assignments, more=more)
    return rollout(RolloutRequest(PlanRequest(LoadedState(state)), found, **limits))


@cache
def full_cluster() -> list[Obj]:
    """Two nodes with room for one more pod; web and batch have no priority yet."""
    there = [workload("Deployment", "web", replicas=3), workload("Deployment", "batch", replicas=4)]
    return exported([node("n1", "4"), node("n2", "4"), *there])


def names(found: RolloutAdvice) -> list[str]:
    return [step.step for step in found.steps]


WEB, BATCH = "Deployment default/web gets high (1000)", "Deployment default/batch gets low (100)"


def test_the_order_as_given_is_the_answer_if_it_is_safe() -> None:
    found = advice(full_cluster(), "deploy/web=high", "deploy/batch=low", important=1000)
    assert (found.verdict, names(found)) == ("Safe", [WEB, BATCH])
    # Its own pods may be preempted by it, as they aren't important.
    assert {one.workload for one in found.steps[1].preempted} == {"Deployment default/batch"}


def test_a_search_that_is_cut_short_proves_nothing() -> None:
    found = advice(full_cluster(), "deploy/batch=low", "deploy/web=high", tries=1)
    assert (found.verdict, found.room) == ("Unknown", None)


def test_a_default_class_is_a_step_and_counts_for_whoever_names_none() -> None:
    default = priority_class("usual", 500, globalDefault=True)
    found = introduced(full_cluster(), "deploy/web=high", more=(default,))
    assert [step.name for step in found.steps] == [
        "PriorityClass usual (500) becomes the default",
        WEB,
    ]
    assert found.priorities.of("Deployment default/batch", 0) == 500
    assert found.priorities.of("Pod default/bare", 7) == 7


def full_of_old(*more: Obj) -> list[Obj]:
    """A cluster full of pods that were created before there was a default class."""
    return exported([node("n1", "2"), node("n2", "2"), *more, OLD])


OLD = workload("Deployment", "old", replicas=4)
USUAL = priority_class("usual", 500, globalDefault=True)
BECOMES_DEFAULT = "PriorityClass usual (500) becomes the default"


def introducing(state: list[Obj], *manifests: Obj) -> RolloutAdvice:
    found = introduction(state, manifests)
    return rollout(
        RolloutRequest(PlanRequest(LoadedState(state)), found, None, tries=1000, more_nodes=2)
    )


def test_a_default_class_above_running_pods_is_not_safe_as_the_next_pod_preempts_them() -> None:
    found = introducing(full_of_old(), USUAL)
    assert found.verdict == "Impossible"
    (end,) = found.dead_ends
    (stale,) = end.next.stale_priorities
    assert (stale.workload, stale.pods) == ("Deployment default/old", 4)
    assert (stale.priority, stale.next_priority) == (0, 500)
    assert {one.workload for one in end.next.outranked} == {"Deployment default/old"}
    # With another node the next pod fits, and the one after it doesn't.
    assert (found.room, found.room_tried) == (None, 0)
    shown = rollout_presentation(found)
    assert shown.headline == (
        "No order of these steps is safe; 1 step played. "
        "With preemptionPolicy: Never on the default class one is."
    )
    assert [step.step for step in found.non_preempting] == [BECOMES_DEFAULT]
    assert "4 running pods keep priority 0" in to_markdown(shown)
    assert found.preparation == ("PriorityClass usual, not as the default",)


def test_a_bare_pod_counts_as_what_it_would_get_if_it_were_created_again() -> None:
    bare = pod("bare", "2", on="n", priority=0)
    found = introducing([node("n", "2"), bare], USUAL)
    assert found.verdict == "Impossible"
    (lost,) = found.dead_ends[0].next.outranked
    assert (lost.pod, lost.priority, lost.final_priority) == ("default/bare", 0, 500)


def test_where_the_next_pods_find_room_a_default_class_is_safe_and_says_who_keeps_what() -> None:
    state = exported([node("n1", "9"), OLD])
    found = introducing(state, USUAL)
    assert found.verdict == "Safe"
    (step,) = found.steps
    assert [one.pods for one in step.stale_priorities] == [4]
    assert f"After {BECOMES_DEFAULT}: 4 running pods keep priority 0" in to_markdown(
        rollout_presentation(found)
    )


def test_workloads_that_name_a_class_before_it_is_the_default_are_safe_from_it() -> None:
    there = workload("StatefulSet", "old", replicas=4, serviceName="old")
    state = exported([node("n1", "4"), there])
    renamed = assigned("sts/old=usual", "default", decisive(state))
    found = introducing(state, USUAL, renamed)
    assert found.verdict == "Reordered"
    assert names(found) == ["StatefulSet default/old gets usual (500)", BECOMES_DEFAULT]
    assert found.preparation == ("PriorityClass usual, not as the default",)


def test_a_class_whose_value_differs_is_deleted_and_made_again() -> None:
    named = workload("Deployment", "old", replicas=4, template={"priorityClassName": "team"})
    state = exported([node("n1", "4"), priority_class("team", 100), named])
    found = introducing(state, priority_class("team", 200))
    (end,) = found.dead_ends
    assert end.next.step == "PriorityClass team is deleted, and made again with 200, not 100"
    (stale,) = end.next.stale_priorities
    assert (stale.priority, stale.next_priority, stale.by_default) == (100, 200, False)
    assert end.next.outranked
    assert not found.non_preempting


def test_a_second_default_class_is_rejected() -> None:
    found = introducing(full_of_old(priority_class("first", 0, globalDefault=True)), USUAL)
    (end,) = found.dead_ends
    assert "first is already marked as default" in end.next.rejected[0].message


def test_a_default_class_may_give_way_to_another() -> None:
    first = priority_class("first", 0, globalDefault=True)
    state = exported([node("n1", "9"), first, OLD])
    found = introducing(state, {**first, "globalDefault": False}, USUAL)
    assert names(found) == ["PriorityClass first (0) is the default no more", BECOMES_DEFAULT]


def test_priorities_that_are_stale_before_dont_count_against_an_order() -> None:
    state = [node("n", "3"), USUAL, pod("old", "2", on="n", priority=0)]
    found = introducing(state, workload("Deployment", "new", replicas=1))
    assert found.verdict == "Safe"
    (stale,) = found.stale_priorities
    assert stale.is_harmful
    assert "Before any step: 1 running pod keeps priority 0" in to_markdown(
        rollout_presentation(found)
    )


def test_a_rollout_that_comes_to_no_end_is_not_safe() -> None:
    strict = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}, "type": "RollingUpdate"}
    web = workload("Deployment", "web", replicas=2, strategy=strict)
    never = priority_class("never", 1, preemptionPolicy="Never")
    found = advice([*exported([node("n1", "2"), web])], "deploy/web=never", more=(never,))
    (end,) = found.dead_ends
    lacking = "1 of 2 pods are updated, and its progress deadline has passed"
    assert end.next.stuck == (f"Deployment default/web: {lacking}",)


def test_without_forks_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.whatif.rollout_order.rollout.can_fork", lambda: False)
    with pytest.raises(PodiumError, match="can't be made here"):
        advice([node("n1", "1"), workload("Deployment", "web", replicas=1)], "deploy/web=high")


def test_an_assignment_that_cant_be_read_is_an_error() -> None:
    for text, why in (("web", "expected KIND/NAME=CLASS"), ("deploy/x=low", "has no Deployment")):
        with pytest.raises(PodiumError, match=why):
            assigned(text, "default", {})


def world(rng: Random) -> tuple[list[Obj], list[str]]:
    """A tight cluster of some workloads, and the classes that they are to get."""
    nodes = [node(f"n{n}", rng.choice("34")) for n in range(rng.randint(2, 3))]
    called = ["a", "b", "c"]
    there = []
    for name in called:
        kind = rng.choice(("Deployment", "Deployment", "StatefulSet"))
        spec: Obj = {"replicas": rng.randint(1, 3)}
        if kind == "Deployment" and rng.random() < 0.4:
            bounds = rng.choice(({"maxSurge": 0, "maxUnavailable": 1}, {"maxSurge": "100%"}))
            spec["strategy"] = {"type": "RollingUpdate", "rollingUpdate": bounds}
        fields = {"terminationGracePeriodSeconds": rng.choice((0, 5, 30))}
        there.append(workload(kind, name, rng.choice(("500m", "1", "2")), template=fields, **spec))
    kinds = {one["metadata"]["name"]: one["kind"] for one in there}
    rng.shuffle(called)
    assignments = [f"{kinds[one]}/{one}={rng.choice(('high', 'low', 'middle'))}" for one in called]
    return exported([*nodes, *there, priority_class("middle", 500)]), assignments


def safe_orders(state: list[Obj], found: Introduction, judge: Judge) -> set[tuple[str, ...]]:
    """All safe orders, each step of each of which is played."""
    loaded, safe = LoadedState(state), set()
    for order in permutations(found.steps):
        play = Play(PlanRequest(loaded), changes_later=True)
        play.change([Apply(found.preparation)])
        play.run()
        if all(play_step(play, step, judge).is_safe for step in order):
            safe.add(tuple(step.name for step in order))
    return safe


def check(seed: int) -> str:
    rng = Random(seed)
    state, assignments = world(rng)
    important = rng.choice((None, 500, 1000))
    introduced_ = introduced(state, *assignments)
    safe = safe_orders(state, introduced_, Judge(introduced_.priorities, important))
    found = advice(state, *assignments, important=important)
    if safe:
        assert found.verdict in ("Safe", "Reordered")
        assert tuple(names(found)) in safe
        given = tuple(step.name for step in introduced_.steps)
        assert (found.verdict == "Safe") == (given in safe)
    else:
        assert found.verdict == "Impossible"
    return found.verdict


def test_an_order_is_found_if_playing_all_of_them_finds_one() -> None:
    assert {check(seed) for seed in (29, 32)} == {"Reordered", "Impossible"}


@pytest.mark.seeds(0, 200)
def test_many_worlds(seed: int) -> None:
    check(seed)
