"""The protocol of API servers for drivers: calls, lists, watches and their errors."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

import msgspec

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.machines.effects import Effect
from podium.machines.events import Outcome


class WatchExpiredError(PodiumError):
    """A watch can't be resumed from its last revision; the kind has to be listed again."""


class UnreachableError(PodiumError):
    """A list or a watch failed; a retry may succeed."""


class ForbiddenError(UnreachableError):
    """The user has no permission to list or watch a kind."""


class NotServedError(UnreachableError):
    """The API server doesn't serve a kind, so there are no objects of the kind."""


class WatchEventLike(Protocol):
    """A watch event, from Podium's store or from a real API server."""

    @property
    def type(self) -> str:
        """The type: `ADDED`, `MODIFIED`, `DELETED`, or `BOOKMARK`, which only has a revision."""

    @property
    def obj(self) -> Object:
        """The object's current state; for `DELETED`, its last state."""

    @property
    def revision(self) -> int:
        """The store's revision (resourceVersion) of the write."""


class ObjectList(msgspec.Struct, frozen=True):
    """All objects of a kind at a revision."""

    objects: Sequence[Object]
    revision: int


class AsyncApi(Protocol):
    """Protocol of an API server: makes the calls of effects, lists objects and watches them."""

    async def call(self, effect: Effect) -> Outcome:
        """Make the call of an effect, and return its outcome; failures are outcomes, too."""

    async def list(self, kind: str) -> ObjectList:
        """List all objects of a kind; raises UnreachableError."""

    def watch(self, kind: str, revision: int) -> AsyncIterator[Sequence[WatchEventLike]]:
        """Yield all changes to objects of a kind after a revision, in order.

        A watch may end at any time; the caller then starts another one.

        Raises:
            WatchExpiredError: the API server no longer has the changes since the revision.
            UnreachableError: the API server doesn't answer.
        """
