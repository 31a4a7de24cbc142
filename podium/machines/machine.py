"""The one protocol of schedulers, controllers and node agents."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from podium.machines.effects import Effect
from podium.machines.events import Change, Event

NEVER_S = float("inf")
"""The time of what isn't going to happen by itself."""


class Machine(Protocol):
    """A state machine between watch events and API calls.

    Attributes:
        name: who acts, as in a user agent and in events.
        kinds: the kinds of objects that it wants to be told of, by their keys. A machine
            that learns of a new kind replaces the set by a larger one.
    """

    name: str
    kinds: frozenset[str]

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        """Take an event in, and say what is to be done; the time never goes backwards."""
        ...

    def next_wakeup_s(self) -> float | None:
        """When the machine wants `Woken` at the latest, in seconds since the epoch.

        A time in the past means at once; None that only other events matter.
        """
        ...


@runtime_checkable
class PatientMachine(Protocol):
    """A machine that acts upon what it was told only when nothing else happens at that moment."""

    wakes_last: bool


@runtime_checkable
class ListTakingMachine(Protocol):
    """A machine that can take all existing objects in one `FirstList` when it starts."""

    takes_lists: bool


@runtime_checkable
class SelectiveMachine(Protocol):
    """A machine that can do without some changes; telling it of them does no harm."""

    def heeds(self, change: Change) -> bool:
        """Whether a change may matter to the machine, as far as can be told at little cost."""
        ...
