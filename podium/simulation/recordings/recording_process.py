"""Follows a cluster and records what happens there; nothing is written there."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from random import Random

from podium.api.errors import PodiumError
from podium.cluster.client.connection import Connection
from podium.cluster.client.http_api import HttpApi
from podium.cluster.drivers.driver_events import DriverEvent, ListFailed, Relisted
from podium.cluster.drivers.live import LiveDriver, SteadyClock
from podium.cluster.drivers.machine_health import MachineError
from podium.machines.async_api import ForbiddenError, NotServedError, ObjectList, WatchEventLike
from podium.machines.effects import Effect
from podium.machines.events import Outcome
from podium.simulation.recordings.recorder import RecorderMachine

Tell = Callable[[str], None]

_LOOK_S = 0.5


async def record(
    connection: Connection,
    machine: RecorderMachine,
    clock: SteadyClock,
    rng: Random,
    stop: asyncio.Event,
    *,
    warn: Tell,
    progress: Callable[[], None],
) -> None:
    """Record until the stop is requested; raises PodiumError.

    Args:
        machine: writes the recording; the caller ends it.
        warn: told in a sentence, once, what can't be read, and each time that something was missed.
    """
    async with HttpApi(connection, rng) as http:
        with suppress(ForbiddenError):
            await http.list("Namespace")
        driver = LiveDriver(_Readable(http, warn), clock, drain_s=0.0, rng=rng)
        failing: set[str] = set()

        def happened(event: DriverEvent) -> None:
            if isinstance(event, Relisted):
                reason = f"the watch of {event.kind} had expired"
                machine.missed(reason, event.at_s)
                # It has something to write down soon, which it hadn't when it stepped last.
                driver.wake(handle)
                warn(f"{reason}: what happened meanwhile is known by its results only")
            elif isinstance(event, ListFailed) and not isinstance(event.error, NotServedError):
                if event.kind not in failing:
                    warn(f"{event.kind} can't be followed for now: {event.error}")
                failing.add(event.kind)

        driver.hooks.append(happened)
        try:
            async with driver:
                handle = driver.add(machine)
                while not stop.is_set():
                    with suppress(TimeoutError):
                        await asyncio.wait_for(stop.wait(), _LOOK_S)
                    progress()
        except* MachineError as failed:
            cause = _first(failed).__cause__
            raise cause if isinstance(cause, PodiumError) else _first(failed) from None


def _first(group: BaseExceptionGroup[MachineError]) -> MachineError:
    found = group.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found


class _Readable:
    """An API of which kinds that may not be read seem not to be served, until they may be."""

    def __init__(self, api: HttpApi, warn: Tell) -> None:
        self._api = api
        self._warn = warn
        self._told: set[str] = set()

    async def call(self, effect: Effect) -> Outcome:
        return await self._api.call(effect)

    async def list(self, kind: str) -> ObjectList:
        try:
            return await self._api.list(kind)
        except ForbiddenError as error:
            if kind not in self._told:
                self._warn(f"{kind} is left out: {error}")
            self._told.add(kind)
            raise NotServedError(str(error)) from None

    def watch(self, kind: str, revision: int) -> AsyncIterator[Sequence[WatchEventLike]]:
        return self._api.watch(kind, revision)
