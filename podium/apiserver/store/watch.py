"""A reader of the history of one kind."""

from podium.apiserver.store.errors import ExpiredError
from podium.apiserver.store.history import History, Wake, WatchEvent


class Watch:
    """Reads the events after a revision, each once, in order.

    Reading is what moves it; a watch that isn't read costs nothing, and falls behind in the end.
    """

    __slots__ = ("_history", "_next", "_revision", "_wake", "_whole", "namespace")

    def __init__(
        self, whole: History, kind: str, namespace: str | None, revision: int, wake: Wake | None
    ) -> None:
        self.namespace = namespace
        self._whole = whole
        self._history = whole.of(kind)
        self._revision = revision
        self._wake = wake
        if revision < self._history.oldest_revision:
            raise ExpiredError.watch(revision, self._history.oldest_revision)
        self._next = self._history.number_after(revision)
        self._wait()

    @property
    def revision(self) -> int:
        """All events up to this revision have been taken, as a bookmark may say."""
        if self._next == self._history.end:
            self._revision = max(self._revision, self._whole.revision)
        return self._revision

    def take(self, limit: int | None = None) -> list[WatchEvent]:
        """The next events, if any; raises ExpiredError, after which the watch is of no use."""
        history = self._history
        if self._next < history.first:
            raise ExpiredError.watch(self._revision, history.oldest_revision)
        taken: list[WatchEvent] = []
        while self._next < history.end and len(taken) != limit:
            event = history[self._next]
            self._next += 1
            # Opened amid a transaction, it starts after events that weren't told of yet.
            if event.revision > self._revision:
                self._revision = event.revision
                if self.namespace is None or event.namespace == self.namespace:
                    taken.append(event)
        self._wait()
        return taken

    def wake_by(self, wake: Wake) -> None:
        """Call `wake` at the next event, each time that all have been taken."""
        self._wake = wake
        self._wait()

    def close(self) -> None:
        """Wake no more."""
        self._wake = None
        self._history.waiting.pop(self, None)

    def _wait(self) -> None:
        if self._wake is not None and self._next == self._history.end:
            self._history.waiting[self] = self._wake
