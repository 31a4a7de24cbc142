"""The events that a driver reports to its hooks: checkers, transcripts and metrics.

A driver without hooks makes no events. The virtual driver passes the frequent `Stepped` to separate
hooks (`step_hooks`); the live driver passes every event to every hook.
"""

from collections.abc import Callable, Sequence

import msgspec

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.machines.effects import Effect
from podium.machines.events import CallError, Event


class DriverEvent(msgspec.Struct, frozen=True):
    """An event of the state machine named `who`, at `at_s` seconds since the epoch."""

    at_s: float
    who: str


class Stepped(DriverEvent, frozen=True):
    """A state machine has handled an event; `took_s` is by the wall clock, 0 in virtual time."""

    event: Event
    effects: Sequence[Effect]
    took_s: float = 0.0


class Called(DriverEvent, frozen=True):
    """The API server has carried out or refused a call; the machine may never learn of it."""

    effect: Effect
    error: CallError | None
    obj: Object | None
    took_s: float = 0.0


class Started(DriverEvent, frozen=True):
    """A state machine was started or restarted."""


class Stopped(DriverEvent, frozen=True):
    """A state machine has crashed or was stopped; its state is lost."""


class Relisted(DriverEvent, frozen=True):
    """A watch of a state machine broke, and the watched kind is listed again."""

    kind: str


class ListFailed(DriverEvent, frozen=True):
    """A list or watch of a kind failed, and will be retried."""

    kind: str
    error: PodiumError


class Listed(DriverEvent, frozen=True):
    """All objects of a kind have been listed."""

    kind: str


Hook = Callable[[DriverEvent], None]
