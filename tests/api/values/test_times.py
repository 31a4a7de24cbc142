"""Times, as texts and as nanoseconds."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from podium.api.values import times

TIMES = st.integers(times.EARLIEST_NS, times.LATEST_NS)


@given(TIMES)
def test_text_and_nanoseconds_are_the_same_time(nanos: int) -> None:
    assert times.parse_time(times.format_time(nanos, digits=9)) == nanos
    assert 0 <= nanos - times.parse_time(times.format_time(nanos)) < times.NANOS_PER_SECOND


@given(
    st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)),  # noqa: DTZ001
    st.integers(-23 * 60, 23 * 60),
)
def test_the_calendar_is_python_s(local: datetime, offset_minutes: int) -> None:
    offset = timedelta(minutes=offset_minutes)
    sign, size = ("-" if offset_minutes < 0 else "+"), abs(offset_minutes)
    text = f"{local.isoformat()}{sign}{size // 60:02}:{size % 60:02}"
    elapsed = local.replace(tzinfo=UTC) - offset - datetime(1970, 1, 1, tzinfo=UTC)
    assert times.parse_time(text) == elapsed // timedelta(microseconds=1) * 1000


@given(TIMES, TIMES)
def test_order_of_texts_is_order_of_times(a: int, b: int) -> None:
    assert (times.format_time(a, digits=9) < times.format_time(b, digits=9)) == (a < b)


def test_leases_and_events_have_microseconds() -> None:
    assert times.micro_time(1.25) == "1970-01-01T00:00:01.250000Z"
