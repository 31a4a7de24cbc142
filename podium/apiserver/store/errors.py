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
    """Base class of the store's errors."""


class AlreadyExistsError(StoreError):
    """An object with this name exists already."""


class NotFoundError(StoreError):
    """There is no object with this name."""


class ExpiredError(StoreError):
    """The requested revision is older than the history; a token continues with current objects."""

    def __init__(self, message: str, continue_token: str = "") -> None:
        super().__init__(message)
        self.continue_token = continue_token

    @classmethod
    def watch(cls, revision: int, oldest_revision: int) -> "ExpiredError":
        """Return the error for a watch that requests events before the oldest revision."""
        return cls(f"too old resource version: {revision} ({oldest_revision})")

    @classmethod
    def list(cls, continue_token: str = "") -> "ExpiredError":
        """Return the error for a list, or one of its pages, at a revision before the history."""
        return cls(_CONTINUE_TOO_OLD if continue_token else _LIST_TOO_OLD, continue_token)


class TooLargeResourceVersionError(StoreError):
    """The requested revision hasn't been written yet."""

    def __init__(self, revision: int, current: int) -> None:
        super().__init__(f"Too large resource version: {revision}, current: {current}")


class InvalidContinueError(StoreError, ValueError):
    """A continue token isn't valid for this store."""

    def __init__(self, why: str) -> None:
        super().__init__(f"invalid continue token: continue key is not valid{why}")


class JournalError(StoreError):
    """The journal can't persist a write (which is then undone), or can't be read."""


class NoRoomError(JournalError):
    """The disk is full, so a write can't be persisted; a retry may succeed."""
