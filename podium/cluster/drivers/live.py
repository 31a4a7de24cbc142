"""The driver of wall-clock time, which runs state machines in an event loop over an async API.

State machines may rely on these guarantees, which the virtual driver gives as well:

- The changes of one object are delivered in order, up to its latest state. Between kinds, and
  between changes and outcomes, there is no order.
- Calls start in the order in which a machine returned them, but may be carried out and answered in
  any order: a machine that needs an order waits for each outcome.
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
from podium.machines.async_api import (
    AsyncApi,
    ForbiddenError,
    NotServedError,
    UnreachableError,
    WatchExpiredError,
)
from podium.machines.effects import Effect
from podium.machines.events import Change
from podium.machines.machine import Machine
from podium.machines.reconciler.work_queue import Backoff

# Enough for thousands of bindings a second over an API that takes a tenth of a second.
CALLS_MAX = 2_000
# How long machines may run before calls and watches have their turn.
SLICE_S = 0.005
# After a failure of a list or a watch, as client-go waits.
BACKOFF = Backoff(first_s=0.8, max_s=30.0)


class SteadyClock:
    """The wall clock at the time of construction, and the monotonic clock from then on."""

    def __init__(self) -> None:
        self._offset_s = time.time() - time.monotonic()

    def now_s(self) -> float:
        return self._offset_s + time.monotonic()


class LiveDriver(Driver):
    """Runs state machines over an API inside of `async with`.

    A machine that raises is replaced by a new one after a back-off. An exception of a hook, or of a
    machine without a `renew` function, stops all machines and is raised from the `async with` in
    an exception group.

    Args:
        drain_s: seconds that calls under way may take to finish at the end.
        may_act: machines get `Synced` only once this event is set; None for at once.
        resync_s: if a watch ends this many seconds after the last list of its kind, the kind is
            listed again instead of resuming the watch.
        skips_forbidden: whether machines go on without the kinds that the user may not list.
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
        skips_forbidden: bool = False,
    ) -> None:
        self.rng = rng or Random()
        super().__init__(clock.now_s(), FaultInjector(INSTANT, NO_FAULTS, self.rng))
        self.health = MachineHealth()
        self.step_hooks = self.hooks
        self.api = api
        self.clock = clock
        self.resync_s = resync_s
        self.skips = (NotServedError, *([ForbiddenError] if skips_forbidden else ()))
        self._drain_s = drain_s
        self._may_act = may_act
        self._group = asyncio.TaskGroup()
        self._tasks: set[asyncio.Task[None]] = set()
        self._calls = defaultdict[MachineRunner, set[asyncio.Task[None]]](set)
        self._call_slots = defaultdict[MachineRunner, asyncio.Semaphore](
            partial(asyncio.Semaphore, calls_max)
        )
        self._has_news = asyncio.Event()

    @property
    def is_idle(self) -> bool:
        """Whether no call is under way or waiting, and no timer is due."""
        next_s = self.timers.next_s()
        has_news = next_s is not None and next_s <= self.timers.now_s
        return not has_news and not any(self._calls.values())

    def informers(self, name: str) -> Mapping[str, InformerCache]:
        """Return the informer caches of a machine by kind; empty if the machine isn't running."""
        runner = self._handles[name].runner if name in self._handles else None
        listeners = [] if runner is None else runner.listeners
        return {one.cache.kind: one.cache for one in listeners if isinstance(one, _Reflector)}

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
        runners = [handle.runner for handle in self._handles.values() if handle.runner is not None]
        for runner in runners:
            runner.end(loses_calls=True)
            if drain_s := self._drain_s if error is None and self._calls[runner] else 0.0:
                await asyncio.wait(self._calls[runner], timeout=drain_s)
            for task in self._calls[runner]:
                task.cancel()
            self.notify(Stopped(self.clock.now_s(), runner.name))
        await self._group.__aexit__(kind, error, traceback)

    def begin(self, task: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine as a task, which is cancelled at the latest when the driver stops."""
        begun = self._group.create_task(task)
        self._tasks.add(begun)
        begun.add_done_callback(self._tasks.discard)
        return begun

    def put(self, action: Action, argument: Any) -> None:
        """Schedule an action to run now, after all timers that are due."""
        self.timers.put(self.timers.now_s, action, argument)
        self._has_news.set()

    def listen(self, runner: MachineRunner, kind: str) -> "_Reflector":
        return _Reflector(self, runner, kind)

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
            # By then, no call of the machine before is under way.
            for runner in [call for call in self._calls if call.has_ended]:
                self._call_slots.pop(runner, None)
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
        async with self._call_slots[runner]:
            # A waiting call is dropped when its machine ends.
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


class _Reflector:
    """Lists and watches one kind for one machine."""

    def __init__(self, driver: LiveDriver, runner: MachineRunner, kind: str) -> None:
        self.cache = InformerCache(kind)
        """The listed and watched objects; their changes may still wait for delivery."""
        self._driver = driver
        self._runner = runner
        self._is_synced = False

    def start(self) -> None:
        self._task = self._driver.begin(self._list_and_watch())

    def stop(self) -> None:
        self._task.cancel()

    async def _list_and_watch(self) -> None:
        driver, cache, failures, list_at_s = self._driver, self.cache, 0, 0.0
        now_s, kind, name = driver.clock.now_s, cache.kind, self._runner.name
        while True:
            try:
                if now_s() >= list_at_s:
                    listed = await driver.api.list(kind)
                    self._put(cache.listed(listed.objects, listed.revision))
                    list_at_s = now_s() + driver.resync_s
                    driver.notify(Listed(now_s(), name, kind))
                self._sync()
                async for events in driver.api.watch(kind, cache.revision):
                    self._put(cache.watched(events))
                    failures = 0
            except WatchExpiredError:
                list_at_s = 0.0
                driver.timers.advance_to(now_s())
                self._runner.relisted(kind)
            except UnreachableError as error:
                failures += 1
                driver.notify(ListFailed(now_s(), name, kind, error))
                if isinstance(error, driver.skips):
                    self._sync()
                await asyncio.sleep(BACKOFF.jittered_s(failures, driver.rng))

    def _put(self, changes: list[Change]) -> None:
        def deliver(change: Change) -> None:
            if not self._runner.has_ended:
                self._runner.deliver(change)

        for change in changes:
            self._driver.put(deliver, change)

    def _sync(self) -> None:
        if not self._is_synced:
            self._is_synced = True
            self._driver.put(lambda _: self._runner.synced(), None)
