"""Go's durations."""

import pytest

from podium.api.values.durations import duration_seconds


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
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert duration_seconds(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "-", "10", "s", ".s", "1 s", "1d", "1s2", "--1s", "1,5s", "٣s"]
)
def test_other_texts(text: str) -> None:
    assert duration_seconds(text) is None
