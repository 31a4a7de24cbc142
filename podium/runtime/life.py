"""One machine in virtual time, from its start to its crash."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from podium.control.effects import Effect, Panic
from podium.control.events import CallError, Change, Event, Outcome, Synced, Woken
from podium.control.machine import Machine, SelectiveMachine
from podium.runtime.agenda import Agenda, Entry
from podium.runtime.dispatcher import Dispatcher
from podium.runtime.faults import Fate, Fates
from podium.runtime.feed import Feed
from podium.runtime.happenings import Called, Happening, Hook, Relisted, Stepped
from podium.runtime.machine_health import MachineError, MachineHealth, call, handling
from podium.runtime.recorder import EventRecorder, Recording, Stamps
from podium.runtime.shared_watch import SharedWatch
from podium.store.errors import JournalError
from podium.store.store import Store


@dataclass(slots=True)
class World:
    """What all machines of a driver have in common.

    Attributes:
        agenda: what is due when, and what time it is.
        store: what watches read from.
        dispatcher: makes the calls.
        fates: what becomes of calls and watches.
        stamps: for the names of events.
        hooks: told of everything that happens.
        watches: by kind, those that some machine has needed.
        health: keeps account of what fails; None if the first failure ends the run.
    """

    agenda: Agenda
    store: Store
    dispatcher: Dispatcher
    fates: Fates
    stamps: Stamps = field(default_factory=Stamps)
    hooks: list[Hook] = field(default_factory=list)
    watches: dict[str, SharedWatch] = field(default_factory=dict)
    health: MachineHealth | None = None

    def watch(self, kind: str) -> SharedWatch:
        """The watch of a kind, for all machines."""
        found = self.watches.get(kind)
        if found is None:
            found = SharedWatch(kind, self.store, self.agenda, self.fates)
            self.watches[kind] = found
        return found

    def stumbled(self, error: MachineError, again_s: float) -> None:
        """Something went wrong that costs a machine one of its tasks, until it tries again."""
        if self.health is None:
            raise error
        self.health.stumbled(error, again_s)

    def happened(self, happening: Happening) -> None:
        """Tell the hooks."""
        for hook in self.hooks:
            hook(happening)


class Life:
    """A machine that runs: what it is told, when it is woken, and the calls that it asks for.

    Attributes:
        name: of the machine, among the driver's.
        machine: the machine.
        is_over: whether it has crashed; it is told nothing any more.

    Args:
        world: what it shares with others.
        name: of the machine.
        machine: knows of nothing yet.
        host: where it runs, as events tell.
        fail: ends this life when the machine raises.
        crash: ends this life when the fates say so; None if it is spared.
    """

    def __init__(
        self,
        world: World,
        name: str,
        machine: Machine,
        host: str,
        fail: Callable[[MachineError], None],
        crash: Callable[[], None] | None,
    ) -> None:
        self.name = name
        self.machine = machine
        self.is_over = False
        self._world = world
        self._fail = fail
        self._crash = crash
        self._agenda = world.agenda
        self._fates = world.fates
        self._recorder = EventRecorder(host, world.stamps, world.agenda.now_s)
        self._tell: Callable[[Change], None] = self._step
        if isinstance(machine, SelectiveMachine):
            self._tell = self._step_if_heeded(machine)
        self._kinds = machine.kinds
        self._feeds = [self._feed(kind) for kind in sorted(machine.kinds)]
        self._unsynced = len(self._feeds)
        self._loses_calls = False
        self._wakeup: Entry | None = None
        self._wakeup_s: float | None = None
        self._recorder_wakeup: Entry | None = None

    def start(self) -> None:
        """List and watch all that the machine wants to know."""
        for feed in self._feeds:
            feed.start()
        if not self._feeds:
            self._step(Synced())

    def _feed(self, kind: str) -> Feed:
        world = self._world
        return Feed(
            world.watch(kind),
            world.store,
            world.agenda,
            world.fates,
            tell=self._tell,
            synced=self._synced,
            relisted=self._relisted,
        )

    def _follow_more(self) -> None:
        """List and watch what the machine has learnt of, too."""
        feeds = [self._feed(kind) for kind in sorted(self.machine.kinds - self._kinds)]
        self._kinds = self.machine.kinds
        self._feeds += feeds
        self._unsynced += len(feeds)
        for feed in feeds:
            feed.start()

    def end(self, *, loses_calls: bool) -> None:
        """Crash.

        Args:
            loses_calls: whether the calls that haven't reached the API yet never will.
        """
        self.is_over = True
        self._loses_calls = loses_calls
        for feed in self._feeds:
            feed.stop()
        for entry in (self._wakeup, self._recorder_wakeup):
            if entry is not None:
                entry.cancel()

    def break_watches(self) -> None:
        """Have everything listed anew."""
        for feed in self._feeds:
            feed.break_watch()

    def _synced(self) -> None:
        self._unsynced -= 1
        if self._unsynced == 0 and not self.is_over:
            self._step(Synced())

    def _relisted(self, kind: str) -> None:
        if self._world.hooks:
            self._world.happened(Relisted(self._agenda.now_s, self.name, kind))

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
        now_s = self._agenda.now_s
        try:
            effects = self.machine.step(event, now_s)
            calls = list(self._recorder.calls_of(effects, now_s)) if effects else ()
            wakeup_s = self.machine.next_wakeup_s()
        except Exception as error:  # noqa: BLE001 - whatever a bug raises
            self._fail(MachineError(self.name, handling(event), error))
            return
        if self.machine.kinds is not self._kinds:
            self._follow_more()
        if effects:
            self._send_all(calls)
            self._plan_recording()
        self._plan_wakeup(wakeup_s)
        if self._world.hooks:
            self._world.happened(Stepped(now_s, self.name, event, effects))
        if self._crash is not None and not self._fates.is_calm:
            self._crash_by_chance(self._crash)

    def _crash_by_chance(self, crash: Callable[[], None]) -> None:
        if self._fates.restarts() and not self.is_over:
            crash()

    def _plan_wakeup(self, at_s: float | None) -> None:
        now_s = self._agenda.now_s
        if at_s is not None and at_s < now_s:
            at_s = now_s
        if at_s == self._wakeup_s:
            return
        if self._wakeup is not None:
            self._wakeup.cancel()
        self._wakeup_s = at_s
        self._wakeup = None if at_s is None else self._agenda.put(at_s, self._wake, None)

    def _wake(self, _: None) -> None:
        self._wakeup = self._wakeup_s = None
        self._step(Woken())

    def _plan_recording(self) -> None:
        if self._recorder_wakeup is None:
            at_s = self._recorder.next_wakeup_s()
            if at_s is not None:
                self._recorder_wakeup = self._agenda.put(at_s, self._wake_recorder, None)

    def _wake_recorder(self, _: None) -> None:
        self._recorder_wakeup = None
        self._send_all(self._recorder.wake(self._agenda.now_s))
        self._plan_recording()

    def _send_all(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            self._send(effect)

    def _send(self, effect: Effect) -> None:
        if isinstance(effect, Panic):
            self._world.stumbled(MachineError(self.name, effect.task, effect.error), effect.again_s)
            return
        now_s, fate = self._agenda.now_s, self._fates.of_call(effect)
        if fate.applied_after_s is not None:
            self._agenda.put(now_s + fate.applied_after_s, self._apply, (effect, fate))
        if fate.error is not None:
            self._plan_outcome(Outcome(effect, fate.error), fate)

    def _apply(self, call: tuple[Effect, Fate]) -> None:
        if self._loses_calls:
            return
        effect, fate = call
        now_s = self._agenda.now_s
        outcome = self._called(effect, now_s)
        if self._world.hooks:
            called = Called(now_s, self.name, effect, outcome.error, outcome.obj)
            self._world.happened(called)
        if fate.error is None:
            self._plan_outcome(outcome, fate)

    def _called(self, effect: Effect, now_s: float) -> Outcome:
        """Make a call; a bug behind it is an internal error, as of any server."""
        try:
            return self._world.dispatcher.call(effect, now_s)
        except JournalError:
            raise
        except Exception as cause:  # noqa: BLE001 - whatever a bug raises
            self._world.stumbled(MachineError(self.name, f"its {call(effect)}", cause), now_s)
            return Outcome(effect, CallError(500, "InternalError", f"Internal error: {cause}"))

    def _plan_outcome(self, outcome: Outcome, fate: Fate) -> None:
        if outcome.effect.purpose is None:
            return
        at_s = self._agenda.now_s + fate.told_after_s
        self._agenda.put(at_s, self._answer, outcome)
        if fate.repeated_after_s is not None:
            self._agenda.put(at_s + fate.repeated_after_s, self._answer, outcome)

    def _answer(self, outcome: Outcome) -> None:
        if self.is_over:
            return
        purpose = outcome.effect.purpose
        if isinstance(purpose, Recording):
            self._send_all(self._recorder.outcome(purpose, outcome, self._agenda.now_s))
            self._plan_recording()
        else:
            self._step(outcome)
