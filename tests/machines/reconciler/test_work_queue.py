"""How long controllers wait after failures."""

import pytest

from podium.machines.reconciler.work_queue import Backoff, RetryLimits, RetryRules


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


@pytest.mark.parametrize(
    ("failures", "wait_s"),
    [(0, 0.0), (1, 0.25), (2, 0.5), (5, 4.0), (7, 16.0), (8, 30.0), (10**6, 30.0)],
)
def test_waits_double_up_to_the_longest(failures: int, wait_s: float) -> None:
    assert Backoff(first_s=0.25, max_s=30.0).wait_s(failures) == wait_s


def test_a_longest_wait_below_the_first_holds() -> None:
    assert Backoff(first_s=5.0, max_s=3.0).wait_s(1) == 3.0
