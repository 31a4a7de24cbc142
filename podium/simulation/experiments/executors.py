"""Executors run the scenarios of an experiment, on this machine's cores or on a Dask cluster."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from podium.api.errors import PodiumError
from podium.api.release import __version__
from podium.simulation.experiments.run import RunResult, run
from podium.simulation.experiments.settings import SettingError, SettingPlace, with_settings
from podium.simulation.experiments.whole_scenario import WholeScenario
from podium.simulation.workers import LostProcessError, in_workers

LOST = "the process that played it was killed, perhaps for want of memory"
_CONNECT_S = 60.0
_RETRIES = 3


class ScenarioRun(msgspec.Struct, frozen=True):
    """A scenario to run with a seed and settings."""

    scenario: WholeScenario
    seed: int
    settings: Mapping[SettingPlace, Any] = msgspec.field(default_factory=dict)


Done = Callable[[int], None]
"""Called with the number of finished runs."""

Executor = Callable[[Sequence[ScenarioRun], Done], Iterator[tuple[int, RunResult]]]
"""Runs scenarios, and yields the index and the result of each run as it finishes."""


def play(scenario_run: ScenarioRun) -> RunResult:
    """Run a scenario; if the path of a setting doesn't exist, the result has the error."""
    scenario = scenario_run.scenario
    try:
        if scenario_run.settings:
            scenario = with_settings(scenario, scenario_run.settings)
    except SettingError as error:
        return RunResult(error=str(error))
    return run(scenario, scenario_run.seed)


class LocalExecutor(msgspec.Struct, frozen=True):
    """Runs scenarios in several processes of this machine."""

    workers: int

    def __call__(self, runs: Sequence[ScenarioRun], done: Done) -> Iterator[tuple[int, RunResult]]:
        """Yield results in order; if a process is killed, only its own run is lost."""
        number = 0
        while number < len(runs):
            progress = partial(lambda before, over: done(before + over), number)
            try:
                for result in in_workers(play, runs[number:], self.workers, progress):
                    yield number, result
                    number += 1
            except LostProcessError:
                yield number, RunResult(error=LOST, is_lost=True)
                number += 1


class DaskExecutor(msgspec.Struct, frozen=True):
    """Runs scenarios on a Dask cluster, which repeats the runs of lost workers."""

    address: str

    def __call__(self, runs: Sequence[ScenarioRun], done: Done) -> Iterator[tuple[int, RunResult]]:
        """Yield results in any order; raises PodiumError."""
        # An optional package.
        from distributed import Client, as_completed

        timeout_s = _timeout_s()
        try:
            client: Any = Client(  # type: ignore[no-untyped-call]
                self.address, timeout=timeout_s, set_as_default=False
            )
        except (OSError, ValueError) as error:
            raise PodiumError(f"--dask {self.address}: can't be reached: {error}") from None
        with client:
            # Wait for the first worker: a cluster may have been started a moment ago.
            try:
                client.wait_for_workers(1, timeout=timeout_s)
            except TimeoutError:
                raise PodiumError(f"--dask {self.address}: there are no workers") from None
            _check_versions(self.address, client.run(_version, on_error="return"))
            # Equal runs are played each: Dask would take pure ones for one.
            futures = client.map(play, runs, pure=False, retries=_RETRIES)
            numbers = {future.key: number for number, future in enumerate(futures)}
            finished: Any = as_completed(futures, loop=client.loop)  # type: ignore[no-untyped-call]
            for over, future in enumerate(finished, start=1):
                failure = future.exception()
                if failure is None:
                    yield numbers[future.key], future.result()
                else:
                    lost = RunResult(error=f"Dask gave it up: {failure}", is_lost=True)
                    yield numbers[future.key], lost
                done(over)


def _version() -> str:
    # Sent by its name, so that a worker answers with the release that is installed there.
    return __version__


def _timeout_s() -> float:
    from dask import config
    from dask.utils import parse_timedelta

    # Dask's own configuration may be more patient.
    configured_s = parse_timedelta(config.get("distributed.comm.timeouts.connect"))
    return max(_CONNECT_S, float(configured_s))


def _check_versions(address: str, versions: dict[str, Any]) -> None:
    for worker, version in sorted(versions.items()):
        if version != __version__:
            installed = f"Podium {version}" if isinstance(version, str) else f"no Podium: {version}"
            raise PodiumError(f"--dask {address}: {worker} has {installed}, not {__version__}")
