"""The events of a driver, for checkers, transcripts and metrics.

A driver makes them only while it has hooks. The virtual driver hands `Stepped`, of which there are
many, to hooks of their own; the live driver hands each event to each hook.
"""

from collections.abc import Callable, Sequence

import msgspec

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.machines.effects import Effect
from podium.machines.events import CallError, Event


class DriverEvent(msgspec.Struct, frozen=True):
    """An event in the life of the machine that `who` names."""

    at_s: float
    who: str


class Stepped(DriverEvent, frozen=True):
    """A machine has handled an event and returned effects.

    `took_s` is how long that took by the wall clock; 0 in virtual time.
    """

    event: Event
    effects: Sequence[Effect]
    took_s: float = 0.0


class Called(DriverEvent, frozen=True):
    """The API has answered a call, though the machine may never receive the answer.

    `took_s` is how long that took by the wall clock; 0 in virtual time.
    """

    effect: Effect
    error: CallError | None
    obj: Object | None
    took_s: float = 0.0


class Started(DriverEvent, frozen=True):
    """A machine was started, or started again."""


class Stopped(DriverEvent, frozen=True):
    """A machine has ended, by a crash or on purpose; its state is lost."""


class Relisted(DriverEvent, frozen=True):
    """A watch of a machine broke, and all objects of its kind are listed again."""

    kind: str


class ListFailed(DriverEvent, frozen=True):
    """A list or watch of a kind failed, and will be tried again."""

    kind: str
    error: PodiumError


class Listed(DriverEvent, frozen=True):
    """A kind has been listed."""

    kind: str


Hook = Callable[[DriverEvent], None]
