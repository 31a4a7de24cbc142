"""What is counted by what has changed is what would be counted anew."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.scheduler.framework.evaluation import filtering
from podium.scheduler.framework.evaluation.filtering import OutcomeCounts

CODES = st.sampled_from([0, 1, 5, -1, 2**31 - 1, -(2**31)])
ROWS = st.lists(st.tuples(st.integers(-2, 2), CODES), max_size=8)


@pytest.mark.parametrize("few", [0, 3, 64])
@given(st.lists(ROWS, min_size=1, max_size=6))
def test_follows(few: int, moments: list[list[tuple[int, int]]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(filtering, "_RECOUNTED_ROWS_MAX", few)
        counted = OutcomeCounts()
        for rows in moments:
            blame, outcome = np.array([*zip(*rows, strict=True)] or [[], []], np.int32)
            counted.follow(outcome, blame)
            assert +counted.counts == Counter(rows)
            assert [counted.row_of(pair) for pair in rows] == [rows.index(pair) for pair in rows]
            assert counted.count_of(-2) == sum(who == -2 for who, _ in rows)
