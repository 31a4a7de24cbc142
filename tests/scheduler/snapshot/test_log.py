"""What the cursor of a log has to tell its reader."""

from random import Random

import pytest

from podium.scheduler.snapshot.log import Log
from podium.scheduler.snapshot.pod_classes import PodClasses
from podium.scheduler.snapshot.snapshot import rows_of


@pytest.fixture
def _short_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.scheduler.snapshot.log.LENGTH_MAX", 10)


def _log_of(entries: str) -> Log[str]:
    log: Log[str] = Log()
    for entry in entries:
        log.append(entry)
    return log


@pytest.mark.parametrize(
    ("count", "at_most", "is_told"), [(3, 3, True), (4, 3, False), (1, 0, False)]
)
def test_a_cursor_is_too_far_behind_where_its_reader_says_so(
    count: int, at_most: int, is_told: bool
) -> None:
    log = _log_of("abc")
    cursor = log.cursor()
    for _ in range(count):
        log.append("x")
    assert cursor.new(at_most=at_most) == (["x"] * count if is_told else None)


def test_a_cursor_that_was_too_far_behind_starts_over_at_the_end() -> None:
    log = _log_of("")
    cursor = log.cursor()
    log.append("a")
    log.append("b")
    assert cursor.new(at_most=1) is None
    assert cursor.new(at_most=1) == []
    log.append("c")
    assert cursor.new(at_most=1) == ["c"]


def test_every_cursor_of_a_log_that_restarts_is_too_far_behind() -> None:
    log = _log_of("")
    ahead, behind = log.cursor(), log.cursor()
    log.append("a")
    ahead.new()
    log.restart()
    assert (ahead.new(), behind.new()) == (None, None)
    log.append("b")
    assert (ahead.new(), behind.new()) == (["b"], ["b"])


def test_the_end_moves_with_each_entry_and_each_restart() -> None:
    log = _log_of("abc")
    log.restart()
    log.append("d")
    assert log.end == 5


def test_entries_before_a_cursor_are_forgotten_once_they_are_the_majority() -> None:
    log = _log_of("a")
    first = log.cursor()
    for entry in "bcd":
        log.append(entry)
    second = log.cursor()
    log.append("e")
    log.forget_before(first)
    assert [*log.entries] == [*"abcde"]
    log.forget_before(second)
    assert ([*log.entries], second.new(), first.new()) == (["e"], ["e"], None)


@pytest.mark.usefixtures("_short_logs")
@pytest.mark.parametrize("seed", range(5))
def test_a_cursor_has_all_that_was_written_or_says_that_it_has_not(seed: int) -> None:
    dice, log = Random(seed), Log[int]()
    written: list[int] = []
    cursors = [(log.cursor(), 0) for _ in range(4)]
    told = 0
    for number in range(500):
        log.append(number)
        written.append(number)
        place = dice.randrange(40)
        if place < len(cursors):
            cursor, read = cursors[place]
            missing, new = written[read:], cursor.new()
            assert new == missing or (new is None and len(missing) > 5)
            assert new is not None or len(missing) > 0
            told += new is not None
            cursors[place] = cursor, len(written)
    assert told


@pytest.mark.usefixtures("_short_logs")
def test_of_a_long_log_the_newer_half_is_remembered() -> None:
    log: Log[int] = Log()
    first, cursors = log.cursor(), []
    for number in range(11):
        cursors.append(log.cursor())
        log.append(number)
    assert first.new() is None
    assert [cursor.new() for cursor in cursors[:6]] == [None] * 6
    assert [cursor.new() for cursor in cursors[6:]] == [[*range(n, 11)] for n in range(6, 11)]


def test_rows_of_changes_come_as_an_array() -> None:
    cls = PodClasses().of({"metadata": {"name": "p"}}, wants_node=False)
    assert rows_of([(3, cls, 1), (1, cls, -1), (3, cls, 1)]).tolist() == [3, 1, 3]
    assert rows_of([]).tolist() == []
