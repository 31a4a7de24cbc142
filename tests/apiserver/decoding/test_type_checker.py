"""Quantities, times and bytes: their stored form, and what is said of others."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.apiserver.decoding import type_checker


@pytest.mark.parametrize(
    ("raw", "text"), [("1000m", "1"), (2, "2"), (0.5, "500m"), ("1024Ki", "1Mi"), (None, "0")]
)
def test_quantities_are_canonical(raw: object, text: str) -> None:
    assert type_checker.quantity_text(raw) == text


def test_truth_is_no_amount() -> None:
    type_checker.quantity_text(1)
    with pytest.raises(type_checker.MalformedScalarError):
        type_checker.quantity_text(True)


@pytest.mark.parametrize(
    ("sent", "micro", "stored"),
    [
        ("2026-01-02T03:04:05Z", False, "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05.678+01:00", False, "2026-01-02T02:04:05Z"),
        ("2026-01-02T03:04:05.678901Z", True, "2026-01-02T03:04:05.678901Z"),
        ("0001-01-01T00:00:00+01:00", False, "0000-12-31T23:00:00Z"),
        ("0001-01-01T00:00:00Z", False, None),
        ("0001-01-01T00:00:00.000000Z", True, None),
    ],
)
def test_times_are_in_utc(sent: str, micro: bool, stored: str | None) -> None:
    assert type_checker.time_text(sent, micro=micro) == stored


@pytest.mark.parametrize(
    ("sent", "micro"),
    [
        ("soon", False),
        ("9999-12-31T23:59:59-01:00", False),
        ("2026-02-30T00:00:00Z", False),
        ("", False),
        ("2026-01-02", False),
        ("2026-01-02T03:04:05", False),
        ("2026-13-02T03:04:05Z", False),
        ("2026-01-02T24:04:05Z", False),
        ("2026-01-02T03:04:60Z", False),
        ("2026-01-02T03:04:05Zx", False),
        ("2026-01-02T03:04:05Z", True),
        ("2026-01-02T03:04:05.67Z", True),
        ("2026-13-02T03:04:05.678901Z", True),
    ],
)
def test_what_is_no_time(sent: str, micro: bool) -> None:
    with pytest.raises(type_checker.MalformedScalarError) as found:
        type_checker.time_text(sent, micro=micro)
    wanted = "with microseconds, such as" if micro and "678901" not in sent else "such as"
    assert str(found.value).startswith(f"expected a time {wanted} 2006-01-02T15:04:05")
    assert str(found.value).endswith(f'(RFC 3339), got "{sent}"')


@pytest.mark.parametrize(
    "text", ["!AAA", "AA!A", "AAAAA", "AAAAAA", "A===", "AA=A", "AA=", "AA==A", "AAA=A", "AA\nA!"]
)
def test_what_is_no_base64(text: str) -> None:
    with pytest.raises(type_checker.MalformedScalarError, match="illegal base64 data"):
        type_checker.check_base64(text)


@given(st.binary())
def test_base64_is_taken(data: bytes) -> None:
    type_checker.check_base64(base64.b64encode(data).decode())
    type_checker.check_base64(base64.encodebytes(data).decode())
