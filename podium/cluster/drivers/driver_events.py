"""The events of a driver, for checkers, transcripts and metrics.

A driver makes them only while it has hooks. The virtual driver tells those of steps apart from the
others, as there are many; the live driver calls each hook with each event.
"""

from collections.abc import Callable, Sequence

import msgspec

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.machines.effects import Effect
from podium.machines.events import CallError, Event


class DriverEvent(msgspec.Struct, frozen=True):
    """An event in the life of a machine."""

    at_s: float
    who: str


class Stepped(DriverEvent, frozen=True):
    """A machine has taken an event in, and asked for effects.

    `took_s` says how long that took by the wall clock; 0 in virtual time.
    """

    event: Event
    effects: Sequence[Effect]
    took_s: float = 0.0


class Called(DriverEvent, frozen=True):
    """A call has reached the API, even if its answer doesn't reach the machine.

    Attributes:
        error: why the call failed; None if it succeeded.
        obj: what the API answered with, if it succeeded.
        took_s: how long the answer took by the wall clock; 0 in virtual time.
    """

    effect: Effect
    error: CallError | None
    obj: Object | None
    took_s: float = 0.0


class Started(DriverEvent, frozen=True):
    """A machine was started, or started again."""


class Stopped(DriverEvent, frozen=True):
    """A machine runs no more, by a crash or on purpose; what it knew is lost."""


class Relisted(DriverEvent, frozen=True):
    """A watch of a machine broke, and all objects of its kind were listed again."""

    kind: str


class ListFailed(DriverEvent, frozen=True):
    """A kind couldn't be listed or watched; it is tried again."""

    kind: str
    error: PodiumError


class Listed(DriverEvent, frozen=True):
    """A kind has been listed."""

    kind: str


Hook = Callable[[DriverEvent], None]
