"""Plays runs on the cores of this machine; `dask_executor` plays them on a cluster of machines."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from podium.simulation.experiments.run import RunResult, run
from podium.simulation.experiments.settings import SettingError, SettingPlace, with_settings
from podium.simulation.experiments.whole_scenario import WholeScenario
from podium.simulation.workers import LostProcessError, in_workers


class ScenarioRun(msgspec.Struct, frozen=True):
    """A scenario to be played with a seed."""

    scenario: WholeScenario
    seed: int
    settings: Mapping[SettingPlace, Any] = msgspec.field(default_factory=dict)


Done = Callable[[int], None]
"""Is told how many runs are over."""

Executor = Callable[[Sequence[ScenarioRun], Done], Iterator[tuple[int, RunResult]]]
"""Yields each run's number and result as it comes."""


def play(one: ScenarioRun) -> RunResult:
    """Play a run."""
    if not one.settings:
        return run(one.scenario, one.seed)
    try:
        changed = with_settings(one.scenario, one.settings)
    except SettingError as error:
        return RunResult(error=str(error))
    return run(changed, one.seed)


class LocalExecutor(msgspec.Struct, frozen=True):
    """Plays runs in several processes at once."""

    workers: int

    def __call__(self, runs: Sequence[ScenarioRun], done: Done) -> Iterator[tuple[int, RunResult]]:
        """Yield each run's number and result, in order; a lost process costs only its own run."""
        number = 0
        while number < len(runs):
            told = partial(_tell, done, number)
            try:
                for result in in_workers(play, runs[number:], self.workers, told):
                    yield number, result
                    number += 1
            except LostProcessError:
                yield number, RunResult(error=LOST, is_lost=True)
                number += 1


def _tell(done: Done, before: int, over: int) -> None:
    done(before + over)


LOST = "the process that played it was killed, perhaps for want of memory"
