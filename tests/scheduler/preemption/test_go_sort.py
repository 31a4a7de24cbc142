"""Go's `sort.Slice`: sorts like any other where order is total, and like itself where it isn't."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.scheduler.preemption.go_sort import INSERTION_MAX, _Sorter, go_sort

LENGTHS = (0, 1, 2, 12, 13, 49, 50, 51, 200, 500)

PATTERNS: dict[str, Callable[[int], list[int]]] = {
    "ascending": lambda n: list(range(n)),
    "descending": lambda n: list(range(n, 0, -1)),
    "equal": lambda n: [7] * n,
    "two values": lambda n: [i % 2 for i in range(n)],
    "saw": lambda n: [i % 11 for i in range(n)],
    "pipe": lambda n: [min(i, n - i) for i in range(n)],
    "almost ascending": lambda n: [*range(n // 2), n, *range(n // 2, n)],
    "last first": lambda n: [n, *range(n)],
    "ascending halves": lambda n: [*range(n // 2), *range(n // 2)],
    "random": lambda n: [Random(n).randrange(n + 1) for _ in range(n)],
}


def less(a: int, b: int) -> bool:
    return a < b


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns(pattern: str, length: int) -> None:
    items = PATTERNS[pattern](length)
    expected = sorted(items)
    go_sort(items, less)
    assert items == expected


@given(st.lists(st.integers(-50, 50), max_size=500))
def test_total_orders(items: list[int]) -> None:
    expected = sorted(items)
    go_sort(items, less)
    assert items == expected


@given(st.lists(st.tuples(st.integers(0, 3), st.integers()), max_size=120))
def test_equal_elements_are_kept(items: list[tuple[int, int]]) -> None:
    """It isn't stable, but loses and doubles nothing."""
    result = list(items)
    go_sort(result, lambda a, b: a[0] < b[0])
    assert [rank for rank, _ in result] == sorted(rank for rank, _ in items)
    assert sorted(result) == sorted(items)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers()), max_size=INSERTION_MAX))
def test_short_lists_are_sorted_stably(items: list[tuple[int, int]]) -> None:
    expected = sorted(items, key=lambda item: item[0])
    go_sort(items, lambda a, b: a[0] < b[0])
    assert items == expected


@pytest.mark.parametrize("length", [2, 4, INSERTION_MAX])
def test_whoever_is_asked_first_wins(length: int) -> None:
    """With a comparison that always says yes, insertion reverses the list."""
    items = list(range(length))
    go_sort(items, lambda a, b: True)
    assert items == list(range(length))[::-1]


@given(st.integers(0, 200), st.integers())
def test_contradictions_end(length: int, seed: int) -> None:
    items, random = list(range(length)), Random(seed)
    go_sort(items, lambda a, b: random.random() < 0.5)
    assert sorted(items) == list(range(length))


@pytest.mark.parametrize("length", LENGTHS)
def test_equal_elements_of_a_list_that_is_in_order_stay_as_they_are(length: int) -> None:
    items = [(number // 7, number) for number in range(length)]
    expected = list(items)
    go_sort(items, lambda a, b: a[0] < b[0])
    assert items == expected


@given(st.permutations(range(3)))
def test_the_pivot_of_a_short_list_is_the_median_of_its_quarters(ranks: list[int]) -> None:
    items = [9] * 16
    items[4], items[8], items[12] = ranks
    pivot, hint = _Sorter(items, less)._choose_pivot(0, 16)
    assert items[pivot] == 1
    assert (hint == "increasing") is (ranks == [0, 1, 2])


@given(st.permutations(range(9)))
def test_the_pivot_of_a_long_list_is_the_median_of_three_medians(ranks: list[int]) -> None:
    items = [9] * 64
    for number, quarter in enumerate((16, 32, 48)):
        items[quarter - 1 : quarter + 2] = ranks[3 * number : 3 * number + 3]
    pivot, hint = _Sorter(items, less)._choose_pivot(0, 64)
    medians = [sorted(ranks[at : at + 3])[1] for at in (0, 3, 6)]
    assert items[pivot] == sorted(medians)[1]
    if ranks in ([*range(9)], [*range(9)][::-1]):
        assert hint == ("increasing" if ranks[0] == 0 else "decreasing")


@given(st.lists(st.integers(-50, 50), max_size=200))
def test_heap_sort_takes_over_from_bad_pivots(items: list[int]) -> None:
    """At once, if none is allowed."""
    expected = sorted(items)
    _Sorter(items, less).sort(0, len(items), limit=0)
    assert items == expected
