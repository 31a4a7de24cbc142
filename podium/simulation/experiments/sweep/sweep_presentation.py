"""A sweep for people: the trials, the best first, and what the best is at its worst."""

from collections.abc import Sequence
from typing import Any

from podium.api.presentation import Cell, Picture, Presentation, Section, Table, Tone, Toned
from podium.simulation.experiments.comparison.comparison_presentation import fate
from podium.simulation.experiments.paired_differences import change_text, interval_text, number_text
from podium.simulation.experiments.series.plots import COLOURS, figure, png
from podium.simulation.experiments.sweep.sweep_report import RankedTrial, SweepReport

_TRIALS_MAX = 50
_MEASURES = (
    "pendingSeconds",
    "preempted",
    "evicted",
    "neverPlaced",
    "utilisation.cpu",
    "fragmentation.cpu",
)


def sweep_presentation(report: SweepReport, picture: Picture | None = None) -> Presentation:
    """Present a sweep."""
    measures = [name for name in _MEASURES if name != report.objective]
    has_rank = bool(report.objective)
    headers = [
        "Trial",
        *report.settings,
        *([report.objective, "Behind the best", "95 % interval"] if has_rank else []),
        *measures,
    ]
    rows = [_row(one, report, measures) for one in report.trials]
    return Presentation(
        title=f"Sweep {report.sweep}",
        headline=_headline(report),
        sections=[
            Section("Trials", [Table(headers, rows, rows_most=_TRIALS_MAX)]),
            Section("Where the best does worst", [_worst(report)]),
            Section("What the settings do", [] if picture is None else [picture]),
            Section("Runs that failed", [_failed(report)]),
        ],
    )


def _headline(report: SweepReport) -> str:
    trials = len(report.trials)
    runs = trials * len(report.scenarios) * len(report.seeds)
    told = f"{trials} trials of {runs} runs"
    best = report.trials[0] if report.trials else None
    if best is None or best.rank is None or best.objective is None:
        return f"{told}."
    settings = ", ".join(f"{name} {value}" for name, value in best.trial.settings.items())
    return f"{told}; the best {report.objective}, {number_text(best.objective)}, has {settings}."


def _row(one: RankedTrial, report: SweepReport, measures: list[str]) -> list[Cell]:
    row: list[Cell] = [str(one.trial.number)]
    row += [str(one.trial.settings[name]) for name in report.settings]
    if report.objective:
        behind = one.behind
        told = "-" if one.objective is None else number_text(one.objective)
        row.append(Toned(told, Tone.GOOD) if one.rank == 1 else told)
        row.append("-" if behind is None else change_text(behind.difference))
        row.append(interval_text(None if behind is None else behind.interval))
    found = one.trial.measures
    return [*row, *(number_text(found[name]) if name in found else "-" for name in measures)]


def _worst(report: SweepReport) -> Table:
    worst = report.worst_run
    if worst is None:
        return Table(("Pod", "What happens"), ())
    where = f"{worst.scenario}, seed {worst.seed}"
    note = f"Trial {worst.trial} in {where}: {report.objective} is {number_text(worst.value)}."
    return Table(("Pod", "What happens"), [(one.pod, fate(one)) for one in worst.witnesses], [note])


def _failed(report: SweepReport) -> Table:
    return Table(
        ("Trial", "Scenario", "Seed", "Why"),
        [(str(one.trial), one.scenario, str(one.seed), one.error) for one in report.failed],
    )


_DRAWN = ("pendingSeconds", "preempted", "utilisation.cpu", "fragmentation.cpu")


def sweep_png(report: SweepReport) -> bytes:
    """A column a setting, a row a measure: a dot a run, and the mean of each value's runs."""
    others = [one for one in _DRAWN if one != report.objective]
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
