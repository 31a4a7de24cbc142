"""Schedules: what they accept, and when something is due."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from podium.api.values.cron_schedule import ScheduleError, parse_schedule


def due(text: str, after: str, count: int = 1, zone: str = "UTC") -> list[str]:
    schedule, found = parse_schedule(text, zone), []
    at_s = datetime.fromisoformat(after).replace(tzinfo=ZoneInfo(zone)).timestamp()
    for _ in range(count):
        next_s = schedule.next_s(at_s)
        assert next_s is not None
        at_s = next_s
        found.append(datetime.fromtimestamp(at_s, ZoneInfo(zone)).strftime("%m-%dT%H:%M:%S%z"))
    return found


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("*/20 * * * *", ["01-01T00:20:00+0000", "01-01T00:40:00+0000"]),
        ("5/30 3 * * *", ["01-01T03:05:00+0000", "01-01T03:35:00+0000"]),
        ("0 0 * * mon-wed", ["01-05T00:00:00+0000", "01-06T00:00:00+0000"]),
        ("0 0 13 * FRI", ["01-02T00:00:00+0000", "01-09T00:00:00+0000"]),
        ("0 0 13 jan ?", ["01-13T00:00:00+0000", "01-13T00:00:00+0000"]),
        ("@monthly", ["02-01T00:00:00+0000", "03-01T00:00:00+0000"]),
        ("@every 90s", ["01-01T00:01:30+0000", "01-01T00:03:00+0000"]),
    ],
)
def test_when_something_is_due(text: str, times: list[str]) -> None:
    assert due(text, "2026-01-01", 2) == times


def test_what_is_due_now_has_been_so() -> None:
    assert due("0 * * * *", "2026-01-01T05:00:00") == ["01-01T06:00:00+0000"]


def test_nothing_is_due_on_days_that_there_are_not() -> None:
    assert parse_schedule("0 0 31 2 *").next_s(0) is None


def test_when_clocks_are_changed() -> None:
    # 02:30 doesn't come on March 29th.
    spring = due("30 2 * * *", "2026-03-28T12:00:00", 1, "Europe/Berlin")
    assert spring == ["03-30T02:30:00+0200"]
    # 02:30 comes twice on October 25th.
    autumn = due("30 2 * * *", "2026-10-24T12:00:00", 3, "Europe/Berlin")
    assert autumn == ["10-25T02:30:00+0200", "10-25T02:30:00+0100", "10-26T02:30:00+0100"]
    hours = due("*/30 * * * *", "2026-10-25T01:45:00", 5, "Europe/Berlin")
    assert [hour[6:11] for hour in hours] == ["02:00", "02:30", "02:00", "02:30", "03:00"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty spec string"),
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("@often", "unrecognized descriptor: @often"),
        ("@every soon", "failed to parse duration @every soon: "),
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("*/2/3 * * * *", "too many slashes: */2/3"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'),
        ("0 0 L * *", "failed to parse int from L: "),
    ],
)
def test_what_is_no_schedule(text: str, message: str) -> None:
    with pytest.raises(ScheduleError) as raised:
        parse_schedule(text)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("zone", ["Mars/Phobos", "../etc/passwd", "/etc/passwd", "\0"])
def test_what_is_no_time_zone(zone: str) -> None:
    with pytest.raises(ScheduleError, match="unknown time zone"):
        parse_schedule("* * * * *", zone)
