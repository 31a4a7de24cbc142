"""The protocol of schedulers, controllers and kubelets."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from podium.machines.effects import Effect
from podium.machines.events import Change, Event

NEVER_S = float("inf")


class Machine(Protocol):
    """A state machine between watch events and API calls.

    Attributes:
        name: name in the user agent and in Events.
        kinds: keys of the kinds to watch. A machine that learns of a custom kind replaces
            the set by a larger one.
    """

    name: str
    kinds: frozenset[str]

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        """Process an event, and return the calls to make; the time never goes backwards."""

    def next_wakeup_s(self) -> float | None:
        """Return the latest time of the next `Woken`, in seconds since the epoch.

        A time in the past means at once, and None that no wake-up is needed.
        """


@runtime_checkable
class PatientMachine(Protocol):
    """A machine that is woken only after all other machines have acted at a moment."""

    wakes_last: bool


@runtime_checkable
class ListTakingMachine(Protocol):
    """A machine that accepts all objects of a kind as one `FirstList` at its start."""

    takes_lists: bool


@runtime_checkable
class SelectiveMachine(Protocol):
    """A machine that needn't get changes that don't matter to it."""

    def heeds(self, change: Change) -> bool:
        """Return whether a change may matter to the machine, as far as a cheap test shows."""
