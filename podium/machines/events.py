"""The events that a driver passes to a machine."""

from collections.abc import Mapping

import msgspec

from podium.api.objects import Object, Place
from podium.machines.effects import Effect

# The reason of a call that may or may not have been carried out.
UNKNOWN_OUTCOME = "Timeout"


# Made for every machine and object: a msgspec.Struct is the type that is constructed fastest.
class Change(msgspec.Struct, frozen=True):
    """The addition (without `old`), modification or deletion (without `new`) of an object.

    Intermediate states may be skipped, but an object that was deleted and created again is reported
    as a deletion and an addition. Objects are never modified in place.
    """

    kind: str
    old: Object | None
    new: Object | None

    @property
    def obj(self) -> Object:
        """Return the object's current state; for a deletion, its last state."""
        obj = self.new if self.new is not None else self.old
        assert obj is not None
        return obj


class FirstList(msgspec.Struct, frozen=True):
    """All objects of a kind at the start, for machines with `takes_lists`, by their places."""

    kind: str
    objects: Mapping[Place, Object]


class Synced(msgspec.Struct, frozen=True):
    """The end of the initial lists, after which the machine may return effects."""


class Woken(msgspec.Struct, frozen=True):
    """The event that a driver passes to a machine at its `next_wakeup_s`."""


class CallError(msgspec.Struct, frozen=True):
    """The error of a failed call; its code is 504 if the result of the call is unknown."""

    code: int
    reason: str
    message: str
    retry_after_s: float = 0.0
    """Seconds that the API server asks to wait; 0 by default."""

    @property
    def is_unknown(self) -> bool:
        """Return whether the API server may have carried out the call although it failed."""
        return self.reason == UNKNOWN_OUTCOME


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of an effect, with the object that the API server returned, if any."""

    effect: Effect
    error: CallError | None = None
    obj: Object | None = None


Event = Change | FirstList | Outcome | Synced | Woken
