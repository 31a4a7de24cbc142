"""How waits grow with failures, however many there are."""

import pytest

from podium.machines.reconciler.work_queue import Backoff


@pytest.mark.parametrize(
    ("failures", "wait_s"),
    [(0, 0.0), (1, 0.25), (2, 0.5), (5, 4.0), (7, 16.0), (8, 30.0), (10**6, 30.0)],
)
def test_waits_double_up_to_the_longest(failures: int, wait_s: float) -> None:
    assert Backoff(first_s=0.25, max_s=30.0).wait_s(failures) == wait_s


def test_a_longest_wait_below_the_first_holds() -> None:
    assert Backoff(first_s=5.0, max_s=3.0).wait_s(1) == 3.0
