"""Times, as texts and as nanoseconds."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.values.times import (
    EARLIEST_NS,
    LATEST_NS,
    NANOS_PER_SECOND,
    TimeError,
    format_time,
    micro_time,
    parse_time,
)

YEAR_1 = int((datetime(1, 1, 1, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds())
TIMES = st.integers(EARLIEST_NS, LATEST_NS)


@pytest.mark.parametrize(
    ("text", "nanos"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.5Z", -NANOS_PER_SECOND // 2),
        ("2001-09-09T01:46:40Z", 10**9 * NANOS_PER_SECOND),
        ("2001-09-09T03:46:40.000000001+02:00", 10**9 * NANOS_PER_SECOND + 1),
        ("2001-09-08T20:16:40-05:30", 10**9 * NANOS_PER_SECOND),
        ("1970-01-01T00:00:00.1234567899Z", 123_456_789),
        ("0001-01-01T00:00:00Z", YEAR_1 * NANOS_PER_SECOND),
        ("2024-02-29T00:00:00Z", 1_709_164_800 * NANOS_PER_SECOND),
        ("0000-12-31T23:59:59Z", (YEAR_1 - 1) * NANOS_PER_SECOND),
        ("0001-01-01T00:00:00+01:00", (YEAR_1 - 3600) * NANOS_PER_SECOND),
        ("0000-02-29T00:00:00Z", (YEAR_1 - (366 - 59) * 86_400) * NANOS_PER_SECOND),
    ],
)
def test_parse(text: str, nanos: int) -> None:
    assert parse_time(text) == nanos


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2024-01-01",
        "2024-01-01T00:00:00",
        "2024-01-01 00:00:00Z",
        "2024-01-01T00:00:00z",
        "2023-02-29T00:00:00Z",
        "2024-01-01T24:00:00Z",
        "2024-01-01T00:00:60Z",
        "2024-01-01T00:00:00.Z",
        "2024-01-01T00:00:00+25:00",
        "0000-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-00:01",
        "10000-01-01T00:00:00Z",
        " 2024-01-01T00:00:00Z",
        None,
        17,
    ],
)
def test_what_is_no_time_is_refused_by_value(text: object) -> None:
    with pytest.raises(TimeError, match=r"must be a time such as 2006-01-02T15:04:05Z") as caught:
        parse_time(text)  # type: ignore[arg-type]
    assert caught.value.error.value is text


def test_format() -> None:
    nanos = 10**9 * NANOS_PER_SECOND + 123_456_789
    assert format_time(nanos) == "2001-09-09T01:46:40Z"
    assert format_time(nanos, digits=6) == "2001-09-09T01:46:40.123456Z"
    assert format_time(nanos, digits=9) == "2001-09-09T01:46:40.123456789Z"
    assert format_time(-1) == "1969-12-31T23:59:59Z"


def test_what_cannot_be_written_is_written_as_the_first_or_last_time() -> None:
    assert format_time(10**30) == format_time(LATEST_NS) == "9999-12-31T23:59:59Z"
    assert format_time(-(10**30)) == format_time(EARLIEST_NS) == "0000-01-01T00:00:00Z"


@given(TIMES)
def test_text_and_nanoseconds_are_the_same_time(nanos: int) -> None:
    assert parse_time(format_time(nanos, digits=9)) == nanos
    assert 0 <= nanos - parse_time(format_time(nanos)) < NANOS_PER_SECOND


@given(
    st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)),  # noqa: DTZ001
    st.integers(-23 * 60, 23 * 60),
)
def test_the_calendar_is_python_s(local: datetime, offset_minutes: int) -> None:
    offset = timedelta(minutes=offset_minutes)
    sign, size = ("-" if offset_minutes < 0 else "+"), abs(offset_minutes)
    text = f"{local.isoformat()}{sign}{size // 60:02}:{size % 60:02}"
    elapsed = local.replace(tzinfo=UTC) - offset - datetime(1970, 1, 1, tzinfo=UTC)
    assert parse_time(text) == elapsed // timedelta(microseconds=1) * 1000


@given(TIMES, TIMES)
def test_order_of_texts_is_order_of_times(a: int, b: int) -> None:
    assert (format_time(a, digits=9) < format_time(b, digits=9)) == (a < b)


def test_leases_and_events_have_microseconds() -> None:
    assert micro_time(1.25) == "1970-01-01T00:00:01.250000Z"
