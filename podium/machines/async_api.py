"""The API server that drivers use: calls, lists and watches, and their errors."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

import msgspec

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.machines.effects import Effect
from podium.machines.events import Outcome


class WatchExpiredError(PodiumError):
    """A watch can't be resumed from its last revision: a new list is needed."""


class UnreachableError(PodiumError):
    """A list or a watch failed, and may succeed later."""


class ForbiddenError(UnreachableError):
    """The user has no permission to list or watch a kind."""


class NotServedError(UnreachableError):
    """The API server doesn't serve a kind, so that there are no objects of it."""


class WatchEventLike(Protocol):
    """A watch event, from Podium's store or from a real API server."""

    @property
    def type(self) -> str:
        """The type: `ADDED`, `MODIFIED`, `DELETED`, or `BOOKMARK`, which only has a revision."""

    @property
    def obj(self) -> Object:
        """The object's current state, or the last one of a deleted object."""

    @property
    def revision(self) -> int:
        """The revision of the write."""


class ObjectList(msgspec.Struct, frozen=True):
    """All objects of a kind at a revision."""

    objects: Sequence[Object]
    revision: int


class AsyncApi(Protocol):
    """An API server for the effects and the events of machines."""

    async def call(self, effect: Effect) -> Outcome:
        """Carry an effect out, and return its outcome; every failure is an outcome too."""

    async def list(self, kind: str) -> ObjectList:
        """List all objects of a kind, or raise UnreachableError."""

    def watch(self, kind: str, revision: int) -> AsyncIterator[Sequence[WatchEventLike]]:
        """Yield the changes to objects of a kind after a revision, without gaps and in order.

        A watch may end at any time, and is then followed by another one.

        Raises:
            WatchExpiredError: the changes since the revision aren't known any more.
            UnreachableError: the API server doesn't answer.
        """
