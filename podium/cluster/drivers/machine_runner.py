"""What all drivers share: they start, wake and restart state machines, and make their calls.

Everything that is scheduled is a timer. Drivers differ in how time passes, how they list and watch
a kind, and how a call reaches the API server.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from podium.cluster.drivers.driver_events import (
    DriverEvent,
    Hook,
    Relisted,
    Started,
    Stepped,
    Stopped,
)
from podium.cluster.drivers.event_recorder import EventRecorder, EventTimestamps, RecorderPurpose
from podium.cluster.drivers.faults import FaultInjector
from podium.cluster.drivers.machine_health import MachineError, MachineHealth, handling
from podium.cluster.drivers.timer_queue import Timer, TimerQueue
from podium.machines.effects import Effect, Panic
from podium.machines.events import Change, Event, FirstList, Outcome, Synced, Woken
from podium.machines.machine import Machine


class Listener(Protocol):
    """Delivers the objects of one kind to one state machine."""

    def start(self) -> None:
        """List the kind, then watch it."""

    def stop(self) -> None:
        """Stop delivering changes."""


@dataclass(eq=False, slots=True)
class MachineHandle:
    """A driver's handle of a state machine; it stays valid when the machine is replaced."""

    name: str
    host: str
    renew: Callable[[], Machine] | None
    """Makes the machine that replaces a failed one; None if a failure ends the run."""
    is_spared: bool
    runner: "MachineRunner | None" = None

    @property
    def machine(self) -> Machine | None:
        """The running machine; None while it is crashed."""
        return None if self.runner is None else self.runner.machine


class Driver(ABC):
    """Starts state machines, and replaces those that crash."""

    is_live = False
    """Whether time is the clock's: machines are woken in any order, and before they are synced."""

    def __init__(
        self, start_s: float, injector: FaultInjector, event_reasons: frozenset[str] | None = None
    ) -> None:
        self.timers = TimerQueue(start_s)
        self.injector = injector
        self.timestamps = EventTimestamps()
        self.event_reasons = event_reasons
        self.hooks: list[Hook] = []
        """Called with each event except `Stepped`, right after it happened; their exceptions aren't
        caught."""
        self.step_hooks: list[Hook] = []
        """Called with `Stepped`, of which there are many."""
        self.health: MachineHealth | None = None
        """Tracks failures of machines; None (default) if the first failure ends the run."""
        self._handles: dict[str, MachineHandle] = {}

    @abstractmethod
    def listen(self, runner: "MachineRunner", kind: str) -> Listener:
        """Make the listener of a kind for a machine."""

    @abstractmethod
    def send(self, runner: "MachineRunner", effect: Effect) -> None:
        """Make a call, and pass its outcome to `MachineRunner.answer`."""

    @abstractmethod
    def _let_act(self, runner: "MachineRunner") -> None:
        """Call `MachineRunner.synced` once the machine may act."""

    def stopwatch_s(self) -> float:
        """Return seconds of the wall clock, to measure durations; always 0 in virtual time."""
        return 0.0

    def add(
        self,
        machine: Machine,
        *,
        name: str = "",
        host: str = "podium",
        renew: Callable[[], Machine] | None = None,
        is_spared: bool = False,
    ) -> MachineHandle:
        """Start a machine; raises ValueError."""
        handle = MachineHandle(name or machine.name, host, renew, is_spared)
        if handle.name in self._handles:
            raise ValueError(f"there is a machine {handle.name} already")
        self._handles[handle.name] = handle
        self._start(handle, machine)
        return handle

    def notify(self, event: DriverEvent) -> None:
        for hook in self.hooks:
            hook(event)

    def task_failed(self, error: MachineError, again_s: float) -> None:
        """Record the failure of a machine's task; raise the error if `health` is None."""
        if self.health is None:
            raise error
        self.health.task_failed(error, again_s)

    def crash(self, handle: MachineHandle, *, loses_calls: bool = False) -> None:
        """Crash a machine: it receives no more events, and its state is lost."""
        if handle.runner is not None:
            handle.runner.end(loses_calls=loses_calls)
            handle.runner = None
            self.notify(Stopped(self.timers.now_s, handle.name))

    def wake(self, handle: MachineHandle) -> None:
        """Wake a machine now, because of a change that no event reports to it."""
        if handle.runner is not None:
            handle.runner.wake()

    def _start(self, handle: MachineHandle, machine: Machine) -> None:
        runner = handle.runner = MachineRunner(self, handle, machine)
        if self.health is not None:
            self.health.machine_started(handle.name)
        self.notify(Started(self.timers.now_s, handle.name))
        for listener in runner.listeners:
            listener.start()
        self._let_act(runner)

    def fail(self, handle: MachineHandle, error: MachineError) -> None:
        """Replace a failed machine; raise the error if there is no `health` or no `renew`."""
        if self.health is None or handle.renew is None:
            raise error
        self.crash(handle)
        self._renew_at(handle, self.health.machine_failed(error, self.timers.now_s))

    def crash_by_chance(self, handle: MachineHandle) -> None:
        """Crash a machine, and restart it after a delay that the fault injector draws."""
        self.crash(handle, loses_calls=self.injector.loses_calls())
        self._renew_at(handle, self.timers.now_s + self.injector.pause_s())

    def _renew_at(self, handle: MachineHandle, at_s: float) -> None:
        self.timers.put(at_s, self._renew, handle)

    def _renew(self, handle: MachineHandle) -> None:
        if handle.runner is None and handle.renew is not None:
            self._start(handle, handle.renew())


