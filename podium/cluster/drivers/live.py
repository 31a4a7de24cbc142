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
from collections import defaultdict
from collections.abc import Coroutine, Mapping
from functools import partial
from math import inf
from random import Random
from types import TracebackType
from typing import Any, Self

from podium.cluster.drivers.driver_events import Called, Listed, ListFailed, Stopped
from podium.cluster.drivers.faults import INSTANT, NO_FAULTS, FaultInjector
from podium.cluster.drivers.informer_cache import InformerCache
from podium.cluster.drivers.machine_health import MachineHealth
from podium.cluster.drivers.machine_runner import Driver, MachineHandle, MachineRunner
from podium.cluster.drivers.timer_queue import Action
from podium.machines.async_api import AsyncApi, NotServedError, UnreachableError, WatchExpiredError
from podium.machines.backoff import Backoff
from podium.machines.effects import Effect
from podium.machines.events import Change
from podium.machines.machine import Machine

# Enough for thousands of bindings a second over an API that takes a tenth of a second.
CALLS_MAX = 2_000
# How long machines may go on without letting calls and watches have their turn.
SLICE_S = 0.005
# After a failure of a list or a watch, as client-go waits.
BACKOFF = Backoff(first_s=0.8, max_s=30.0)


class SteadyClock:
    """The wall clock, as it was set when this was made; it passes evenly from then on."""

    def __init__(self) -> None:
        self._offset_s = time.time() - time.monotonic()

    def now_s(self) -> float:
        return self._offset_s + time.monotonic()


