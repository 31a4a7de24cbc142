"""The protocol of an API server as drivers need it: calls, lists and watches, and how they fail."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

import msgspec

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.machines.effects import Effect
from podium.machines.events import Outcome


class WatchExpiredError(PodiumError):
    """A watch can't go on where it ended: everything must be listed anew."""


class UnreachableError(PodiumError):
    """A list or a watch failed for now; trying again may help."""


class ForbiddenError(UnreachableError):
    """The user may not list or watch a kind, until somebody gives the right to."""


class NotServedError(UnreachableError):
    """The server knows no such kind: there are no objects of it, until somebody defines it."""


class WatchEventLike(Protocol):
    """An event of a watch, of the store or of a real API server."""

    @property
    def type(self) -> str:
        """`ADDED`, `MODIFIED`, `DELETED`, or `BOOKMARK`, which only tells of the revision."""

    @property
    def obj(self) -> Object:
        """The object as it is now; for one that is gone, its last state."""

    @property
    def revision(self) -> int:
        """The write's."""


class ObjectList(msgspec.Struct, frozen=True):
    """All objects of a kind, and the revision that they are of."""

    objects: Sequence[Object]
    revision: int


class AsyncApi(Protocol):
    """An API server, as machines need it."""

    async def call(self, effect: Effect) -> Outcome:
        """Carry an effect out; whatever goes wrong on the way is an outcome as well."""
        ...

    async def list(self, kind: str) -> ObjectList:
        """All objects of a kind; raises UnreachableError."""
        ...

    def watch(self, kind: str, revision: int) -> AsyncIterator[Sequence[WatchEventLike]]:
        """What happens to objects of a kind after a revision, gapless and in order.

        It may end at any time, and goes on with another watch then. Raises WatchExpiredError if
        what happened then isn't known any more, and UnreachableError.
        """
        ...
