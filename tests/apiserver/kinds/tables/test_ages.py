"""Spans of time in kubectl's short form."""

import pytest

from podium.apiserver.kinds.tables.ages import between, human_duration, since

HOUR_S = 3600
DAY_S = 24 * HOUR_S
YEAR_S = 365 * DAY_S


@pytest.mark.parametrize(
    ("span_s", "told"),
    [
        (-2, "<invalid>"),
        (-1.9, "0s"),
        (0, "0s"),
        (1.9, "1s"),
        (119, "119s"),
        (120, "2m"),
        (121, "2m1s"),
        (599, "9m59s"),
        (600, "10m"),
        (659, "10m"),
        (3 * HOUR_S - 1, "179m"),
        (3 * HOUR_S, "3h"),
        (3 * HOUR_S + 60, "3h1m"),
        (8 * HOUR_S - 1, "7h59m"),
        (8 * HOUR_S + 1800, "8h"),
        (2 * DAY_S - 1, "47h"),
        (2 * DAY_S, "2d"),
        (2 * DAY_S + HOUR_S, "2d1h"),
        (8 * DAY_S - 1, "7d23h"),
        (8 * DAY_S + HOUR_S, "8d"),
        (2 * YEAR_S - 1, "729d"),
        (2 * YEAR_S, "2y"),
        (2 * YEAR_S + DAY_S, "2y1d"),
        (8 * YEAR_S - 1, "7y364d"),
        (8 * YEAR_S + DAY_S, "8y"),
    ],
)
def test_two_units_at_most(span_s, told):
    assert human_duration(span_s) == told


def test_since_a_time():
    assert since("1970-01-01T00:01:00Z", 100.5) == "40s"


@pytest.mark.parametrize("time", [None, "", "yesterday", 5])
def test_no_time_is_unknown(time):
    assert since(time, 100.0) == "<unknown>"


def test_between_two_times():
    assert between("2026-01-01T00:00:00Z", "2026-01-01T00:02:05Z") == "2m5s"
