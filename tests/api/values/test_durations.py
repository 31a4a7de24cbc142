"""Durations as Go reads and prints them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.values.times import DurationError, format_duration, parse_duration


@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_what_is_printed_reads_the_same(nanos: int) -> None:
    assert parse_duration(format_duration(nanos)) == nanos


@pytest.mark.parametrize("text", ["9999999h", f"{'9' * 5_000}s"])
def test_a_duration_fits_64_bits(text: str) -> None:
    with pytest.raises(DurationError, match="invalid duration"):
        parse_duration(text)
