"""The choice among candidates: ordered keys, each breaking the ties of those before."""

from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.scheduler.preemption.choice import KEYS, Choice, choose
from podium.scheduler.snapshot.pod_info import NOT_STARTED

FIELDS = ("violations", "top_priority", "priority_sum", "victim_count", "earliest_start")
EQUAL = (1, 7, 70, 3, 500)

# Few values, so that ties reach the last key; a start may be missing.
SMALL = st.integers(0, 1)
STARTS = st.sampled_from([5, 9, NOT_STARTED])
CANDIDATES = st.lists(st.tuples(SMALL, SMALL, SMALL, SMALL, STARTS), min_size=1, max_size=12)


def run_of(rows: list[tuple[int, ...]]) -> Any:
    columns = np.array(rows, np.int64).T
    return SimpleNamespace(**dict(zip(FIELDS, columns, strict=True)))


def rank(row: tuple[int, ...]) -> tuple[int, ...]:
    """Smaller is better; of starts the latest."""
    return (*row[:-1], -row[-1])


def lost_at(choice: Choice, row: int) -> int | None:
    return next((i for i, rows in enumerate(choice.left[1:]) if row not in rows), None)


@given(CANDIDATES, st.permutations(range(len(KEYS))), st.integers(1, len(KEYS)))
def test_the_keys_are_compared_in_order(
    rows: list[tuple[int, ...]], order: list[int], count: int
) -> None:
    taken = order[:count]
    choice = choose(run_of(rows), np.arange(len(rows)), [KEYS[number] for number in taken])
    ranks = [[rank(row)[number] for number in taken] for row in rows]
    best = min(ranks)
    assert choice.selected.tolist() == [i for i, one in enumerate(ranks) if one == best]
    for index, one in enumerate(ranks):
        differing = (place for place, key in enumerate(one) if key != best[place])
        assert lost_at(choice, index) == next(differing, None)


@pytest.mark.parametrize("key", range(len(KEYS)), ids=[key.name for key in KEYS])
def test_each_key_decides_between_equals(key: int) -> None:
    better = list(EQUAL)
    better[key] += 1 if FIELDS[key] == "earliest_start" else -1
    choice = choose(run_of([EQUAL, tuple(better), EQUAL]), np.arange(3))
    assert choice.selected.tolist() == [1]
    assert [lost_at(choice, row) for row in range(3)] == [key, None, key]


@given(CANDIDATES, st.integers(0, 8), st.randoms())
def test_those_that_got_furthest_come_first(
    rows: list[tuple[int, ...]], count: int, random: Random
) -> None:
    ranks = np.array(random.sample(range(len(rows)), len(rows)))
    choice = choose(run_of(rows), np.arange(len(rows)))
    chosen = min(choice.selected.tolist(), key=lambda row: ranks[row])
    others = [(row, lost_at(choice, row)) for row in range(len(rows)) if row != chosen]
    others.sort(key=lambda one: (-(len(KEYS) if one[1] is None else one[1]), ranks[one[0]]))
    assert choice.runners_up(chosen, ranks, count) == others[:count]


def test_only_candidates_are_chosen_from() -> None:
    choice = choose(run_of([(0, 0, 0, 0, 0), EQUAL, EQUAL]), np.array([1, 2]))
    assert choice.selected.tolist() == [1, 2]


def test_a_single_candidate_needs_no_key() -> None:
    choice = choose(run_of([EQUAL]), np.array([0]))
    assert len(choice.left) == 1
    assert lost_at(choice, 0) is None
