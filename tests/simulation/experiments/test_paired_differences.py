"""Paired differences and their intervals."""

import pytest

from podium.simulation.experiments.paired_differences import PAIRS_MIN, Interval, differences


def pairs(found: list[float]) -> list[tuple[dict[str, float], dict[str, float]]]:
    return [({"m": 10.0}, {"m": 10.0 + one}) for one in found]


def test_the_interval_is_students() -> None:
    # Mean 3.5, deviation 1.870829, t(5) = 2.570582: 3.5 ± 1.963311.
    (one,) = differences(pairs([1, 2, 3, 4, 5, 6]))
    assert (one.a, one.b, one.difference) == (10.0, 13.5, 3.5)
    assert one.interval is not None
    assert one.interval.low == pytest.approx(1.536689, abs=0.005)
    assert one.interval.high == pytest.approx(5.463311, abs=0.005)
    assert one.is_certain


def test_many_pairs_come_near_the_normal_distribution() -> None:
    # t(99) = 1.984217.
    (one,) = differences(pairs([-1.0, 1.0] * 50))
    assert one.interval is not None
    assert one.interval.high == pytest.approx(1.984217 * (100 / 99) ** 0.5 / 10, abs=1e-4)
    assert not one.is_certain


def test_few_pairs_have_no_interval() -> None:
    (one,) = differences(pairs([1.0] * (PAIRS_MIN - 1)))
    assert one.interval is None
    assert not one.is_certain


def test_signs_and_the_widest_pair_are_told() -> None:
    (one,) = differences(pairs([0, 1, -3, 0, 2, 0]))
    assert (one.higher, one.lower, one.widest, one.pairs) == (2, 1, 2, 6)


def test_what_a_run_lacks_is_nothing() -> None:
    one, two = differences([({"a": 1.0}, {"b": 2.0})])
    assert (one.measure, one.difference) == ("a", -1.0)
    assert (two.measure, two.difference) == ("b", 2.0)


def test_pairs_that_are_alike_differ_by_nothing() -> None:
    (one,) = differences(pairs([0.0] * 6))
    assert (one.widest, one.interval) == (None, Interval(0.0, 0.0))
