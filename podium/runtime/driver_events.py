"""The events of a driver, for checkers, transcripts and metrics.

A driver makes them only while it has hooks, and calls each hook with each event.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from podium.api.objects import Object
from podium.control.effects import Effect
from podium.control.events import CallError, Event


@dataclass(frozen=True, slots=True)
class Stepped:
    """A machine has taken an event in.

    Attributes:
        at_s: when, in seconds since the epoch.
        who: the machine's name.
        took_s: how long that took by the wall clock; 0 in virtual time.
    """

    at_s: float
    who: str
    event: Event
    effects: Sequence[Effect]
    took_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Called:
    """A call has reached the API, whatever the machine that asked for it is told of that.

    Attributes:
        at_s: when, in seconds since the epoch.
        who: the name of the machine that asked.
        error: why it failed; None if it succeeded.
        obj: what the API answered with, if it succeeded.
        took_s: how long the answer took by the wall clock; 0 in virtual time.
    """

    at_s: float
    who: str
    effect: Effect
    error: CallError | None
    obj: Object | None
    took_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Started:
    """A machine was started, for the first time or anew."""

    at_s: float
    who: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """A machine runs no more, by a crash or on purpose; what it knew is lost."""

    at_s: float
    who: str


@dataclass(frozen=True, slots=True)
class Relisted:
    """A watch broke, and everything was listed anew.

    Attributes:
        at_s: when, in seconds since the epoch.
        who: the name of the machine whose watch it was.
    """

    at_s: float
    who: str
    kind: str


DriverEvent = Stepped | Called | Started | Stopped | Relisted
Hook = Callable[[DriverEvent], None]
