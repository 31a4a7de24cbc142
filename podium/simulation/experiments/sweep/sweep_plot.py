"""A sweep as a picture: what each setting does to what."""

from collections.abc import Sequence
from typing import Any

from podium.simulation.experiments.series.plots import COLOURS, figure, png
from podium.simulation.experiments.sweep.sweep_report import SweepReport

_MEASURES = ("pendingSeconds", "preempted", "utilisation.cpu", "fragmentation.cpu")


def sweep_png(report: SweepReport) -> bytes:
    """A column a setting, a row a measure: a dot a run, and the mean of each value's runs."""
    others = [one for one in _MEASURES if one != report.objective]
    measures = [report.objective, *others] if report.objective else others
    drawn, axes = figure(len(measures), len(report.settings))
    for column, setting in enumerate(report.settings):
        for row, measure in enumerate(measures):
            axis = axes[row][column]
            found = [
                (ranked.trial.settings[setting], run.result.measures.get(measure, 0.0))
                for ranked in sorted(report.trials, key=lambda one: one.trial.number)
                for run in ranked.trial.runs
                if not run.result.error
            ]
            values = _sorted([value for value, _ in found])
            are_numbers = all(isinstance(one, int | float) for one in values)
            places = {repr(one): (one if are_numbers else at) for at, one in enumerate(values)}
            xs = [places[repr(value)] for value, _ in found]
            axis.scatter(xs, [y for _, y in found], s=9, alpha=0.5, color=COLOURS[0], linewidths=0)
            means = []
            for value in values:
                ys = [y for one, y in found if one == value]
                means.append(sum(ys) / len(ys))
            marks = [places[repr(value)] for value in values]
            axis.plot(marks, means, color=COLOURS[3], marker="o", markersize=4, label="mean")
            if not are_numbers:
                axis.set_xticks(range(len(values)), [str(one) for one in values])
            axis.set_xlabel(setting, fontsize=8)
            axis.set_ylabel(measure, fontsize=8)
            axis.tick_params(labelsize=8)
    return png(drawn)


def _sorted(values: Sequence[Any]) -> list[Any]:
    unique = [*{repr(one): one for one in values}.values()]
    is_number = all(isinstance(one, int | float) for one in unique)
    return sorted(unique) if is_number else unique
