"""The agenda: order in time, and at one time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.runtime import agenda as agenda_module
from podium.runtime.agenda import Agenda, EndlessMomentError


def run_all(agenda: Agenda) -> None:
    while (next_s := agenda.next_s()) is not None:
        agenda.advance_to(next_s)
        agenda.run_next()


def test_entries_run_by_time_then_in_the_order_they_were_put() -> None:
    agenda, done = Agenda(10.0), list[str]()
    agenda.put(12.0, done.append, "d")
    agenda.put(11.0, done.append, "b")
    agenda.put(11.0, done.append, "c")
    agenda.put(9.0, done.append, "a")
    run_all(agenda)
    assert done == ["a", "b", "c", "d"]
    assert agenda.now_s == 12.0


def test_what_is_put_for_now_comes_after_what_was_due_now_before() -> None:
    agenda, done = Agenda(0.0), list[str]()
    agenda.put(1.0, lambda text: agenda.put(1.0, done.append, text), "second")
    agenda.put(1.0, done.append, "first")
    run_all(agenda)
    assert done == ["first", "second"]


def test_a_cancelled_entry_is_neither_run_nor_waited_for() -> None:
    agenda, done = Agenda(0.0), list[str]()
    agenda.put(0.0, done.append, "now").cancel()
    agenda.put(5.0, done.append, "later").cancel()
    assert agenda.next_s() is None
    assert done == []


def test_a_moment_without_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agenda_module, "ENTRIES_AT_ONE_MOMENT_MAX", 100)
    agenda = Agenda(3.0)

    def again(_: object) -> None:
        agenda.put(0.0, again, None)

    again(None)
    with pytest.raises(EndlessMomentError, match=r"100 entries at 3\.0"):
        agenda.run_due()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3))))
def test_order_is_by_time_and_then_by_number(plan: list[tuple[int, int]]) -> None:
    """Entries that put further ones follow the same order as a sorted list would give."""
    agenda, done = Agenda(0.0), list[tuple[float, int]]()
    count = iter(range(10_000))

    def run(entry: tuple[float, int, int]) -> None:
        time_s, number, children = entry
        done.append((time_s, number))
        for _ in range(children):
            put(agenda.now_s, 0)

    def put(time_s: float, children: int) -> None:
        agenda.put(time_s, run, (time_s, next(count), children))

    for time_s, children in plan:
        put(float(time_s), children)
    run_all(agenda)
    assert done == sorted(done)
    assert len(done) == sum(1 + children for _, children in plan)
