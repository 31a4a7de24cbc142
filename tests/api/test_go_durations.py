"""Durations as Go prints them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.values.durations import DurationError, format_duration, parse_duration


@pytest.mark.parametrize(
    ("nanos", "text"),
    [
        (0, "0s"),
        (1, "1ns"),
        (1500, "1.5µs"),
        (250 * 10**6, "250ms"),
        (10**9, "1s"),
        (90 * 10**9, "1m30s"),
        (300 * 10**9, "5m0s"),
        (3600 * 10**9, "1h0m0s"),
        (3661_500_000_000, "1h1m1.5s"),
        (-(10**9), "-1s"),
    ],
)
def test_printing(nanos: int, text: str) -> None:
    assert format_duration(nanos) == text


@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_what_is_printed_reads_the_same(nanos: int) -> None:
    assert parse_duration(format_duration(nanos)) == nanos


@pytest.mark.parametrize("text", ["9999999h", f"{'9' * 5_000}s"])
def test_a_duration_fits_64_bits(text: str) -> None:
    with pytest.raises(DurationError, match="invalid duration"):
        parse_duration(text)


def test_digits_that_make_no_difference() -> None:
    assert parse_duration(f"{'0' * 5_000}1.5{'0' * 5_000}s") == 1_500_000_000
