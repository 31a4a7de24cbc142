"""The report of a sweep: `kind: SweepReport`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Any

from podium.api.documents.report import API_VERSION, HIDDEN, IF_ANY, IF_KNOWN, Report
from podium.simulation.experiments.measures import check_measure
from podium.simulation.experiments.paired_differences import Difference, differences
from podium.simulation.experiments.run import RunResult, Witness
from podium.simulation.experiments.sweep.sweep_file import Objective, Sweep

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class TrialRun(Report):
    """One of a trial's runs."""

    scenario: str
    seed: int
    result: RunResult


@dataclass(frozen=True, slots=True)
class Trial(Report):
    """Some settings, and what the runs with them came to.

    Attributes:
        number: from 1.
        settings: the values by the settings' names.
        runs: of all scenarios and seeds.
        measures: their means over the runs that could be played.
    """

    number: int
    settings: Mapping[str, Any]
    runs: Annotated[Sequence[TrialRun], HIDDEN]
    measures: Mapping[str, float]

    @property
    def is_known(self) -> bool:
        """Whether all its runs could be played; others can't be compared with it."""
        return not any(one.result.error for one in self.runs)


def trial_of(number: int, settings: Mapping[str, Any], runs: Sequence[TrialRun]) -> Trial:
    """The trial that these runs make up."""
    played = [one.result.measures for one in runs if not one.result.error]
    names = dict.fromkeys(name for measures in played for name in measures)
    means = {
        name: round(fmean(measures.get(name, 0.0) for measures in played), _DIGITS)
        for name in names
    }
    return Trial(number, settings, runs, means)


@dataclass(frozen=True, slots=True)
class FailedTrialRun(Report):
    """A run of a trial that couldn't be played, and why."""

    trial: int
    scenario: str
    seed: int
    error: str


@dataclass(frozen=True, slots=True)
class RankedTrial(Report):
    """A trial by the objective.

    Attributes:
        rank: 1 for the best; null if not all of its runs could be played.
        objective: the mean of the objective's measure; null likewise.
        behind: how its runs differ from those of the best, pair by pair.
    """

    trial: Trial
    rank: int | None
    objective: float | None
    behind: Annotated[Difference | None, IF_KNOWN]


@dataclass(frozen=True, slots=True)
class WorstRun(Report):
    """The run in which the best settings do worst, and the pods that it is about."""

    trial: int
    scenario: str
    seed: int
    value: float
    witnesses: Annotated[Sequence[Witness], IF_ANY]


_WITNESSES_MAX = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport(Report):
    """What came of a sweep.

    Attributes:
        sweep: its name.
        scenarios: that each trial played.
        seeds: that each scenario was played with.
        settings: the names of what was varied.
        objective: the measure by which trials are ranked; empty without one.
        goal: `minimize` or `maximize`.
        trials: the best first; in their order without an objective.
        worst_run: of the best trial.
        failed: runs that couldn't be played.
    """

    api_version: str = API_VERSION
    kind: str = "SweepReport"
    sweep: str
    scenarios: Sequence[str]
    seeds: Sequence[int]
    settings: Sequence[str]
    objective: Annotated[str, IF_ANY]
    goal: Annotated[str, IF_ANY]
    trials: Sequence[RankedTrial]
    worst_run: Annotated[WorstRun | None, IF_KNOWN]
    failed: Annotated[Sequence[FailedTrialRun], IF_ANY]

    def reaches(self, bound: float) -> bool:
        """Whether the objective of the best trial is as good as this number."""
        best = self.trials[0].objective
        sign = 1 if self.goal == "minimize" else -1
        return best is not None and sign * best <= sign * bound


def sweep_report(sweep: Sweep, scenarios: Sequence[str], trials: Sequence[Trial]) -> SweepReport:
    """Rank and report trials; raises UnknownMeasureError if no run has the objective's measure."""
    objective = sweep.spec.objective
    if objective is not None:
        known = dict.fromkeys(name for trial in trials for name in trial.measures)
        check_measure("spec.objective", objective.measure, known)
    ranked = _unranked(trials) if objective is None else _ranked(trials, objective)
    is_less = objective is not None and objective.sign == 1
    return SweepReport(
        sweep=sweep.name,
        scenarios=scenarios,
        seeds=[*sweep.seeds],
        settings=[one.called for one in sweep.spec.settings],
        objective="" if objective is None else objective.measure,
        goal="" if objective is None else "minimize" if is_less else "maximize",
        trials=ranked,
        worst_run=None if objective is None else _worst_run(ranked, objective),
        failed=[
            FailedTrialRun(trial.number, one.scenario, one.seed, one.result.error)
            for trial in trials
            for one in trial.runs
            if one.result.error
        ],
    )


def _unranked(trials: Sequence[Trial]) -> list[RankedTrial]:
    return [RankedTrial(trial, None, None, None) for trial in trials]


def _ranked(trials: Sequence[Trial], objective: Objective) -> list[RankedTrial]:
    known = [trial for trial in trials if trial.is_known]
    known.sort(key=lambda one: objective.sign * one.measures.get(objective.measure, 0.0))
    found = [
        RankedTrial(
            trial,
            rank,
            trial.measures.get(objective.measure, 0.0),
            None if rank == 1 else _behind(known[0], trial, objective.measure),
        )
        for rank, trial in enumerate(known, start=1)
    ]
    return [*found, *_unranked([trial for trial in trials if not trial.is_known])]


def _behind(best: Trial, other: Trial, measure: str) -> Difference:
    pairs = [
        tuple({measure: run.result.measures.get(measure, 0.0)} for run in both)
        for both in zip(best.runs, other.runs, strict=True)
    ]
    (found,) = differences([(first, second) for first, second in pairs])
    return found


def _worst_run(ranked: Sequence[RankedTrial], objective: Objective) -> WorstRun | None:
    if not ranked or ranked[0].rank is None:
        return None
    best = ranked[0].trial
    worst = max(
        best.runs, key=lambda one: objective.sign * one.result.measures.get(objective.measure, 0.0)
    )
    # The pods of a run, those first that the measure counts.
    waits = objective.measure.startswith(("wait", "pending", "neverPlaced"))
    return WorstRun(
        best.number,
        worst.scenario,
        worst.seed,
        worst.result.measures.get(objective.measure, 0.0),
        sorted(
            worst.result.witnesses,
            key=lambda witness: (witness.what in ("waited", "neverPlaced")) != waits,
        )[:_WITNESSES_MAX],
    )
