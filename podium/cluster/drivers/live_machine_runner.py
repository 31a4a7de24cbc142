"""Runs one machine in wall-clock time."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable
from random import Random

import msgspec

from podium.cluster.drivers.driver_events import (
    Called,
    DriverEvent,
    Hook,
    Listed,
    ListFailed,
    Relisted,
    Started,
    Stepped,
    Stopped,
)
from podium.cluster.drivers.event_recorder import EventRecorder, EventTimestamps, RecorderPurpose
from podium.cluster.drivers.informer_cache import InformerCache
from podium.cluster.drivers.machine_health import MachineError, MachineHealth, handling
from podium.machines.async_api import AsyncApi, NotServedError, UnreachableError, WatchExpiredError
from podium.machines.backoff import Backoff
from podium.machines.effects import Effect, Panic
from podium.machines.events import Event, Outcome, Synced, Woken
from podium.machines.machine import Machine

# How long a machine may go on without letting calls and watches have their turn.
SLICE_S = 0.005
# After a failure of a list or a watch, as client-go waits.
BACKOFF = Backoff(first_s=0.8, max_s=30.0)


class LiveContext(msgspec.Struct, frozen=True):
    """Context that the runners of a live driver share.

    Attributes:
        may_act: machines are told that they are synced once this is set, and do nothing before.
        rng: chooses how much longer to wait, so that not all try again at once.
        resync_s: after how long a kind is listed anew though its watch goes on.
    """

    api: AsyncApi
    now_s: Callable[[], float]
    group: asyncio.TaskGroup
    timestamps: EventTimestamps
    hooks: list[Hook]
    health: MachineHealth
    calls_max: int
    may_act: asyncio.Event
    rng: Random
    resync_s: float

    def notify(self, event: DriverEvent) -> None:
        """Tell the hooks."""
        for hook in self.hooks:
            hook(event)


class LiveMachineRunner:
    """Runs a machine: lists and watches, hands it events, and makes its calls.

    Attributes:
        informers: what was listed and watched, by kind; the machine may not know all of it yet.
    """

    def __init__(self, context: LiveContext, name: str, machine: Machine, host: str) -> None:
        self.name = name
        self.machine = machine
        self.informers = {kind: InformerCache(kind) for kind in machine.kinds}
        self._context = context
        self._now_s = context.now_s
        self._recorder = EventRecorder(host, context.timestamps, context.now_s())
        self._inbox: deque[Event] = deque()
        self._has_news = asyncio.Event()
        self._waiting: deque[Effect] = deque()
        self._calls: set[asyncio.Task[None]] = set()
        self._unsynced = len(machine.kinds)
        self._following: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        """List and watch all that the machine wants to know, and run it until it is stopped.

        Raises:
            MachineError: it fails; nothing that it asked for in its last step was begun.
        """
        self._context.notify(Started(self._now_s(), self.name))
        group = self._context.group
        self._following = [group.create_task(self._follow(kind)) for kind in self.machine.kinds]
        if not self._unsynced:
            self._following.append(group.create_task(self._begin_acting()))
        await self._run()

    @property
    def is_idle(self) -> bool:
        """Whether no call is under way, and no news wait to be taken in."""
        return not (self._calls or self._waiting or self._inbox)

    async def stop(self, drain_s: float) -> None:
        """Tell the machine nothing any more, and let its calls come back."""
        for task in self._following:
            task.cancel()
        self._waiting.clear()
        if self._calls and drain_s:
            await asyncio.wait(self._calls, timeout=drain_s)
        for task in self._calls:
            task.cancel()
        ending = {*self._following, *self._calls}
        if ending:
            await asyncio.wait(ending)
        self._context.notify(Stopped(self._now_s(), self.name))

    async def _run(self) -> None:
        slice_end_s = 0.0
        while True:
            for _ in range(len(self._inbox)):
                self._step(self._inbox.popleft())
            if self._is_due():
                self._step(Woken())
            elif not self._inbox:
                await self._wait()
                slice_end_s = 0.0
            if time.monotonic() > slice_end_s:
                self._wake_recorder()
                await asyncio.sleep(0)
                slice_end_s = time.monotonic() + SLICE_S

    def _wakeup_s(self) -> float | None:
        try:
            return self.machine.next_wakeup_s()
        except Exception as error:
            raise MachineError(self.name, "telling when it is due", error) from error

    def _is_due(self) -> bool:
        wakeup_s = self._wakeup_s()
        return wakeup_s is not None and wakeup_s <= self._now_s()

    async def _wait(self) -> None:
        times = (self._wakeup_s(), self._recorder.next_wakeup_s())
        at_s = min((time_s for time_s in times if time_s is not None), default=None)
        self._has_news.clear()
        try:
            async with asyncio.timeout(None if at_s is None else at_s - self._now_s()):
                await self._has_news.wait()
        except TimeoutError:
            return

    def _tell(self, events: Iterable[Event]) -> None:
        self._inbox.extend(events)
        self._has_news.set()

    def _step(self, event: Event) -> None:
        now_s, started_s = self._now_s(), time.perf_counter()
        try:
            effects = self.machine.step(event, now_s)
            calls = list(self._recorder.calls_of(effects, now_s))
        except Exception as error:
            raise MachineError(self.name, handling(event), error) from error
        if self._context.hooks:
            took_s = time.perf_counter() - started_s
            self._context.notify(Stepped(now_s, self.name, event, effects, took_s))
        self._send_all(calls)

    def _wake_recorder(self) -> None:
        at_s, now_s = self._recorder.next_wakeup_s(), self._now_s()
        if at_s is not None and at_s <= now_s:
            self._send_all(self._recorder.wake(now_s))

    def _send_all(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Panic):
                error = MachineError(self.name, effect.task, effect.error)
                self._context.health.task_failed(error, effect.again_s)
            elif len(self._calls) < self._context.calls_max:
                self._begin(effect)
            else:
                self._waiting.append(effect)

    def _begin(self, effect: Effect) -> None:
        task = self._context.group.create_task(self._call(effect))
        self._calls.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._calls.discard(task)
        if self._waiting:
            self._begin(self._waiting.popleft())

    async def _call(self, effect: Effect) -> None:
        started_s = time.perf_counter()
        outcome = await self._context.api.call(effect)
        if self._context.hooks:
            took_s = time.perf_counter() - started_s
            called = Called(self._now_s(), self.name, effect, outcome.error, outcome.obj, took_s)
            self._context.notify(called)
        self._take(outcome)

    def _take(self, outcome: Outcome) -> None:
        purpose = outcome.effect.purpose
        if isinstance(purpose, RecorderPurpose):
            self._send_all(self._recorder.outcome(purpose, outcome, self._now_s()))
        elif purpose is not None:
            self._tell([outcome])

    async def _follow(self, kind: str) -> None:
        informer, failures = self.informers[kind], 0
        context, list_at_s, is_synced = self._context, 0.0, False
        while True:
            try:
                if self._now_s() >= list_at_s:
                    listed = await context.api.list(kind)
                    self._tell(informer.listed(listed.objects, listed.revision))
                    list_at_s = self._now_s() + context.resync_s
                    context.notify(Listed(self._now_s(), self.name, kind))
                if not is_synced:
                    is_synced = True
                    self._synced()
                async for news in context.api.watch(kind, informer.revision):
                    self._tell(informer.watched(news))
                    failures = 0
            except WatchExpiredError:
                list_at_s = 0.0
                context.notify(Relisted(self._now_s(), self.name, kind))
            except UnreachableError as error:
                failures += 1
                context.notify(ListFailed(self._now_s(), self.name, kind, error))
                if not is_synced and isinstance(error, NotServedError):
                    is_synced = True
                    self._synced()
                await asyncio.sleep(BACKOFF.jittered_s(failures, context.rng))

    def _synced(self) -> None:
        self._unsynced -= 1
        if not self._unsynced:
            self._following.append(self._context.group.create_task(self._begin_acting()))

    async def _begin_acting(self) -> None:
        await self._context.may_act.wait()
        self._tell([Synced()])
