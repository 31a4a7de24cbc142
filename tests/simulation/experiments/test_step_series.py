"""Numbers that stay as they are until they change."""

from podium.simulation.experiments.series.series import StepSeries


def series(*points: tuple[float, float]) -> StepSeries:
    found = StepSeries()
    for at_s, value in points:
        found.set(at_s, value)
    return found


def test_the_last_value_of_a_moment_counts() -> None:
    assert list(series((0, 1), (5, 2), (5, 3), (7, 3)).points()) == [(0, 1), (5, 3)]


def test_the_mean_goes_by_time() -> None:
    assert series((0, 1), (6, 4)).mean(10) == (6 + 16) / 10
    assert series((5, 4)).mean(10) == 4
    assert series((0, 1), (6, 4)).mean(3) == 1


def test_no_time_and_no_values() -> None:
    assert series((5, 4)).mean(5) == 4
    assert series().mean(5) == 0
