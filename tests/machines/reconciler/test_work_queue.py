"""How long controllers wait after failures."""

import pytest

from podium.machines.backoff import Backoff
from podium.machines.reconciler.work_queue import DelayedKeys, RetryLimits, RetryRules


def test_the_earliest_time_counts_once() -> None:
    delayed = DelayedKeys[str]()
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
    delayed = DelayedKeys[str]()
    delayed.add("a", 1.0)
    assert list(delayed.take_due(1.0)) == ["a"]
    delayed.add("a", 3.0)
    assert (delayed.next_s(), list(delayed.take_due(2.0))) == (3.0, [])


def test_waits_double_from_five_milliseconds_to_a_thousand_seconds() -> None:
    limits = RetryLimits(RetryRules())
    waits_s = [limits.fail("a", 1e6 * number) for number in range(20)]
    assert waits_s[:4] == [0.005, 0.01, 0.02, 0.04]
    assert waits_s[17:] == [655.36, 1000.0, 1000.0]
    assert limits.fail("b", 1e9) == 0.005


def test_a_key_that_succeeds_starts_all_over() -> None:
    limits = RetryLimits(RetryRules())
    limits.fail("a", 0.0)
    limits.fail("a", 0.0)
    assert limits.has_failed("a")
    limits.forget("a")
    assert not limits.has_failed("a")
    assert limits.fail("a", 0.0) == 0.005


def test_all_keys_share_a_bucket_of_a_hundred_retries_and_ten_more_a_second() -> None:
    limits = RetryLimits(RetryRules())
    waits_s = [limits.fail(number, 50.0) for number in range(103)]
    assert waits_s[:100] == [0.005] * 100
    assert waits_s[100:] == pytest.approx([0.1, 0.2, 0.3])
    # Two seconds bring twenty more, three of which are owed.
    waits_s = [limits.fail(number, 52.0) for number in range(200, 218)]
    assert waits_s[:17] == [0.005] * 17
    assert waits_s[17] == pytest.approx(0.1)


def test_without_a_bucket_keys_do_not_wait_for_each_other() -> None:
    limits = RetryLimits(RetryRules(Backoff(1.0, 60.0), has_bucket=False))
    assert {limits.fail(number, 0.0) for number in range(500)} == {1.0}


def test_a_key_may_be_given_up_until_something_happens_to_it() -> None:
    limits = RetryLimits(RetryRules(retries_max=3))
    assert [limits.fail("a", 0.0) for _ in range(5)] == [0.005, 0.01, 0.02, None, 0.005]
