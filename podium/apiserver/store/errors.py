"""Errors of the store."""

from podium.api.errors import PodiumError

_LIST_TOO_OLD = "The resourceVersion for the provided list is too old."
_CONTINUE_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. "
    "You can start a new list without the continue parameter, or use the continue token in this "
    "response to retrieve the remainder of the results. Continuing with the provided token "
    "results in an inconsistent list - objects that were created, modified, or deleted between "
    "the time the first chunk was returned and now may show up in the list."
)


class StoreError(PodiumError):
    """The root of the store's errors."""


class KeyedError(StoreError):
    """An error about one object; the namespace is empty if its kind has none."""

    why = ""

    def __init__(self, kind: str, namespace: str, name: str, why: str = "") -> None:
        key = f"{namespace}/{name}" if namespace else name
        super().__init__(f"{kind} {key} {why or self.why}")
        self.namespace = namespace
        self.name = name


class AlreadyExistsError(KeyedError):
    """There is such an object already."""

    why = "already exists"


class NotFoundError(KeyedError):
    """There is no such object."""

    why = "not found"


class ConflictError(KeyedError):
    """The object has changed since it was read."""


class ExpiredError(StoreError):
    """The history doesn't reach back that far; worded as kube-apiserver does.

    Attributes:
        continue_token: goes on with the list as the objects are now; empty if it wasn't paged.
    """

    def __init__(self, message: str, continue_token: str = "") -> None:
        super().__init__(message)
        self.continue_token = continue_token

    @classmethod
    def watch(cls, revision: int, oldest_revision: int) -> "ExpiredError":
        """A watch from `revision`, when one can start from `oldest_revision` or later."""
        return cls(f"too old resource version: {revision} ({oldest_revision})")

    @classmethod
    def list(cls, continue_token: str = "") -> "ExpiredError":
        """A list, or a further page of one, of the objects as they were too long ago."""
        return cls(_CONTINUE_TOO_OLD if continue_token else _LIST_TOO_OLD, continue_token)


class TooLargeResourceVersionError(StoreError):
    """A revision that is yet to come."""

    def __init__(self, revision: int, current: int) -> None:
        super().__init__(f"Too large resource version: {revision}, current: {current}")


class InvalidContinueError(StoreError, ValueError):
    """A continue token that this store can't have given."""

    def __init__(self, why: str) -> None:
        super().__init__(f"invalid continue token: continue key is not valid{why}")


class JournalError(StoreError):
    """What was to be kept couldn't be, or couldn't be read back; nothing of it is in the store."""


class NoRoomError(JournalError):
    """There is no room to keep a write; there may be again later."""
