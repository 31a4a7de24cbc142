"""The protocol of schedulers, controllers and kubelets."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from podium.machines.effects import Effect
from podium.machines.events import Change, Event

NEVER_S = float("inf")


class Machine(Protocol):
    """A state machine that turns watch events into API calls."""

    name: str
    kinds: frozenset[str]
    """Keys of the kinds to watch. A machine that discovers a custom kind replaces the set by a
    larger one."""

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        """Process an event, and return the calls to make; `now_s` never decreases between calls."""

    def next_wakeup_s(self) -> float | None:
        """Return when the next `Woken` is due at the latest, in epoch seconds, or None."""


@runtime_checkable
class PatientMachine(Protocol):
    """A machine that, at any given time, is woken only after all other machines have acted."""

    wakes_last: bool


@runtime_checkable
class ListTakingMachine(Protocol):
    """A machine that gets all initial objects of a kind as one `FirstList`."""

    takes_lists: bool


@runtime_checkable
class SelectiveMachine(Protocol):
    """A machine to which drivers needn't pass changes that don't affect it."""

    def heeds(self, change: Change) -> bool:
        """Return whether a change may affect the machine, by a cheap test that never misses one."""
