"""The driver of virtual time, whose runs are reproducible by a seed.

Everything that is scheduled is a timer, and time passes only from one timer to the next. Timers due
at the same time run in the order in which they were added. Without latencies that means:

1. A state machine handles an event. Its calls are queued in the order in which it returned them,
   followed by its wake-up if it asked for one at once.
2. A call is carried out. Next, each informer delivers the writes, to machines in the order of
   their start; then the calling machine receives the outcome.
3. An informer delivers its changes one after the other, with nothing in between.
4. A machine that wakes last, such as a scheduler, is woken when nothing else is due.
"""

from collections import Counter
from collections.abc import Callable
from random import Random

from podium.api.errors import PodiumError
from podium.apiserver.server import ApiServer
from podium.apiserver.store.errors import JournalError
from podium.cluster.drivers.api_caller import carry_out
from podium.cluster.drivers.driver_events import Called, DriverEvent, Stepped
from podium.cluster.drivers.faults import (
    INSTANT,
    NO_FAULTS,
    CallPlan,
    FaultInjector,
    Faults,
    Latency,
)
from podium.cluster.drivers.machine_health import MachineError, call
from podium.cluster.drivers.machine_runner import Driver, MachineHandle, MachineRunner
from podium.cluster.drivers.shared_informer import ProcessorListener, SharedInformer
from podium.machines.effects import Effect
from podium.machines.events import CallError, Outcome
from podium.machines.machine import Machine

# A cluster whose next timer is further away than this has settled.
FAR_S = 60.0

# Starting 100,000 pods at once takes fewer; more means that machines keep reacting to each other.
TIMERS_AT_ONE_MOMENT_MAX = 1_000_000
_WATCHED_TIMERS = 10_000


class VirtualDriver(Driver):
    """Runs state machines over an API server in virtual time."""

    def __init__(
        self,
        server: ApiServer,
        start_s: float,
        rng: Random,
        faults: Faults = NO_FAULTS,
        latency: Latency = INSTANT,
        event_reasons: frozenset[str] | None = None,
    ) -> None:
        super().__init__(start_s, FaultInjector(latency, faults, rng), event_reasons)
        self._server = server
        self._store = server.store
        self._informers: dict[str, SharedInformer] = {}
        self._start_s = start_s

    @property
    def now_s(self) -> float:
        return self.timers.now_s

    @property
    def faults(self) -> Faults:
        """Injected faults; set to `NO_FAULTS` to let the cluster come to rest."""
        return self.injector.faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        self.injector.faults = faults

    def restart(self, handle: MachineHandle, machine: Machine) -> None:
        """Replace a machine by another one; a running machine crashes first."""
        self.crash(handle)
        self._start(handle, machine)

    def at(self, time_s: float, action: Callable[[], None]) -> None:
        self.timers.put(time_s, lambda _: action(), None)

    def next_s(self) -> float | None:
        return self.timers.next_s()

    def step(self) -> bool:
        """Advance the time to the next timer and run it; return whether there was one."""
        next_s = self.timers.next_s()
        if next_s is None:
            return False
        self.timers.advance_to(next_s)
        return self.timers.run_next()

    def step_now(self) -> bool:
        """Run the next timer that is due; return whether there was one."""
        return self.timers.run_next()

    def pass_time(self, time_s: float) -> None:
        """Advance the time without running timers; they run late, as on a busy computer."""
        self.timers.advance_to(time_s)

    def advance(self, duration_s: float) -> None:
        """Advance the time by a duration, and run all due timers; raises PodiumError."""
        self.run_until(self.now_s + duration_s)

    def run_until(self, time_s: float) -> None:
        """Advance to a time, and run all timers due by then; raises PodiumError."""
        while (next_s := self.timers.next_s()) is not None and next_s <= time_s:
            self.timers.advance_to(next_s)
            self._run_moment()
        self.timers.advance_to(time_s)

    def settle(self, max_s: float = 3600.0, far_s: float = FAR_S) -> bool:
        """Advance until no timer is due within `far_s`; return whether `max_s` sufficed."""
        end_s = self.now_s + max_s
        while (next_s := self.timers.next_s()) is not None and next_s <= self.now_s + far_s:
            if next_s > end_s:
                self.timers.advance_to(end_s)
                return False
            self.timers.advance_to(next_s)
            self._run_moment()
        return True

    def _run_moment(self) -> None:
        if self.timers.run_due(TIMERS_AT_ONE_MOMENT_MAX):
            return
        steps, calls = Counter[str](), list[str]()

        def watch(step: DriverEvent) -> None:
            steps[step.who] += 1
            if isinstance(step, Stepped):
                calls[:] = [f"{step.who} asked for {call(one)}" for one in step.effects] or calls

        self.step_hooks.append(watch)
        is_over = self.timers.run_due(_WATCHED_TIMERS)
        self.step_hooks.remove(watch)
        if not is_over:
            passed_s = self.now_s - self._start_s
            machines = ", ".join(f"{who} ({count} steps)" for who, count in steps.most_common())
            last = f"; at last {calls[-1]}" if calls else ""
            raise PodiumError(
                f"time stands still {passed_s:g} s after the start, as these go on without an end: "
                f"{machines or 'no machine'}{last}"
            )

    def listen(self, runner: MachineRunner, kind: str) -> ProcessorListener:
        informer = self._informers.get(kind)
        if informer is None:
            informer = SharedInformer(kind, self._store, self.timers, self.injector)
            self._informers[kind] = informer
        return ProcessorListener(informer, runner)

    def send(self, runner: MachineRunner, effect: Effect) -> None:
        now_s, plan = self.timers.now_s, self.injector.plan_call(effect)
        if plan.applied_after_s is not None:
            self.timers.put(now_s + plan.applied_after_s, self._apply, (runner, effect, plan))
        if plan.error is not None:
            self._schedule_outcome(runner, Outcome(effect, plan.error), plan)

    def _let_act(self, runner: MachineRunner) -> None:
        runner.synced()

    def _apply(self, planned: tuple[MachineRunner, Effect, CallPlan]) -> None:
        runner, effect, plan = planned
        if runner.loses_calls:
            return
        now_s = self.timers.now_s
        try:
            outcome = carry_out(self._server, effect, now_s)
        except JournalError:
            raise
        except Exception as cause:  # noqa: BLE001 - whatever a bug raises
            self.task_failed(MachineError(runner.name, f"its {call(effect)}", cause), now_s)
            error = CallError(500, "InternalError", f"Internal error: {cause}")
            outcome = Outcome(effect, error)
        if self.hooks:
            self.notify(Called(now_s, runner.name, effect, outcome.error, outcome.obj))
        if plan.error is None:
            self._schedule_outcome(runner, outcome, plan)

    def _schedule_outcome(self, runner: MachineRunner, outcome: Outcome, plan: CallPlan) -> None:
        if outcome.effect.purpose is None:
            return
        at_s = self.timers.now_s + plan.outcome_after_s
        self.timers.put(at_s, runner.answer, outcome)
        if plan.repeated_after_s is not None:
            self.timers.put(at_s + plan.repeated_after_s, runner.answer, outcome)
