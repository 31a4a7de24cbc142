"""So many requests a second, and so many at once."""

import pytest

from podium.cluster.real.rate_limiter import RateLimiter


class Clock:
    now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def test_after_a_burst_requests_come_one_by_one() -> None:
    clock = Clock()
    limiter = RateLimiter(10, 3, clock)
    waits = [limiter.reserve_s() for _ in range(5)]
    assert waits == pytest.approx([0, 0, 0, 0.1, 0.2])


def test_a_pause_fills_the_bucket_and_no_more() -> None:
    clock = Clock()
    limiter = RateLimiter(10, 2, clock)
    for _ in range(4):
        limiter.reserve_s()
    clock.now_s += 60
    assert [limiter.reserve_s() for _ in range(3)] == pytest.approx([0, 0, 0.1])


def test_without_a_limit_nobody_waits() -> None:
    limiter = RateLimiter(-1, 1, Clock())
    assert {limiter.reserve_s() for _ in range(100)} == {0.0}
