"""Numbers as people read them."""

from podium.simulation.experiments.comparison.paired_differences import Interval

_NONE = "-"


def number_text(value: float) -> str:
    """A number with as many digits as matter: `0`, `12`, `3.42`, `0.0567`."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


def change_text(value: float) -> str:
    """The same with its sign."""
    return f"+{number_text(value)}" if value > 0 else number_text(value).replace("-", "−")


def interval_text(interval: Interval | None) -> str:
    """Both ends of an interval."""
    if interval is None:
        return _NONE
    return f"{change_text(interval.low)} … {change_text(interval.high)}"
