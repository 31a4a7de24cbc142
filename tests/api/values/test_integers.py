"""Integers in texts: what Go's strconv reads, and nothing else."""

import pytest

from podium.api.values.integers import INT32, parse_count, parse_int


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("-7", -7),
        ("+7", 7),
        ("007", 7),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", None),
        ("-9223372036854775808", -(2**63)),
        ("0" * 5_000 + "5", 5),
        ("9" * 5_000, None),
        ("٣", None),
        ("²", None),
        ("1_000", None),
        (" 1", None),
        ("", None),
        (None, None),
        (5, None),
    ],
)
def test_integers(text: object, number: int | None) -> None:
    assert parse_int(text) == number


def test_bounds() -> None:
    assert parse_int("2147483647", INT32) == 2**31 - 1
    assert parse_int("2147483648", INT32) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("18446744073709551615", 2**64 - 1), ("18446744073709551616", None)],
)
def test_counts(text: str, number: int | None) -> None:
    assert parse_count(text) == number


@pytest.mark.parametrize("text", ["-1", "+1", "", "x", None])
def test_what_is_no_count(text: object) -> None:
    assert parse_count(text) is None