class MachineRunner:
    """Runs one state machine until it ends: delivers events, wakes it, and makes its calls."""

    def __init__(self, driver: Driver, handle: MachineHandle, machine: Machine) -> None:
        self.name = handle.name
        self.machine = machine
        self.has_ended = False
        self.loses_calls = False
        """Whether calls that haven't reached the API yet never will."""
        self._driver = driver
        self._fail = partial(driver.fail, handle)
        self._crash = None
        if handle.renew is not None and not handle.is_spared:
            self._crash = partial(driver.crash_by_chance, handle)
        self._timers = driver.timers
        self._injector = driver.injector
        self._recorder = EventRecorder(
            handle.host, driver.timestamps, driver.timers.now_s, driver.event_reasons
        )
        self._wakes_last = machine.wakes_last and not driver.is_live
        self._kinds = machine.kinds
        self.listeners = [driver.listen(self, kind) for kind in sorted(machine.kinds)]
        # One for each listener, and one for the driver, which decides when the machine may act.
        self._unsynced = len(self.listeners) + 1
        self._may_wake = driver.is_live
        self._wakeup: Timer | None = None
        self._wakeup_s: float | None = None
        self._recorder_wakeup: Timer | None = None

    def wake(self) -> None:
        self._schedule_wakeup(self._timers.now_s)

    def end(self, *, loses_calls: bool) -> None:
        """Stop the machine for good."""
        self.has_ended = True
        self.loses_calls = loses_calls
        for listener in self.listeners:
            listener.stop()
        for timer in (self._wakeup, self._recorder_wakeup):
            if timer is not None:
                timer.cancel()

    def synced(self) -> None:
        """Count a listener or the driver as ready; after the last, send the machine `Synced`."""
        self._unsynced -= 1
        if self._unsynced == 0 and not self.has_ended:
            self._may_wake = True
            self._step(Synced())

    def relisted(self, kind: str) -> None:
        if self._driver.hooks:
            self._driver.notify(Relisted(self._timers.now_s, self.name, kind))

    def take_list(self, listed: FirstList) -> bool:
        """Deliver a first list as one event if the machine supports that; return whether it did.

        With faults, the objects are delivered one by one, so that the machine can crash in between.
        """
        takes_it = self.machine.takes_lists and self._injector.is_calm
        if takes_it:
            self._step(listed)
        return takes_it

    def answer(self, outcome: Outcome) -> None:
        """Pass the outcome of a call to the machine, or to its event recorder."""
        if self.has_ended:
            return
        purpose = outcome.effect.purpose
        if isinstance(purpose, RecorderPurpose):
            self._send_all(self._recorder.outcome(purpose, outcome, self._timers.now_s))
            self._schedule_recording()
        else:
            self._step(outcome)

    def deliver(self, change: Change) -> None:
        """Pass a change to the machine, unless it doesn't affect the machine."""
        try:
            is_heeded = self.machine.heeds(change)
        except Exception as error:  # noqa: BLE001 - whatever a bug raises
            self._fail(MachineError(self.name, handling(change), error))
            return
        if is_heeded:
            self._step(change)

    def _step(self, event: Event) -> None:
        driver, now_s = self._driver, self._timers.now_s
        hooks = driver.step_hooks
        started_s = driver.stopwatch_s() if hooks else 0.0
        try:
            effects = self.machine.step(event, now_s)
            calls = list(self._recorder.calls_of(effects, now_s)) if effects else ()
            # While the first lists are delivered, the machine has nothing to do.
            wakeup_s = self.machine.next_wakeup_s() if self._may_wake else None
        except Exception as error:  # noqa: BLE001 - whatever a bug raises
            self._fail(MachineError(self.name, handling(event), error))
            return
        took_s = driver.stopwatch_s() - started_s if hooks else 0.0
        if self.machine.kinds is not self._kinds:
            # List and watch the kinds that the machine has learnt of.
            added = sorted(self.machine.kinds - self._kinds)
            listeners = [driver.listen(self, kind) for kind in added]
            self._kinds = self.machine.kinds
            self.listeners += listeners
            self._unsynced += len(listeners)
            for listener in listeners:
                listener.start()
        if effects:
            self._send_all(calls)
            self._schedule_recording()
        if wakeup_s != self._wakeup_s:
            self._schedule_wakeup(wakeup_s)
        for hook in hooks:
            hook(Stepped(now_s, self.name, event, effects, took_s))
        injector = self._injector
        if self._crash and not injector.is_calm and injector.restarts() and not self.has_ended:
            self._crash()

    def _schedule_wakeup(self, at_s: float | None) -> None:
        now_s = self._timers.now_s
        if at_s is not None and at_s < now_s:
            at_s = now_s
        if at_s == self._wakeup_s:
            return
        if self._wakeup is not None:
            self._wakeup.cancel()
        self._wakeup_s = at_s
        self._wakeup = None
        if at_s is not None:
            put = self._timers.put
            self._wakeup = put(at_s, self._wake, None, comes_last=self._wakes_last)

    def _wake(self, _: None) -> None:
        self._wakeup = self._wakeup_s = None
        self._step(Woken())

    def _schedule_recording(self) -> None:
        if self._recorder_wakeup is None:
            at_s = self._recorder.next_wakeup_s()
            if at_s is not None:
                self._recorder_wakeup = self._timers.put(at_s, self._wake_recorder, None)

    def _wake_recorder(self, _: None) -> None:
        self._recorder_wakeup = None
        self._send_all(self._recorder.wake(self._timers.now_s))
        self._schedule_recording()

    def _send_all(self, effects: Iterable[Effect]) -> None:
        send = self._driver.send
        for effect in effects:
            if isinstance(effect, Panic):
                error = MachineError(self.name, effect.task, effect.error)
                self._driver.task_failed(error, effect.again_s)
            else:
                send(self, effect)