class LiveDriver(Driver):
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

    is_live = True
    health: MachineHealth

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
        self.rng = rng or Random()
        super().__init__(clock.now_s(), FaultInjector(INSTANT, NO_FAULTS, self.rng))
        self.health = MachineHealth()
        self.step_hooks = self.hooks
        self.api = api
        self.clock = clock
        self.resync_s = resync_s
        self._drain_s = drain_s
        self._may_act = may_act
        self._group = asyncio.TaskGroup()
        self._tasks: set[asyncio.Task[None]] = set()
        self._calls = defaultdict[MachineRunner, set[asyncio.Task[None]]](set)
        self._rooms = defaultdict[MachineRunner, asyncio.Semaphore](
            partial(asyncio.Semaphore, calls_max)
        )
        self._has_news = asyncio.Event()

    @property
    def is_idle(self) -> bool:
        """Whether no call is under way or waits for its turn, and no news wait to be taken in."""
        next_s = self.timers.next_s()
        has_news = next_s is not None and next_s <= self.timers.now_s
        return not has_news and not any(self._calls.values())

    def informers(self, name: str) -> Mapping[str, InformerCache]:
        """Informer caches of a machine, by kind; empty if it doesn't run."""
        runner = self._handles[name].runner if name in self._handles else None
        listeners = [] if runner is None else runner.listeners
        return {one.cache.kind: one.cache for one in listeners if isinstance(one, _LiveListener)}

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self.begin(self._run())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        runners = [one.runner for one in self._handles.values() if one.runner is not None]
        for runner in runners:
            runner.end(loses_calls=True)
            if drain_s := self._drain_s if error is None and self._calls[runner] else 0.0:
                await asyncio.wait(self._calls[runner], timeout=drain_s)
            for task in self._calls[runner]:
                task.cancel()
            self.notify(Stopped(self.clock.now_s(), runner.name))
        await self._group.__aexit__(kind, error, traceback)

    def begin(self, task: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin what goes on until it is cancelled, or the driver stops."""
        begun = self._group.create_task(task)
        self._tasks.add(begun)
        begun.add_done_callback(self._tasks.discard)
        return begun

    def put(self, action: Action, argument: Any) -> None:
        """Have something done as soon as all is that is due."""
        self.timers.put(self.timers.now_s, action, argument)
        self._has_news.set()

    def listen(self, runner: MachineRunner, kind: str) -> "_LiveListener":
        return _LiveListener(self, runner, kind)

    def send(self, runner: MachineRunner, effect: Effect) -> None:
        task, calls = self._group.create_task(self._call(runner, effect)), self._calls[runner]
        calls.add(task)
        task.add_done_callback(calls.discard)

    def crash(self, handle: MachineHandle, *, loses_calls: bool = False) -> None:
        if handle.runner is not None:
            for task in self._calls[handle.runner]:
                task.cancel()
        super().crash(handle, loses_calls=True)

    def wake(self, handle: MachineHandle) -> None:
        super().wake(handle)
        self._has_news.set()

    def stopwatch_s(self) -> float:
        return time.perf_counter()

    def _let_act(self, runner: MachineRunner) -> None:
        async def wait() -> None:
            if self._may_act is not None:
                await self._may_act.wait()
            self.put(lambda _: runner.synced(), None)

        self.begin(wait())

    def _start(self, handle: MachineHandle, machine: Machine) -> None:
        self.timers.advance_to(self.clock.now_s())
        super()._start(handle, machine)

    def _renew_at(self, handle: MachineHandle, at_s: float) -> None:
        async def renew() -> None:
            # Nothing of the one before is left by then.
            for runner in [one for one in self._calls if one.has_ended]:
                self._rooms.pop(runner, None)
                if calls := self._calls.pop(runner):
                    await asyncio.wait(calls)
            await asyncio.sleep(at_s - self.clock.now_s())
            self._renew(handle)

        self.begin(renew())

    async def _run(self) -> None:
        now_s, timers = self.clock.now_s, self.timers
        slice_end_s = 0.0
        while True:
            timers.advance_to(now_s())
            if not timers.run_next():
                self._has_news.clear()
                next_s = timers.next_s()
                try:
                    async with asyncio.timeout(None if next_s is None else next_s - now_s()):
                        await self._has_news.wait()
                except TimeoutError:
                    pass
                slice_end_s = time.monotonic() + SLICE_S
            elif time.monotonic() > slice_end_s:
                await asyncio.sleep(0)
                slice_end_s = time.monotonic() + SLICE_S

    async def _call(self, runner: MachineRunner, effect: Effect) -> None:
        async with self._rooms[runner]:
            # One that waits for its turn is given up when its machine ends.
            if runner.loses_calls:
                return
            started_s = time.perf_counter()
            outcome = await self.api.call(effect)
        if self.hooks:
            took_s, at_s = time.perf_counter() - started_s, self.clock.now_s()
            called = Called(at_s, runner.name, effect, outcome.error, outcome.obj, took_s)
            self.notify(called)
        if effect.purpose is not None:
            self.put(runner.answer, outcome)


class _LiveListener:
    """Lists and watches one kind for one machine.

    Attributes:
        cache: what was listed and watched; the machine may not know all of it yet.
    """

    def __init__(self, driver: LiveDriver, runner: MachineRunner, kind: str) -> None:
        self.cache = InformerCache(kind)
        self._driver = driver
        self._runner = runner
        self._is_synced = False

    def start(self) -> None:
        self._task = self._driver.begin(self._follow())

    def stop(self) -> None:
        self._task.cancel()

    async def _follow(self) -> None:
        driver, cache, failures, list_at_s = self._driver, self.cache, 0, 0.0
        now_s, kind, name = driver.clock.now_s, cache.kind, self._runner.name
        while True:
            try:
                if now_s() >= list_at_s:
                    listed = await driver.api.list(kind)
                    self._tell(cache.listed(listed.objects, listed.revision))
                    list_at_s = now_s() + driver.resync_s
                    driver.notify(Listed(now_s(), name, kind))
                self._synced()
                async for news in driver.api.watch(kind, cache.revision):
                    self._tell(cache.watched(news))
                    failures = 0
            except WatchExpiredError:
                list_at_s = 0.0
                driver.timers.advance_to(now_s())
                self._runner.relisted(kind)
            except UnreachableError as error:
                failures += 1
                driver.notify(ListFailed(now_s(), name, kind, error))
                if isinstance(error, NotServedError):
                    self._synced()
                await asyncio.sleep(BACKOFF.jittered_s(failures, driver.rng))

    def _tell(self, changes: list[Change]) -> None:
        for change in changes:
            self._driver.put(self._deliver, change)

    def _deliver(self, change: Change) -> None:
        if not self._runner.has_ended:
            self._runner.deliver(change)

    def _synced(self) -> None:
        if not self._is_synced:
            self._is_synced = True
            self._driver.put(lambda _: self._runner.synced(), None)
