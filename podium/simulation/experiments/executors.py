"""Plays runs on the cores of this machine; `dask_executor` plays them on a cluster of machines."""

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


_CONNECT_S = 60.0
_RETRIES = 3


class DaskError(PodiumError):
    """A Dask cluster that can't be used."""


class DaskExecutor(msgspec.Struct, frozen=True):
    """Hands runs to the workers of a Dask cluster; what a lost worker had is played by others."""

    address: str

    def __call__(self, runs: Sequence[ScenarioRun], done: Done) -> Iterator[tuple[int, RunResult]]:
        """Yield each run's number and result as they come; raises DaskError."""
        # An optional package.
        from distributed import Client, as_completed

        timeout_s = _timeout_s()
        try:
            client: Any = Client(  # type: ignore[no-untyped-call]
                self.address, timeout=timeout_s, set_as_default=False
            )
        except (OSError, ValueError) as error:
            raise DaskError(f"--dask {self.address}: can't be reached: {error}") from None
        with client:
            # Wait for the first worker: a cluster may have been started a moment ago.
            try:
                client.wait_for_workers(1, timeout=timeout_s)
            except TimeoutError:
                raise DaskError(f"--dask {self.address}: there are no workers") from None
            _check_versions(self.address, client.run(_version, on_error="return"))
            # A run depends on nothing but itself; no two are to be taken for one.
            futures = client.map(play, runs, pure=False, retries=_RETRIES)
            numbers = {future.key: number for number, future in enumerate(futures)}
            finished: Any = as_completed(futures, loop=client.loop)  # type: ignore[no-untyped-call]
            for over, future in enumerate(finished, start=1):
                yield numbers[future.key], _result(future)
                done(over)


def _result(future: Any) -> RunResult:
    error = future.exception()
    if error is not None:
        return RunResult(error=f"Dask gave it up: {error}", is_lost=True)
    result: RunResult = future.result()
    return result


def _version() -> str:
    return __version__


def _timeout_s() -> float:
    """For how long to wait for the cluster: longer, if Dask's own configuration is more patient."""
    from dask import config
    from dask.utils import parse_timedelta

    told_s = parse_timedelta(config.get("distributed.comm.timeouts.connect"))
    return max(_CONNECT_S, float(told_s))


def _check_versions(address: str, versions: dict[str, Any]) -> None:
    for worker, version in sorted(versions.items()):
        if version != __version__:
            found = f"Podium {version}" if isinstance(version, str) else f"no Podium: {version}"
            raise DaskError(f"--dask {address}: {worker} has {found}, not {__version__}")
