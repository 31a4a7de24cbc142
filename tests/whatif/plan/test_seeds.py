"""Seeds are played in several processes, and it makes no difference."""

import os
import signal

import pytest

from podium.whatif.plan.changes import Apply, TargetError, parse_delete
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import node, pod, priority_class

STATE = [
    *(node(name, "2") for name in "abcd"),
    *(pod(f"old-{name}", "2", on=name) for name in "abcd"),
    priority_class("high", 10),
]
COMING = [pod(f"new-{number}", "2", priorityClassName="high") for number in range(2)]


def request(seeds: int, delete: str = "") -> PlanRequest:
    deleted = [parse_delete(text, "default") for text in delete.split()]
    return PlanRequest(LoadedState(STATE), [*deleted, Apply(COMING)], seeds=seeds)


@pytest.mark.parametrize("workers", [2, 3, 9])
def test_the_number_of_processes_changes_nothing(workers: int) -> None:
    alone = plan(request(6))
    assert alone.chances
    assert plan(request(6), workers=workers) == alone


def test_other_processes_play_all_seeds_but_the_first(capfd: pytest.CaptureFixture[str]) -> None:
    told: list[int] = []
    plan(request(4), lambda number, _: told.append(number), workers=2)
    assert told[-3:] == [2, 3, 4]
    assert set(told[:-3]) == {1}
    assert capfd.readouterr().err == ""


def test_an_interruption_leaves_what_is_complete() -> None:
    def interrupt(number: int, _: float) -> None:
        if number == 3:
            raise KeyboardInterrupt

    outcome = plan(request(6), interrupt, workers=2)
    assert (outcome.interrupted, outcome.seeds) == (True, 2)


def test_the_first_seed_may_be_interrupted() -> None:
    def interrupt(*_: float) -> None:
        raise KeyboardInterrupt

    outcome = plan(request(3), interrupt, workers=2)
    assert (outcome.interrupted, outcome.until_s) == (True, 0.0)


def test_what_is_wrong_is_told() -> None:
    with pytest.raises(TargetError, match="the state has no"):
        plan(request(3, delete="pod/missing"), workers=2)


def test_a_process_that_dies_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    from podium.simulation.workers import LostProcessError
    from podium.whatif.plan import planner

    original, parent = planner._plan_of_seed, os.getpid()

    def deadly(*arguments: object) -> object:
        if os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(planner, "_plan_of_seed", deadly)
    with pytest.raises(LostProcessError, match="the process of piece 1 died"):
        plan(request(3), workers=2)
