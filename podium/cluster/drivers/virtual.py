"""Virtual time: a driver that repeats a whole cluster from a seed.

Everything that is due is a timer, and time passes only from one timer to the next. What is due at
one moment happens in the order in which it was brought about. With latencies of 0 that is:

1. A machine takes an event in. Its calls come next, in the order in which it asked for them. Then
   it is woken, if it wants to be woken at once.
2. A call is carried out. Then each informer delivers what the call has written, in the order in
   which the machines were started. Then the machine that asked learns the outcome.
3. An informer delivers its changes one after the other, and nothing comes between them.
4. A machine that wakes last, as schedulers do, is woken when nothing else is due.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random

from podium.api.errors import PodiumError
from podium.apiserver.server import ApiServer
from podium.cluster.drivers.api_caller import ApiCaller
from podium.cluster.drivers.driver_events import DriverEvent, Hook, Started, Stepped, Stopped
from podium.cluster.drivers.faults import NO_FAULTS, FaultInjector, Faults
from podium.cluster.drivers.latency import INSTANT, Latency
from podium.cluster.drivers.machine_health import MachineError, MachineHealth, call
from podium.cluster.drivers.machine_runner import MachineRunner, RunnerContext
from podium.cluster.drivers.timer_queue import TimerQueue
from podium.machines.machine import Machine

# A wake-up later than this is far: nothing is happening any more.
FAR_S = 60.0

# Starting 100,000 pods at once takes less; more means that machines keep answering each other.
TIMERS_AT_ONE_MOMENT_MAX = 1_000_000
_WATCHED_TIMERS = 10_000


class EndlessMomentError(PodiumError):
    """More and more is due at one moment, so that time doesn't pass."""


@dataclass(eq=False, slots=True)
class MachineHandle:
    """A machine's place under a driver, which outlasts crashes."""

    name: str
    host: str
    renew: Callable[[], Machine] | None
    is_spared: bool
    runner: MachineRunner | None = None

    @property
    def machine(self) -> Machine | None:
        """The machine that runs there; None after a crash."""
        return None if self.runner is None else self.runner.machine


