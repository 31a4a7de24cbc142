"""Events: what a driver tells a machine.

They are made for every machine and object, so that they are of the type that is made fastest.
"""

from collections.abc import Mapping

import msgspec

from podium.api.objects import Object, Place
from podium.machines.effects import Effect

# The outcome of a call isn't known: it may or may not have been carried out.
UNKNOWN_OUTCOME = "Timeout"


class Change(msgspec.Struct, frozen=True):
    """Tells that an object came, changed or went; objects are never changed in place.

    What happened between two looks may have been missed: an object that was deleted and created
    anew meanwhile shows as a change of its uid, split into a deletion and an addition.

    Attributes:
        old: as last seen; None if it is new.
        new: as it is now; None if it is gone (then `old` is the last known state of it).
    """

    kind: str
    old: Object | None
    new: Object | None

    @property
    def obj(self) -> Object:
        """The object as it is now; as it was last, if it is gone."""
        found = self.new if self.new is not None else self.old
        assert found is not None
        return found


class FirstList(msgspec.Struct, frozen=True):
    """All objects of a kind at the start, by place, before the machine knows any.

    It stands for an addition of each, in their order, to machines that say that they take lists.
    """

    kind: str
    objects: Mapping[Place, Object]


class Synced(msgspec.Struct, frozen=True):
    """Tells that all objects of the start have been told; from now on the machine may act."""


class Woken(msgspec.Struct, frozen=True):
    """Tells that the time has come at which the machine asked to be woken."""


class CallError(msgspec.Struct, frozen=True):
    """The reason for which a call has failed.

    Attributes:
        code: the HTTP status code; 504 if the outcome isn't known.
        reason: as in an API status, such as `Conflict` or `NotFound`.
        retry_after_s: how long the server asks to wait; 0 if it doesn't say.
    """

    code: int
    reason: str
    message: str
    retry_after_s: float = 0.0

    @property
    def is_unknown(self) -> bool:
        """Whether the call may have been carried out all the same."""
        return self.reason == UNKNOWN_OUTCOME


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of an effect, with the object that the server answered with, if it did."""

    effect: Effect
    error: CallError | None = None
    obj: Object | None = None


Event = Change | FirstList | Outcome | Synced | Woken
