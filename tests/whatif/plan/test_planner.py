"""Plans of several seeds, in several processes, interrupted, and many of one state."""

import os
import signal
from collections.abc import Callable

import pytest

from podium.api.documents.report import plain
from podium.api.errors import PodiumError
from podium.simulation.workers import LostProcessError
from podium.whatif.plan import planner
from podium.whatif.plan.changes import PARSERS, Apply, parse_delete
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planner import Planner, plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import node, pod, priority_class
from tests.replacing import replace
from tests.whatif.plan.plans import places, planned, request

HIGH = priority_class("high", 1000)
NEW = pod("new", "2", priorityClassName="high")
STATE = [
    *(node(name, "2") for name in "abcd"),
    *(pod(f"old-{name}", "2", on=name) for name in "abcd"),
    HIGH,
]
COMING = [pod(f"new-{number}", "2", priorityClassName="high") for number in range(2)]


def test_equal_nodes_are_taken_by_chance_and_by_name_with_the_first_seed() -> None:
    outcome = planned([node(name) for name in "cab"], pod("new"), seeds=12)
    assert outcome.placements[0].node == "a"
    (chance,) = outcome.chances
    assert chance.pod == "default/new"
    assert {outcome for outcome, _ in chance.outcomes} == {"a", "b", "c"}
    assert sum(times for _, times in chance.outcomes) == 12


def test_what_is_certain_is_no_chance() -> None:
    outcome = planned([node("a"), node("b", "8"), pod("old", on="a")], pod("new", "5"), seeds=5)
    assert (outcome.seeds, outcome.chances) == (5, ())


def test_victims_by_chance_are_told() -> None:
    state = [HIGH, node("a", "1"), node("b", "1"), pod("on-a", on="a"), pod("on-b", on="b")]
    chances = planned(state, pod("new", priorityClassName="high"), seeds=10).chances
    fates = {chance.pod: dict(chance.outcomes) for chance in chances}
    assert fates["default/on-a"]["loses its place"] == fates["default/new"]["a"]
    assert fates["default/on-b"]["loses its place"] == fates["default/new"]["b"]


@pytest.mark.parametrize("workers", [2, 9])
def test_the_number_of_processes_changes_nothing(workers: int) -> None:
    alone = planned(STATE, *COMING, seeds=6)
    assert alone.chances
    assert plan(request(STATE, *COMING, seeds=6), workers=workers) == alone


def test_other_processes_play_all_seeds_but_the_first(capfd: pytest.CaptureFixture[str]) -> None:
    told: list[int] = []
    asked = request(STATE, *COMING, seeds=4)
    plan(asked, lambda number, _: told.append(number), workers=2)
    assert told[-3:] == [2, 3, 4]
    assert set(told[:-3]) == {1}
    assert capfd.readouterr().err == ""


def test_an_error_and_a_lost_process_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PodiumError, match="the state has no"):
        plan(request(STATE, delete="pod/missing", seeds=3), workers=2)
    original, parent = planner._plan_of_seed, os.getpid()

    def deadly(*arguments: object) -> object:
        if os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(planner, "_plan_of_seed", deadly)
    with pytest.raises(LostProcessError, match="the process of piece 1 died"):
        plan(request(STATE, *COMING, seeds=3), workers=2)


def interrupt(seed: int, after_s: float = 0.0) -> Callable[[int, float], None]:
    """Interrupts the run of a seed after a time."""

    def tell(number: int, at_s: float) -> None:
        if number == seed and at_s >= after_s:
            raise KeyboardInterrupt

    return tell


# The victim takes half a minute to go, and only then is the new pod bound.
FULL = [HIGH, node("n", "2"), pod("old", "2", on="n", status={"phase": "Running"})]


def interrupted(seed: int, after_s: float, *, seeds: int = 1, workers: int = 1) -> Plan:
    return plan(request(FULL, NEW, seeds=seeds), interrupt(seed, after_s), workers=workers)


def test_after_an_interruption_what_has_happened_up_to_then_is_told() -> None:
    outcome = interrupted(1, 0)
    assert (outcome.interrupted, outcome.until_seconds) == (True, 0)
    assert [one.preemptor for one in outcome.preemptions] == ["default/new"]
    assert [one.pod for one in outcome.pending] == ["default/new"]
    assert plain(outcome)["interrupted"] is True
    assert places(interrupted(1, 40)) == {"new": "n"}


@pytest.mark.parametrize(("after_s", "workers"), [(500, 1), (0, 2)])
def test_of_several_seeds_those_count_that_are_complete(after_s: float, workers: int) -> None:
    outcome = interrupted(3, after_s, seeds=6, workers=workers)
    assert (outcome.interrupted, outcome.seeds, outcome.until_seconds) == (True, 2, 600.0)
    first = interrupted(1, 0, seeds=3, workers=workers)
    assert (first.interrupted, first.until_seconds) == (True, 0.0)


def test_progress_is_told_to_the_end() -> None:
    times: list[float] = []
    outcome = plan(request(FULL, NEW), lambda _, at_s: times.append(at_s))
    assert (outcome.interrupted, outcome.until_seconds) == (False, 600.0)
    assert times == sorted(times)
    assert times[-1] == 600.0


LOADED = [
    *(node(name, "2") for name in "abc"),
    *(pod(f"old-{name}", "2", on=name) for name in "ab"),
    HIGH,
]


def test_each_plan_of_a_loaded_state_is_as_of_a_state_that_was_never_planned_on() -> None:
    state = LoadedState(LOADED)
    before = [*state.load()[0].store.list("Pod").items]
    for asked in (
        PlanRequest(state, [Apply([pod("p")])]),
        PlanRequest(state, [Apply([NEW, pod("q", "2")])], seeds=2),
        PlanRequest(state, changes=[parse_delete("pod/old-a", "default")]),
        PlanRequest(state, [Apply([pod("elsewhere", namespace="other")])], repairs=True),
        PlanRequest(state, [Apply([pod("p")])]),
    ):
        assert plan(asked) == plan(replace(asked, state=LoadedState(LOADED)))
    assert state.load()[0].store.list("Pod").items == before
    assert all(kept is given for kept, given in zip(state.objects, LOADED, strict=True))


def test_a_state_is_loaded_once_and_again_only_to_be_repaired() -> None:
    state = LoadedState(LOADED)
    cluster = state.load()[0]
    plan(PlanRequest(state, [Apply([NEW])]))
    assert state.load()[0] is cluster
    assert state.load(settled=False)[0] is not cluster


def test_plans_of_one_beginning_are_as_of_a_state_that_was_never_planned_on() -> None:
    for state in (LOADED, [*LOADED, pod("waits", "3")], [*LOADED, pod("lands", "1")]):
        plans = Planner(request(state, alternatives_max=1))
        for changes in (
            [Apply([NEW, pod("q", "2")])],
            [Apply([pod("elsewhere", namespace="other")])],
            [PARSERS["cordon"]("c", ""), Apply([pod("p")])],
            [parse_delete("pod/old-a", "default")],
            [],
            [Apply([NEW, pod("q", "2")])],
        ):
            alone = PlanRequest(LoadedState(state), changes, alternatives_max=1)
            assert plans.plan(changes) == plan(alone)


def test_after_changes_that_are_wrong_other_plans_follow() -> None:
    plans = Planner(request(LOADED))
    with pytest.raises(PodiumError, match="none"):
        plans.plan([parse_delete("pod/none", "default")])
    assert plans.plan([Apply([pod("p")])]) == planned(LOADED, pod("p"))
