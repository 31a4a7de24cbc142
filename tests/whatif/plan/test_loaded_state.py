"""A state that is loaded once can be planned on many times, and each plan is as if it were new."""

import pytest

from podium.whatif.plan.changes import PARSERS, Apply, TargetError, parse_delete
from podium.whatif.plan.planner import Planner, plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import node, pod, priority_class
from tests.replacing import replace

STATE = [
    *(node(name, "2") for name in "abc"),
    *(pod(f"old-{name}", "2", on=name) for name in "ab"),
    priority_class("high", 10),
]
HIGH = pod("new", "2", priorityClassName="high")


def requests(state: LoadedState) -> list[PlanRequest]:
    return [
        PlanRequest(state, [Apply([pod("p")])]),
        PlanRequest(state, [Apply([HIGH, pod("q", "2")])], seeds=2),
        PlanRequest(state, changes=[parse_delete("pod/old-a", "default")]),
        PlanRequest(state, [Apply([pod("elsewhere", namespace="other")])], repairs=True),
        PlanRequest(state, [Apply([pod("p")])]),
    ]


def test_each_plan_is_as_of_a_state_that_was_never_planned_on() -> None:
    for again in requests(LoadedState(STATE)):
        assert plan(again) == plan(replace(again, state=LoadedState(STATE)))


def test_nothing_of_a_plan_is_left_in_the_state() -> None:
    loaded = LoadedState(STATE)
    before = [*loaded.load()[0].store.list("Pod").items]
    plan(PlanRequest(loaded, [Apply([HIGH, pod("q", "2")])]))
    assert loaded.load()[0].store.list("Pod").items == before
    assert all(kept is given for kept, given in zip(loaded.objects, STATE, strict=True))


def test_it_is_loaded_once_and_again_only_to_be_repaired() -> None:
    loaded = LoadedState(STATE)
    cluster = loaded.load()[0]
    plan(PlanRequest(loaded, [Apply([HIGH])]))
    assert loaded.load()[0] is cluster
    assert loaded.load(settled=False)[0] is not cluster


def test_a_request_may_be_changed_and_keeps_its_state() -> None:
    request = PlanRequest(LoadedState(STATE), [Apply([HIGH])])
    assert plan(replace(request, changes=[Apply([pod("p")])])) == plan(
        PlanRequest(LoadedState(STATE), [Apply([pod("p")])])
    )


def test_plans_of_one_beginning_are_as_of_a_state_that_was_never_planned_on() -> None:
    for state in (STATE, [*STATE, pod("waits", "3")], [*STATE, pod("lands", "1")]):
        plans = Planner(PlanRequest(LoadedState(state), alternatives_max=1))
        for changes in (
            [Apply([HIGH, pod("q", "2")])],
            [Apply([pod("elsewhere", namespace="other")])],
            [PARSERS["cordon"]("c", ""), Apply([pod("p")])],
            [parse_delete("pod/old-a", "default")],
            [],
            [Apply([HIGH, pod("q", "2")])],
        ):
            assert plans.plan(changes) == plan(
                PlanRequest(LoadedState(state), changes, alternatives_max=1)
            )


def test_what_is_wrong_with_the_changes_of_a_plan_is_told_and_others_follow() -> None:
    plans = Planner(PlanRequest(LoadedState(STATE)))
    with pytest.raises(TargetError, match="none"):
        plans.plan([parse_delete("pod/none", "default")])
    assert plans.plan([Apply([pod("p")])]) == plan(
        PlanRequest(LoadedState(STATE), [Apply([pod("p")])])
    )
