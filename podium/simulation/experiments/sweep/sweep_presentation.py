"""The presentation of a sweep: the trials, the best first, and the best trial's worst run."""

from typing import Any

from podium.api.presentation import Cell, Picture, Presentation, Section, Table, Tone, Toned
from podium.api.values.message_words import count
from podium.simulation.experiments.comparison.comparison_presentation import fate
from podium.simulation.experiments.paired_differences import change_text, interval_text, number_text
from podium.simulation.experiments.series.plots import COLOURS, figure, png
from podium.simulation.experiments.sweep.sweep_report import SweepReport

_TRIALS_MAX = 50
_MEASURES = (
    "pendingSeconds",
    "preempted",
    "evicted",
    "neverPlaced",
    "utilisation.cpu",
    "fragmentation.cpu",
)
_DRAWN = ("pendingSeconds", "preempted", "utilisation.cpu", "fragmentation.cpu")


def sweep_presentation(report: SweepReport, picture: Picture | None = None) -> Presentation:
    """Present a sweep."""
    measures = [name for name in _MEASURES if name != report.objective]
    ranking = [report.objective, "Behind the best", "95 % interval"] if report.objective else []
    headers = ["Trial", *report.settings, *ranking, *measures]
    rows = []
    for trial in report.trials:
        row: list[Cell] = [str(trial.trial.number)]
        row += [str(trial.trial.settings[name]) for name in report.settings]
        if report.objective:
            behind = trial.behind
            value = "-" if trial.objective is None else number_text(trial.objective)
            row.append(Toned(value, Tone.GOOD) if trial.rank == 1 else value)
            row.append("-" if behind is None else change_text(behind.difference))
            row.append(interval_text(None if behind is None else behind.interval))
        values = trial.trial.measures
        row += [number_text(values[name]) if name in values else "-" for name in measures]
        rows.append(row)
    runs = len(report.trials) * len(report.scenarios) * len(report.seeds)
    headline = f"{count(len(report.trials), 'trial')} of {count(runs, 'run')}"
    best = report.trials[0] if report.trials else None
    if best is not None and best.objective is not None:
        settings = ", ".join(f"{name} {value}" for name, value in best.trial.settings.items())
        objective = f"the best {report.objective}, {number_text(best.objective)}"
        headline += f"; {objective}, has {settings}"
    worst, fates, notes = report.worst_run, [], []
    if worst is not None:
        fates = [(witness.pod, fate(witness)) for witness in worst.witnesses]
        where = f"{worst.scenario}, seed {worst.seed}"
        value = number_text(worst.value)
        notes.append(f"Trial {worst.trial} in {where}: {report.objective} is {value}.")
    failed = [(str(run.trial), run.scenario, str(run.seed), run.error) for run in report.failed]
    return Presentation(
        title=f"Sweep {report.sweep}",
        headline=f"{headline}.",
        sections=[
            Section("Trials", [Table(headers, rows, rows_most=_TRIALS_MAX)]),
            Section("Where the best does worst", [Table(("Pod", "What happens"), fates, notes)]),
            Section("What the settings do", [] if picture is None else [picture]),
            Section("Runs that failed", [Table(("Trial", "Scenario", "Seed", "Why"), failed)]),
        ],
    )


def sweep_png(report: SweepReport) -> bytes:
    """Plot measures by values of settings: a dot for each run, and the mean for each value."""
    others = [one for one in _DRAWN if one != report.objective]
    measures = [report.objective, *others] if report.objective else others
    drawn, axes = figure(len(measures), len(report.settings))
    trials = sorted((ranked.trial for ranked in report.trials), key=lambda trial: trial.number)
    for column, setting in enumerate(report.settings):
        for row, measure in enumerate(measures):
            axis = axes[row][column]
            points = [
                (trial.settings[setting], run.result.measures.get(measure, 0.0))
                for trial in trials
                for run in trial.runs
                if not run.result.error
            ]
            values: list[Any] = [*{repr(value): value for value, _ in points}.values()]
            are_numbers = all(isinstance(value, int | float) for value in values)
            if are_numbers:
                values.sort()
            places = {repr(one): (one if are_numbers else at) for at, one in enumerate(values)}
            xs = [places[repr(value)] for value, _ in points]
            axis.scatter(xs, [y for _, y in points], s=9, alpha=0.5, color=COLOURS[0], linewidths=0)
            means = []
            for value in values:
                ys = [y for one, y in points if one == value]
                means.append(sum(ys) / len(ys))
            marks = [places[repr(value)] for value in values]
            axis.plot(marks, means, color=COLOURS[3], marker="o", markersize=4, label="mean")
            if not are_numbers:
                axis.set_xticks(range(len(values)), [str(value) for value in values])
            axis.set_xlabel(setting, fontsize=8)
            axis.set_ylabel(measure, fontsize=8)
            axis.tick_params(labelsize=8)
    return png(drawn)
