"""The events of a driver, for checkers, transcripts and metrics.

A driver makes them only while it has hooks, and calls each hook with each event.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.control.effects import Effect
from podium.control.events import CallError, Event


@dataclass(frozen=True, slots=True)
class DriverEvent:
    """What has happened to a machine.

    Attributes:
        at_s: when, in seconds since the epoch.
        who: the machine's name.
    """

    at_s: float
    who: str


@dataclass(frozen=True, slots=True)
class Stepped(DriverEvent):
    """A machine has taken an event in, and asked for effects.

    `took_s` says how long that took by the wall clock; 0 in virtual time.
    """

    event: Event
    effects: Sequence[Effect]
    took_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Called(DriverEvent):
    """A call has reached the API, whatever the machine that asked for it is told of that.

    Attributes:
        effect: what the machine asked for.
        error: why the call failed; None if it succeeded.
        obj: what the API answered with, if it succeeded.
        took_s: how long the answer took by the wall clock; 0 in virtual time.
    """

    effect: Effect
    error: CallError | None
    obj: Object | None
    took_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Started(DriverEvent):
    """A machine was started, for the first time or anew."""


@dataclass(frozen=True, slots=True)
class Stopped(DriverEvent):
    """A machine runs no more, by a crash or on purpose; what it knew is lost."""


@dataclass(frozen=True, slots=True)
class Relisted(DriverEvent):
    """A watch of a machine broke, and all objects of its kind were listed anew."""

    kind: str


@dataclass(frozen=True, slots=True)
class ListFailed(DriverEvent):
    """A kind couldn't be listed or watched; it is tried again.

    Attributes:
        kind: of the objects.
        error: why.
    """

    kind: str
    error: PodiumError


@dataclass(frozen=True, slots=True)
class Listed(DriverEvent):
    """A kind has been listed.

    Attributes:
        kind: of the objects.
    """

    kind: str


Hook = Callable[[DriverEvent], None]
