"""The driver of wall-clock time: it runs machines in an event loop, over an API that takes time.

What machines may rely on is the same as in virtual time, and no more:

- The changes of one object come in order, and none of the last ones is missing. Between kinds, and
  between changes and outcomes, there is no order.
- A call begins after all that the machine asked for earlier has begun. Calls are under way at the
  same time, and may be carried out and come back in any order; who needs an order waits for the
  outcome before asking for the next thing.
- The time never goes backwards.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from math import inf
from random import Random
from types import TracebackType
from typing import Self

from podium.cluster.drivers.driver_events import Hook
from podium.cluster.drivers.event_recorder import EventTimestamps
from podium.cluster.drivers.informer_cache import InformerCache
from podium.cluster.drivers.live_machine_runner import LiveContext, LiveMachineRunner
from podium.cluster.drivers.machine_health import MachineError, MachineHealth
from podium.machines.async_api import AsyncApi
from podium.machines.machine import Machine

# Enough for thousands of bindings a second over an API that takes a tenth of a second.
CALLS_MAX = 2_000


class SteadyClock:
    """The wall clock, as it was set when this was made; it passes evenly from then on."""

    def __init__(self) -> None:
        self._offset_s = time.time() - time.monotonic()

    def now_s(self) -> float:
        """The time, in seconds since the epoch."""
        return self._offset_s + time.monotonic()


class LiveDriver:
    """Drives machines over an API, from `async with` to its end.

    A machine that raises is ended, and a fresh one follows it after a while. What a hook raises,
    or a machine that nobody renews, stops everything, and comes out of the `async with` as an
    exception group.

    Args:
        calls_max: how many calls of one machine may be under way at the same time; more of them
            wait for their turn.
        drain_s: how long calls under way may take to come back when everything stops.
        may_act: until it is set, machines only take in what there is; at once unless given.
        rng: chooses how much longer than they have to machines wait after a failure.
        resync_s: after how long all objects of a kind are listed anew, when its watch ends for
            once, though it could be resumed; never unless given.
    """

    def __init__(
        self,
        api: AsyncApi,
        clock: SteadyClock,
        *,
        calls_max: int = CALLS_MAX,
        drain_s: float = 5.0,
        may_act: asyncio.Event | None = None,
        rng: Random | None = None,
        resync_s: float = inf,
    ) -> None:
        self.hooks: list[Hook] = []
        self._drain_s = drain_s
        self._group = asyncio.TaskGroup()
        self.health = MachineHealth()
        self._machines: dict[asyncio.Task[None], LiveMachineRunner] = {}
        if may_act is None:
            may_act = asyncio.Event()
            may_act.set()
        self._context = LiveContext(
            api,
            clock.now_s,
            self._group,
            EventTimestamps(),
            self.hooks,
            self.health,
            calls_max,
            may_act,
            rng or Random(),
            resync_s,
        )

    @property
    def is_idle(self) -> bool:
        """Whether no call of a machine is under way, and none waits for its turn."""
        return all(machine.is_idle for machine in self._machines.values())

    def informers(self, name: str) -> Mapping[str, InformerCache]:
        """Informer caches of a machine, by kind; empty if it doesn't run."""
        for machine in self._machines.values():
            if machine.name == name:
                return machine.informers
        return {}

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for keeping in self._machines:
            keeping.cancel()
        for machine in self._machines.values():
            await machine.stop(self._drain_s if error is None else 0.0)
        await self._group.__aexit__(kind, error, traceback)

    def add(
        self,
        machine: Machine,
        *,
        name: str = "",
        host: str = "podium",
        renew: Callable[[], Machine] | None = None,
    ) -> None:
        """Start a machine."""
        called = name or machine.name
        first = LiveMachineRunner(self._context, called, machine, host)
        self._group.create_task(self._keep(first, host, renew))

    async def _keep(
        self, machine: LiveMachineRunner, host: str, renew: Callable[[], Machine] | None
    ) -> None:
        keeping = asyncio.current_task()
        assert keeping is not None
        while True:
            self._machines[keeping] = machine
            self.health.machine_started(machine.name)
            try:
                await machine.run()
            except MachineError as error:
                if renew is None:
                    raise
                now_s = self._context.now_s()
                again_s = self.health.machine_failed(error, now_s)
                await machine.stop(0.0)
                await asyncio.sleep(again_s - now_s)
                machine = LiveMachineRunner(self._context, machine.name, renew(), host)
