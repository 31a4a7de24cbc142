"""Work in forked processes: the same answers, in order, and nothing of it is left here."""

import os
import signal
import time
from collections.abc import Iterator
from multiprocessing import active_children
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

import pytest

from podium.api.errors import OMITTED, FieldError, InvalidValueError, PodiumError
from podium.cluster.drivers.machine_health import MachineError
from podium.simulation.workers import Forks, LostProcessError, in_a_copy, in_workers


@pytest.mark.parametrize("workers", [1, 2, 9])
def test_answers_come_in_the_order_of_the_items(workers: int) -> None:
    def squared(number: int) -> int:
        time.sleep(0.02 if number == 0 else 0.0)
        return number * number

    assert [*in_workers(squared, range(5), workers)] == [0, 1, 4, 9, 16]
    assert [*in_workers(squared, [], workers)] == []


def test_every_item_finds_what_was_there_before() -> None:
    found = [1]

    def append(number: int) -> list[int]:
        found.append(number)
        return found

    assert [*in_workers(append, [2, 3], 1)] == [[1, 2], [1, 3]]
    assert in_a_copy(lambda: append(4)) == [1, 4]
    assert found == [1]


def test_no_more_processes_than_that_work_at_once() -> None:
    running: list[int] = []

    def count(_: int) -> int:
        return len(running)

    for _ in in_workers(count, range(6), 2, lambda _: running.append(len(active_children()))):
        pass
    assert running
    assert max(running) <= 2


def test_progress_counts_what_is_done() -> None:
    told: list[int] = []
    assert [*in_workers(str, range(3), 2, told.append)] == ["0", "1", "2"]
    assert told == sorted(told)
    assert told[-1] == 3


def test_what_is_wrong_with_an_item_is_raised_in_its_turn() -> None:
    def refuse(number: int) -> int:
        if number == 1:
            raise PodiumError("no")
        return number

    found = in_workers(refuse, range(3), 2)
    assert next(found) == 0
    with pytest.raises(PodiumError, match="no"):
        next(found)


class StubbornError(Exception):
    """Holds what can't be copied into another process."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first}, {second}")
        self.again = lambda: StubbornError(first, second)


def test_errors_come_back_whole_whatever_their_constructors_take() -> None:
    errors = [
        MachineError("m", "Pod/x", KeyError("spec")),
        InvalidValueError(FieldError("a", OMITTED, "no")).under("b"),
        StubbornError("one", "two"),
    ]
    raised: list[Any] = []
    for error in errors:

        def fail(error: Exception = error) -> None:
            raise error

        with pytest.raises(PodiumError) as caught:
            in_a_copy(fail)
        raised.append(caught.value)
    machine, value, other = raised
    assert (str(machine), machine.who) == (str(errors[0]), "m")
    assert str(value.under("c")) == "c.b.a: Invalid value: no"
    assert str(other) == "StubbornError: one, two"


def test_a_process_that_dies_is_missed() -> None:
    def die(number: int) -> int:
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    found = in_workers(die, range(3), 2)
    assert next(found) == 0
    with pytest.raises(LostProcessError, match="the process of piece 2 died"):
        next(found)


def test_who_leaves_early_leaves_no_process_behind() -> None:
    def slow(number: int) -> int:
        time.sleep(60 if number else 0)
        return number

    found = in_workers(slow, range(3), 3)
    assert next(found) == 0
    found.close()  # type: ignore[attr-defined]
    assert active_children() == []


def test_a_fork_of_a_fork_begins_nothing_once_nobody_waits_for_it(tmp_path: Path) -> None:
    begun, ended = tmp_path / "begun", tmp_path / "ended"

    def work_on() -> None:
        try:
            for _ in range(10_000):
                begun.touch()
                in_a_copy(lambda: time.sleep(0.01))
        finally:
            ended.touch()

    def wait_for(file: Path) -> None:
        deadline_s = time.monotonic() + 60
        while not file.exists():
            assert time.monotonic() < deadline_s
            time.sleep(0.01)

    with Forks(lambda _: in_a_copy(work_on), [None], 1):
        wait_for(begun)
    wait_for(ended)


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    # Whoever starts tests in the background has them ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_what_was_begun() -> None:
    def interrupt() -> None:
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(60)

    with pytest.raises(KeyboardInterrupt):
        in_a_copy(interrupt)
    assert active_children() == []


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_at_the_moment_of_the_fork_leaves_nobody_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begin = ForkProcess.start

    def interrupted(process: ForkProcess) -> None:
        begin(process)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(ForkProcess, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        in_a_copy(lambda: time.sleep(60))
    assert active_children() == []
    monkeypatch.undo()
    assert in_a_copy(lambda: 1) == 1
