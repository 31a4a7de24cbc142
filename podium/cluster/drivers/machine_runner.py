"""Runs one machine in virtual time, from its start to its crash."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from podium.apiserver.store.errors import JournalError
from podium.apiserver.store.store import Store
from podium.cluster.drivers.api_caller import ApiCaller
from podium.cluster.drivers.driver_events import Called, DriverEvent, Hook, Relisted, Stepped
from podium.cluster.drivers.event_recorder import EventRecorder, EventTimestamps, RecorderPurpose
from podium.cluster.drivers.faults import CallPlan, FaultInjector
from podium.cluster.drivers.machine_health import MachineError, MachineHealth, call, handling
from podium.cluster.drivers.shared_informer import ProcessorListener, SharedInformer
from podium.cluster.drivers.timer_queue import Timer, TimerQueue
from podium.machines.effects import Effect, Panic
from podium.machines.events import CallError, Change, Event, FirstList, Outcome, Synced, Woken
from podium.machines.machine import ListTakingMachine, Machine, PatientMachine, SelectiveMachine


@dataclass(slots=True)
class RunnerContext:
    """Context that the runners of a virtual driver share.

    Attributes:
        event_reasons: of the records that become events; all do if None.
    """

    timers: TimerQueue
    store: Store
    api: ApiCaller
    injector: FaultInjector
    timestamps: EventTimestamps = field(default_factory=EventTimestamps)
    hooks: list[Hook] = field(default_factory=list)
    step_hooks: list[Hook] = field(default_factory=list)
    informers: dict[str, SharedInformer] = field(default_factory=dict)
    health: MachineHealth | None = None
    event_reasons: frozenset[str] | None = None

    def informer(self, kind: str) -> SharedInformer:
        """The informer of a kind, which all machines share."""
        found = self.informers.get(kind)
        if found is None:
            found = SharedInformer(kind, self.store, self.timers, self.injector)
            self.informers[kind] = found
        return found

    def task_failed(self, error: MachineError, again_s: float) -> None:
        """Something went wrong that costs a machine one of its tasks, until it tries again."""
        if self.health is None:
            raise error
        self.health.task_failed(error, again_s)

    def notify(self, event: DriverEvent) -> None:
        """Tell the hooks."""
        for hook in self.hooks:
            hook(event)


class MachineRunner:
    """Runs a machine: delivers events, wakes it when it is due, and carries its calls out."""

    def __init__(
        self,
        context: RunnerContext,
        name: str,
        machine: Machine,
        host: str,
        fail: Callable[[MachineError], None],
        crash: Callable[[], None] | None,
    ) -> None:
        self.name = name
        self.machine = machine
        self.has_ended = False
        self._context = context
        self._fail = fail
        self._crash = crash
        self._timers = context.timers
        self._injector = context.injector
        self._recorder = EventRecorder(
            host, context.timestamps, context.timers.now_s, context.event_reasons
        )
        self._deliver: Callable[[Change], None] = self._step
        if isinstance(machine, SelectiveMachine):
            self._deliver = self._step_if_heeded(machine)
        self._wakes_last = isinstance(machine, PatientMachine) and machine.wakes_last
        self._takes_lists = isinstance(machine, ListTakingMachine) and machine.takes_lists
        self._kinds = machine.kinds
        self._listeners = [self._listener(kind) for kind in sorted(machine.kinds)]
        self._unsynced = len(self._listeners)
        self._is_synced = not self._listeners
        self._loses_calls = False
        self._wakeup: Timer | None = None
        self._wakeup_s: float | None = None
        self._recorder_wakeup: Timer | None = None

    def start(self) -> None:
        """List and watch all that the machine wants to know."""
        for listener in self._listeners:
            listener.start()
        if not self._listeners:
            self._step(Synced())

    def wake(self) -> None:
        """Wake the machine now, whenever it wanted to be woken."""
        self._schedule_wakeup(self._timers.now_s)

    def _listener(self, kind: str) -> ProcessorListener:
        informer = self._context.informer(kind)
        return ProcessorListener(
            informer, self._deliver, self._synced, self._relisted, self._take_list
        )

    def end(self, *, loses_calls: bool) -> None:
        """Crash.

        Args:
            loses_calls: whether the calls that haven't reached the API yet never will.
        """
        self.has_ended = True
        self._loses_calls = loses_calls
        for listener in self._listeners:
            listener.stop()
        for timer in (self._wakeup, self._recorder_wakeup):
            if timer is not None:
                timer.cancel()

    def _synced(self) -> None:
        self._unsynced -= 1
        if self._unsynced == 0 and not self.has_ended:
            self._is_synced = True
            self._step(Synced())

    def _relisted(self, kind: str) -> None:
        if self._context.hooks:
            self._context.notify(Relisted(self._timers.now_s, self.name, kind))

    def _take_list(self, listed: FirstList) -> bool:
        """Tell of a list at once, unless something may go wrong in between; whether it was told."""
        takes_it = self._takes_lists and self._injector.is_calm
        if takes_it:
            self._step(listed)
        return takes_it

    def _step_if_heeded(self, machine: SelectiveMachine) -> Callable[[Change], None]:
        heeds, step = machine.heeds, self._step

        def tell(change: Change) -> None:
            try:
                is_heeded = heeds(change)
            except Exception as error:  # noqa: BLE001 - whatever a bug raises
                self._fail(MachineError(self.name, handling(change), error))
                return
            if is_heeded:
                step(change)

        return tell

    def _step(self, event: Event) -> None:
        now_s = self._timers.now_s
        try:
            effects = self.machine.step(event, now_s)
            calls = list(self._recorder.calls_of(effects, now_s)) if effects else ()
            # As long as it is told what there is, it has nothing to do.
            wakeup_s = self.machine.next_wakeup_s() if self._is_synced else None
        except Exception as error:  # noqa: BLE001 - whatever a bug raises
            self._fail(MachineError(self.name, handling(event), error))
            return
        if self.machine.kinds is not self._kinds:
            # List and watch what the machine has learnt of, too.
            listeners = [self._listener(kind) for kind in sorted(self.machine.kinds - self._kinds)]
            self._kinds = self.machine.kinds
            self._listeners += listeners
            self._unsynced += len(listeners)
            for listener in listeners:
                listener.start()
        if effects:
            self._send_all(calls)
            self._schedule_recording()
        if wakeup_s != self._wakeup_s:
            self._schedule_wakeup(wakeup_s)
        for hook in self._context.step_hooks:
            hook(Stepped(now_s, self.name, event, effects))
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
        for effect in effects:
            if isinstance(effect, Panic):
                error = MachineError(self.name, effect.task, effect.error)
                self._context.task_failed(error, effect.again_s)
                continue
            now_s, plan = self._timers.now_s, self._injector.plan_call(effect)
            if plan.applied_after_s is not None:
                self._timers.put(now_s + plan.applied_after_s, self._apply, (effect, plan))
            if plan.error is not None:
                self._schedule_outcome(Outcome(effect, plan.error), plan)

    def _apply(self, planned: tuple[Effect, CallPlan]) -> None:
        if self._loses_calls:
            return
        effect, plan = planned
        now_s = self._timers.now_s
        try:
            outcome = self._context.api.call(effect, now_s)
        except JournalError:
            raise
        except Exception as cause:  # noqa: BLE001 - whatever a bug raises
            self._context.task_failed(MachineError(self.name, f"its {call(effect)}", cause), now_s)
            error = CallError(500, "InternalError", f"Internal error: {cause}")
            outcome = Outcome(effect, error)
        if self._context.hooks:
            called = Called(now_s, self.name, effect, outcome.error, outcome.obj)
            self._context.notify(called)
        if plan.error is None:
            self._schedule_outcome(outcome, plan)

    def _schedule_outcome(self, outcome: Outcome, plan: CallPlan) -> None:
        if outcome.effect.purpose is None:
            return
        at_s = self._timers.now_s + plan.told_after_s
        self._timers.put(at_s, self._answer, outcome)
        if plan.repeated_after_s is not None:
            self._timers.put(at_s + plan.repeated_after_s, self._answer, outcome)

    def _answer(self, outcome: Outcome) -> None:
        if self.has_ended:
            return
        purpose = outcome.effect.purpose
        if isinstance(purpose, RecorderPurpose):
            self._send_all(self._recorder.outcome(purpose, outcome, self._timers.now_s))
            self._schedule_recording()
        else:
            self._step(outcome)
