"""The report of a sweep: `kind: SweepReport`."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Annotated, Any

from podium.api.documents.report import API_VERSION, HIDDEN, IF_ANY, IF_KNOWN, Report
from podium.simulation.experiments.measures import check_measure
from podium.simulation.experiments.paired_differences import Difference, differences
from podium.simulation.experiments.run import RunResult, Witness
from podium.simulation.experiments.sweep.sweep_file import Objective, Sweep

_DIGITS = 6
_WITNESSES_MAX = 10


class TrialRun(Report):
    """A run of a trial."""

    scenario: str
    seed: int
    result: RunResult


class Trial(Report):
    """A choice of settings, and the results of its runs."""

    number: int
    """Number of the trial, from 1."""
    settings: Mapping[str, Any]
    """Values by the names of the settings."""
    runs: Annotated[Sequence[TrialRun], HIDDEN]
    measures: Mapping[str, float]
    """Means of the measures over the runs that succeeded."""

    @property
    def is_known(self) -> bool:
        """Return whether all runs succeeded; otherwise the trial can't be ranked."""
        return not any(run.result.error for run in self.runs)


def trial_of(number: int, settings: Mapping[str, Any], runs: Sequence[TrialRun]) -> Trial:
    """Make a trial of its runs."""
    played = [run.result.measures for run in runs if not run.result.error]
    names = dict.fromkeys(name for measures in played for name in measures)
    means = {
        name: round(fmean(measures.get(name, 0.0) for measures in played), _DIGITS)
        for name in names
    }
    return Trial(number, settings, runs, means)


class FailedTrialRun(Report):
    """A run of a trial that failed, and why."""

    trial: int
    scenario: str
    seed: int
    error: str


class RankedTrial(Report):
    """A trial and its rank by the objective."""

    trial: Trial
    rank: int | None
    """Rank of the trial, 1 for the best; null unless all of its runs succeeded."""
    objective: float | None
    """Mean of the objective's measure; null unless all runs succeeded."""
    behind: Annotated[Difference | None, IF_KNOWN]
    """How the trial differs from the best trial, in pairs of runs."""


class WorstRun(Report):
    """The run of the best trial with the worst value of the objective, with affected pods."""

    trial: int
    scenario: str
    seed: int
    value: float
    witnesses: Annotated[Sequence[Witness], IF_ANY]


class SweepReport(Report, kw_only=True):
    """The result of a sweep."""

    api_version: str = API_VERSION
    kind: str = "SweepReport"
    sweep: str
    """Name of the sweep."""
    scenarios: Sequence[str]
    """Names of the scenarios that each trial runs."""
    seeds: Sequence[int]
    """Seeds with which each scenario is run."""
    settings: Sequence[str]
    """Names of the settings."""
    objective: Annotated[str, IF_ANY]
    """Measure by which trials are ranked; empty without one."""
    goal: Annotated[str, IF_ANY]
    """`minimize` or `maximize`; empty without an objective."""
    trials: Sequence[RankedTrial]
    """Trials, the best first; by number if there is no objective."""
    worst_run: Annotated[WorstRun | None, IF_KNOWN]
    """The run of the best trial with the worst value of the objective."""
    failed: Annotated[Sequence[FailedTrialRun], IF_ANY]
    """Runs that failed."""

    def reaches(self, bound: float) -> bool:
        """Return whether the objective of the best trial is as good as a bound."""
        best = self.trials[0].objective
        sign = 1 if self.goal == "minimize" else -1
        return best is not None and sign * best <= sign * bound


def sweep_report(sweep: Sweep, scenarios: Sequence[str], trials: Sequence[Trial]) -> SweepReport:
    """Rank and report trials; raises PodiumError if no run has the objective's measure."""
    objective = sweep.spec.objective
    ranked: list[RankedTrial] = []
    worst_run = None
    if objective is not None:
        measures = dict.fromkeys(name for trial in trials for name in trial.measures)
        check_measure("spec.objective", objective.measure, measures)
        ranked = _ranked([trial for trial in trials if trial.is_known], objective)
        worst_run = _worst_run(ranked[0].trial, objective) if ranked else None
    unranked = [trial for trial in trials if objective is None or not trial.is_known]
    return SweepReport(
        sweep=sweep.name,
        scenarios=scenarios,
        seeds=[*sweep.seeds],
        settings=[setting.called for setting in sweep.spec.settings],
        objective="" if objective is None else objective.measure,
        goal="" if objective is None else "minimize" if objective.sign == 1 else "maximize",
        trials=[*ranked, *(RankedTrial(trial, None, None, None) for trial in unranked)],
        worst_run=worst_run,
        failed=[
            FailedTrialRun(trial.number, run.scenario, run.seed, run.result.error)
            for trial in trials
            for run in trial.runs
            if run.result.error
        ],
    )


def _ranked(trials: list[Trial], objective: Objective) -> list[RankedTrial]:
    measure = objective.measure
    trials.sort(key=lambda trial: objective.sign * trial.measures.get(measure, 0.0))
    ranked = []
    for rank, trial in enumerate(trials, start=1):
        pairs = [
            tuple({measure: run.result.measures.get(measure, 0.0)} for run in both)
            for both in zip(trials[0].runs, trial.runs, strict=True)
        ]
        (behind,) = differences([(best, other) for best, other in pairs])
        value = trial.measures.get(measure, 0.0)
        ranked.append(RankedTrial(trial, rank, value, behind if rank > 1 else None))
    return ranked


def _worst_run(best: Trial, objective: Objective) -> WorstRun:
    def value_of(run: TrialRun) -> float:
        return run.result.measures.get(objective.measure, 0.0)

    worst = max(best.runs, key=lambda run: objective.sign * value_of(run))
    # The pods that the measure counts come first.
    waits = objective.measure.startswith(("wait", "pending", "neverPlaced"))
    witnesses = sorted(
        worst.result.witnesses,
        key=lambda witness: (witness.what in ("waited", "neverPlaced")) != waits,
    )
    kept = witnesses[:_WITNESSES_MAX]
    return WorstRun(best.number, worst.scenario, worst.seed, value_of(worst), kept)
