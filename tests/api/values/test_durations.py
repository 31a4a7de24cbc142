"""Durations as Go reads and prints them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.values.durations import (
    DurationError,
    duration_seconds,
    format_duration,
    parse_duration,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0.0),
        ("-0", 0.0),
        ("10s", 10.0),
        ("+10s", 10.0),
        ("-1.5h", -5400.0),
        ("1h2m3s", 3723.0),
        ("1.s", 1.0),
        (".5s", 0.5),
        ("250ms", 0.25),
        ("7us", 7e-6),
        ("7µs", 7e-6),
        ("7μs", 7e-6),
        ("7ns", 7e-9),
        ("1m1m", 120.0),
        (f"{'0' * 5_000}1.5{'0' * 5_000}s", 1.5),
        *dict.fromkeys(
            ("", "-", "10", "s", ".s", "1 s", "1d", "1s2", "--1s", "1,5s", "٣s")
        ).items(),
    ],
)
def test_reading(text: str, seconds: float | None) -> None:
    assert duration_seconds(text) == seconds


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