class VirtualDriver:
    """Drives machines over an API server in virtual time.

    Attributes:
        hooks: told of everything but steps right after it happened; what they raise comes out.
        step_hooks: told of steps, of which there are many, in the same way.

    Args:
        event_reasons: of what machines record, what becomes events; all does if None.
    """

    def __init__(
        self,
        server: ApiServer,
        start_s: float,
        rng: Random,
        faults: Faults = NO_FAULTS,
        latency: Latency = INSTANT,
        event_reasons: frozenset[str] | None = None,
    ) -> None:
        self._timers = TimerQueue(start_s)
        self._injector = FaultInjector(latency, faults, rng)
        self._context = RunnerContext(
            self._timers,
            server.store,
            ApiCaller(server),
            self._injector,
            event_reasons=event_reasons,
        )
        self.hooks: list[Hook] = self._context.hooks
        self.step_hooks: list[Hook] = self._context.step_hooks
        self._handles: dict[str, MachineHandle] = {}
        self._start_s = start_s

    @property
    def now_s(self) -> float:
        """The time, in seconds since the epoch."""
        return self._timers.now_s

    @property
    def faults(self) -> Faults:
        """Injected faults; set to `NO_FAULTS` to let the cluster come to rest."""
        return self._injector.faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        self._injector.faults = faults

    @property
    def health(self) -> MachineHealth | None:
        """Keeps account of machines that fail; None, as at first, if the first one ends the run."""
        return self._context.health

    @health.setter
    def health(self, health: MachineHealth | None) -> None:
        self._context.health = health

    def add(
        self,
        machine: Machine,
        *,
        name: str = "",
        host: str = "podium",
        renew: Callable[[], Machine] | None = None,
        is_spared: bool = False,
    ) -> MachineHandle:
        """Start a machine."""
        handle = MachineHandle(name or machine.name, host, renew, is_spared)
        if handle.name in self._handles:
            raise ValueError(f"there is a machine {handle.name} already")
        self._handles[handle.name] = handle
        self._start(handle, machine)
        return handle

    def crash(self, handle: MachineHandle, *, loses_calls: bool = False) -> None:
        """Crash a machine: it gets no more events, and its state is lost.

        Args:
            loses_calls: whether the calls that haven't reached the API yet never will.
        """
        if handle.runner is not None:
            handle.runner.end(loses_calls=loses_calls)
            handle.runner = None
            self._context.notify(Stopped(self.now_s, handle.name))

    def restart(self, handle: MachineHandle, machine: Machine) -> None:
        """Start a fresh machine in the place of one that has crashed, or crashes now."""
        self.crash(handle)
        self._start(handle, machine)

    def wake(self, handle: MachineHandle) -> None:
        """Have a machine woken now, as it may have something to do by now that it hadn't."""
        if handle.runner is not None:
            handle.runner.wake()

    def at(self, time_s: float, action: Callable[[], None]) -> None:
        """Schedule an action, such as of the user of the cluster."""
        self._timers.put(time_s, lambda _: action(), None)

    def next_s(self) -> float | None:
        """Time of the next action, in seconds since the epoch; None if there is none."""
        return self._timers.next_s()

    def step(self) -> bool:
        """Do the next thing, letting time pass until it is due; whether there was one."""
        next_s = self._timers.next_s()
        if next_s is None:
            return False
        self._timers.advance_to(next_s)
        return self._timers.run_next()

    def step_now(self) -> bool:
        """Do the next thing that is due by now; whether there was one."""
        return self._timers.run_next()

    def pass_time(self, time_s: float) -> None:
        """Let it become later before what is due is done, which then comes late; nothing is lost.

        So do machines on a busy computer find that time has passed.
        """
        self._timers.advance_to(time_s)

    def advance(self, duration_s: float) -> None:
        """Let time pass, and everything happen that falls due."""
        self.run_until(self.now_s + duration_s)

    def run_until(self, time_s: float) -> None:
        """Let time pass up to a moment, including everything that falls due at it.

        Raises:
            EndlessMomentError: time stands still, because things go on happening.
        """
        while (next_s := self._timers.next_s()) is not None and next_s <= time_s:
            self._timers.advance_to(next_s)
            self._run_moment()
        self._timers.advance_to(time_s)

    def settle(self, max_s: float = 3600.0, far_s: float = FAR_S) -> bool:
        """Let time pass until nothing happens any more.

        Args:
            far_s: what is due later than this from the last thing that happened doesn't count.

        Raises:
            EndlessMomentError: time stands still, because things go on happening.
        """
        end_s = self.now_s + max_s
        while (next_s := self._timers.next_s()) is not None and next_s <= self.now_s + far_s:
            if next_s > end_s:
                self._timers.advance_to(end_s)
                return False
            self._timers.advance_to(next_s)
            self._run_moment()
        return True

    def _run_moment(self) -> None:
        if self._timers.run_due(TIMERS_AT_ONE_MOMENT_MAX):
            return
        steps, calls = Counter[str](), list[str]()

        def watch(step: DriverEvent) -> None:
            steps[step.who] += 1
            if isinstance(step, Stepped):
                calls[:] = [f"{step.who} asked for {call(one)}" for one in step.effects] or calls

        self.step_hooks.append(watch)
        is_over = self._timers.run_due(_WATCHED_TIMERS)
        self.step_hooks.remove(watch)
        if not is_over:
            passed_s = self.now_s - self._start_s
            machines = ", ".join(f"{who} ({count} steps)" for who, count in steps.most_common())
            last = f"; at last {calls[-1]}" if calls else ""
            raise EndlessMomentError(
                f"time stands still {passed_s:g} s after the start, as these go on without an end: "
                f"{machines or 'no machine'}{last}"
            )

    def _start(self, handle: MachineHandle, machine: Machine) -> None:
        crash = partial(self._crash_by_chance, handle)
        handle.runner = MachineRunner(
            self._context,
            handle.name,
            machine,
            handle.host,
            partial(self._fail, handle),
            None if handle.renew is None or handle.is_spared else crash,
        )
        if self.health is not None:
            self.health.machine_started(handle.name)
        self._context.notify(Started(self.now_s, handle.name))
        handle.runner.start()

    def _fail(self, handle: MachineHandle, error: MachineError) -> None:
        if self.health is None or handle.renew is None:
            raise error
        self.crash(handle)
        self.at(self.health.machine_failed(error, self.now_s), partial(self._renew, handle))

    def _crash_by_chance(self, handle: MachineHandle) -> None:
        self.crash(handle, loses_calls=self._injector.loses_calls())
        self.at(self.now_s + self._injector.restart_delay_s(), partial(self._renew, handle))

    def _renew(self, handle: MachineHandle) -> None:
        if handle.runner is None and handle.renew is not None:
            self._start(handle, handle.renew())
