"""Keys that wait: of several times for one, the earliest counts."""

from podium.machines.reconciler.delayed_keys import DelayedKeys


def test_the_earliest_time_counts_once() -> None:
    delayed = DelayedKeys()
    delayed.add("a", 5.0)
    delayed.add("b", 3.0)
    delayed.add("a", 2.0)
    delayed.add("a", 4.0)
    assert delayed.next_s() == 2.0
    assert list(delayed.take_due(2.5)) == ["a"]
    assert list(delayed.take_due(10.0)) == ["b"]
    assert delayed.next_s() == float("inf")
    assert not delayed


def test_a_key_that_was_due_waits_anew() -> None:
    delayed = DelayedKeys()
    delayed.add("a", 1.0)
    assert list(delayed.take_due(1.0)) == ["a"]
    delayed.add("a", 3.0)
    assert (delayed.next_s(), list(delayed.take_due(2.0))) == (3.0, [])
