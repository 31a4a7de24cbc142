"""Wall-clock time: the same machines, driven by an event loop over an API that takes its time.

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
from types import TracebackType
from typing import Self

from podium.control.machine import Machine
from podium.runtime.async_api import AsyncApi
from podium.runtime.happenings import Hook
from podium.runtime.live_machine import LiveMachine, Surroundings
from podium.runtime.recorder import Stamps

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

    What a machine or a hook raises is a bug: it stops everything, and comes out of the `async with`
    as an exception group.

    Attributes:
        hooks: told of everything right after it happened.

    Args:
        api: what is watched and called.
        clock: what time it is.
        calls_max: how many calls of one machine may be under way at the same time; more of them
            wait for their turn.
        drain_s: how long calls under way may take to come back when everything stops.
    """

    def __init__(
        self,
        api: AsyncApi,
        clock: SteadyClock,
        *,
        calls_max: int = CALLS_MAX,
        drain_s: float = 5.0,
    ) -> None:
        self.hooks: list[Hook] = []
        self._drain_s = drain_s
        self._group = asyncio.TaskGroup()
        self._machines: list[LiveMachine] = []
        self._surroundings = Surroundings(
            api, clock.now_s, self._group, Stamps(), self.hooks, calls_max
        )

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for machine in self._machines:
            await machine.stop(self._drain_s if error is None else 0.0)
        await self._group.__aexit__(kind, error, traceback)

    def add(self, machine: Machine, *, name: str = "", host: str = "podium") -> LiveMachine:
        """Start a machine.

        Args:
            machine: knows of nothing yet.
            name: which machine it is, in logs; the machine's own unless given.
            host: where it runs, as events tell.
        """
        added = LiveMachine(self._surroundings, name or machine.name, machine, host)
        self._machines.append(added)
        added.start()
        return added
