"""What a log still has."""

import pytest

from podium.core.log import ChangeLog, Log
from podium.core.pod_classes import PodClasses


def test_it_has_what_happened_since_a_number() -> None:
    log: Log[str] = Log()
    for entry in "abc":
        log.append(entry)
    assert (log.start, log.end) == (0, 3)
    assert [log.since(number) for number in range(4)] == [[*"abc"], [*"bc"], ["c"], []]


def test_what_is_long_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.core.log.LENGTH_MAX", 10)
    log: Log[int] = Log()
    for number in range(1000):
        log.append(number)
        assert 5 <= log.end - log.start <= 10 or log.end < 5
        assert log.since(log.start) == [*range(log.start, log.end)]
    with pytest.raises(LookupError):
        log.since(log.start - 1)


def test_rows_of_changes_come_as_an_array(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.core.log.LENGTH_MAX", 10)
    log, classes = ChangeLog(), PodClasses()
    cls = classes.of({"metadata": {"name": "p"}}, wants_node=False)
    for row in range(100):
        log.append((row, cls, 1))
        rows = [changed for changed, _, _ in log.since(log.start)]
        assert log.rows_since(log.start).tolist() == rows
    assert log.rows_since(log.end).tolist() == []
