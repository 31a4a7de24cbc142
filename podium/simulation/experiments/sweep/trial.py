"""A trial: some settings, and what the runs with them came to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Any

from podium.api.documents.report import HIDDEN, IF_ANY, IF_KNOWN, Report
from podium.simulation.experiments.paired_differences import Difference
from podium.simulation.experiments.run import RunResult, Witness

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
