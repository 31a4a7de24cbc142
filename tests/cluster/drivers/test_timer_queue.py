"""The timers: order in time, and at one time."""

from hypothesis import given
from hypothesis import strategies as st

from podium.cluster.drivers.timer_queue import TimerQueue


def run_all(timers: TimerQueue) -> None:
    while (next_s := timers.next_s()) is not None:
        timers.advance_to(next_s)
        timers.run_next()


def test_what_comes_last_waits_for_all_that_comes_up_at_its_moment() -> None:
    timers, done = TimerQueue(0.0), list[str]()
    timers.put(1.0, done.append, "last", comes_last=True)
    timers.put(1.0, lambda text: timers.put(1.0, done.append, text), "second")
    timers.put(1.0, done.append, "first")
    timers.put(2.0, done.append, "later")
    run_all(timers)
    assert done == ["first", "second", "last", "later"]


def test_a_cancelled_entry_is_neither_run_nor_waited_for() -> None:
    timers, done = TimerQueue(0.0), list[str]()
    timers.put(0.0, done.append, "now").cancel()
    timers.put(5.0, done.append, "later").cancel()
    assert timers.next_s() is None
    assert done == []


def test_a_moment_may_be_left_before_its_end() -> None:
    timers = TimerQueue(3.0)

    def again(_: object) -> None:
        timers.put(0.0, again, None)

    again(None)
    assert not timers.run_due(100)
    timers.next_s()
    assert not timers.run_due(100)


def test_a_moment_that_ends_at_its_limit_is_over() -> None:
    timers, done = TimerQueue(3.0), list[int]()
    for number in range(3):
        timers.put(3.0, done.append, number)
    assert timers.run_due(3)
    assert done == [0, 1, 2]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3))))
def test_order_is_by_time_and_then_by_number(plan: list[tuple[int, int]]) -> None:
    """Entries that put further ones follow the same order as a sorted list would give."""
    timers, done = TimerQueue(0.0), list[tuple[float, int]]()
    count = iter(range(10_000))

    def run(entry: tuple[float, int, int]) -> None:
        time_s, number, children = entry
        done.append((time_s, number))
        for _ in range(children):
            put(timers.now_s, 0)

    def put(time_s: float, children: int) -> None:
        timers.put(time_s, run, (time_s, next(count), children))

    for time_s, children in plan:
        put(float(time_s), children)
    run_all(timers)
    assert done == sorted(done)
    assert len(done) == sum(1 + children for _, children in plan)
