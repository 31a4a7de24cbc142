"""The store: objects by kind, namespace and name, one revision counter, one history.

Every write gets the next revision, which becomes the object's resourceVersion. It is told to the
journal first and to watches afterwards, so that no watch sees what a crash could undo. Objects are
kept as they are given but for that version, and mustn't be changed afterwards.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

from podium.api.objects import Object
from podium.apiserver.store import continue_token as tokens
from podium.apiserver.store.continue_token import AS_OF_NOW
from podium.apiserver.store.errors import (
    AlreadyExistsError,
    ConflictError,
    ExpiredError,
    NotFoundError,
    TooLargeResourceVersionError,
)
from podium.apiserver.store.history import (
    FIRST_REVISION,
    EventType,
    History,
    Journal,
    Recovered,
    Wake,
    WatchEvent,
)
from podium.apiserver.store.kind_index import KindIndex, Matches, Page, find
from podium.apiserver.store.watch import FieldValue, FieldWatch, Watch

_NOTHING_KEPT = Recovered(FIRST_REVISION, ())


class Store:
    """Keeps versioned objects; `revision` counts writes, even those of open transactions."""

    def __init__(self, *, history_max: int = 32_768, journal: Journal | None = None) -> None:
        """Take up what the journal, if any, has kept; raises JournalError."""
        recovered = journal.load() if journal else _NOTHING_KEPT
        self.revision = recovered.oldest_revision
        self._indexes: dict[str, KindIndex] = {}
        self._history = History(history_max, self.revision)
        self._journal = journal
        # Writes that neither the journal nor watches know of yet.
        self._pending: list[WatchEvent] = []
        self._in_transaction = False
        for event in recovered.events:
            self._apply(event)
            if event.revision > self.revision:
                self.revision = event.revision
                self._history.publish((event,))

    def adopt(self, other: "Store") -> None:
        """Hold and remember what another store does, which shares the objects of now.

        Raises ValueError: there is a journal, which knows nothing of it.
        """
        if self._journal is not None:
            raise ValueError("a store with a journal adopts nothing")
        self.revision = other.revision
        self._indexes = {kind: index.copy() for kind, index in other._indexes.items()}
        self._history = other._history.copy()

    def get(self, kind: str, namespace: str, name: str) -> Object | None:
        """An object, None if there is none; the namespace is "" where kinds have none."""
        index = self._indexes.get(kind)
        return None if index is None else index.get(namespace, name)

    def create(self, kind: str, obj: Object) -> Object:
        """Add an object, and return it with its version; raises AlreadyExistsError."""
        metadata = obj["metadata"]
        namespace, name = metadata.get("namespace", ""), metadata["name"]
        if self.get(kind, namespace, name) is not None:
            raise AlreadyExistsError(kind, namespace, name)
        return self._write("ADDED", kind, namespace, name, obj, None)

    def update(self, kind: str, obj: Object, expected_version: str | None) -> Object:
        """Replace an object of an expected or any version; raises NotFoundError, ConflictError."""
        metadata = obj["metadata"]
        namespace, name = metadata.get("namespace", ""), metadata["name"]
        previous = self._expect(kind, namespace, name, expected_version)
        return self._write("MODIFIED", kind, namespace, name, obj, previous)

    def delete(self, kind: str, namespace: str, name: str) -> Object:
        """Remove an object, and return its last state; raises NotFoundError."""
        previous = self._expect(kind, namespace, name, None)
        return self._write("DELETED", kind, namespace, name, previous, previous)

    def list(
        self,
        kind: str,
        namespace: str | None = None,
        *,
        limit: int = 0,
        continue_token: str = "",
        at_revision: int | None = None,
        matches: Matches | None = None,
    ) -> Page:
        """Objects in the order of their keys.

        Args:
            limit: how many at most; 0 for any number. What is left comes by `continue_token`,
                as it was at the first page's revision.
            continue_token: that of the page before; it decides the revision.
            at_revision: as they were at a revision; None for now.

        Raises:
            ExpiredError: the history doesn't reach back to that revision.
            TooLargeResourceVersionError: there has been no such revision yet.
            InvalidContinueError: the token is no token.
        """
        start = ""
        if continue_token:
            of_page, start = tokens.decode(continue_token)
            at_revision = None if of_page < 0 else of_page
        revision = self.revision if at_revision is None else at_revision
        history = self._history.of(kind)
        if revision < history.oldest_revision:
            raise ExpiredError.list(tokens.encode(AS_OF_NOW, start) if continue_token else "")
        if revision > self.revision:
            raise TooLargeResourceVersionError(revision, self.revision)
        base = f"{namespace}/" if namespace else ""
        pending = (e for e in self._pending if e.kind == kind and e.revision > revision)
        undone = chain(history.after(revision), pending)
        parts = (self._indexes.get(kind) or KindIndex()).segments(namespace, undone)
        items, after, remaining = find(parts, base + start if start else "", limit, matches)
        if not after:
            return Page(items, revision)
        after = tokens.encode(revision, after.removeprefix(base))
        return Page(items, revision, after, None if matches else remaining)

    def watch(
        self,
        kind: str,
        namespace: str | None = None,
        *,
        from_revision: int,
        wake: Wake | None = None,
        field: FieldValue | None = None,
    ) -> Watch:
        """Follow what happens after a revision, in all namespaces or one.

        Args:
            field: only to objects of which the field has, or had, this value.
            wake: called when there may be something to take, once after each time that the watch
                was read to its end. It is called amid a write, so that it should only take note.

        Raises:
            ExpiredError: the history doesn't reach back to that revision.
            TooLargeResourceVersionError: there has been no such revision yet.
        """
        if from_revision > self.revision:
            raise TooLargeResourceVersionError(from_revision, self.revision)
        if field is None:
            return Watch(self._history, kind, namespace, from_revision, wake)
        return FieldWatch(self._history, kind, namespace, from_revision, wake, field)

    def changes(self, kind: str) -> int:
        """A number that is another one whenever an object of the kind has come, changed or gone."""
        index = self._indexes.get(kind)
        return 0 if index is None else index.changes

    def oldest_revision(self, kind: str) -> int:
        """The revision from which on all that happened to objects of a kind is known."""
        return self._history.of(kind).oldest_revision

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Have the journal keep the writes within at once, or not at all; raises JournalError.

        What is read and written within mustn't be told to anybody until it has ended well. Any
        exception that leaves it undoes its writes. A transaction within another ends with it.
        """
        outer, mark = self._in_transaction, len(self._pending)
        self._in_transaction = True
        try:
            yield
        except BaseException:
            self._undo(mark)
            raise
        finally:
            self._in_transaction = outer
        if not outer:
            self._commit()

    def _expect(self, kind: str, namespace: str, name: str, expected_version: str | None) -> Object:
        found = self.get(kind, namespace, name)
        if found is None:
            raise NotFoundError(kind, namespace, name)
        if expected_version is not None:
            current = found["metadata"]["resourceVersion"]
            if current != expected_version:
                why = f"has version {current}, not {expected_version}"
                raise ConflictError(kind, namespace, name, why)
        return found

    def _write(
        self,
        event_type: EventType,
        kind: str,
        namespace: str,
        name: str,
        obj: Object,
        previous: Object | None,
    ) -> Object:
        self.revision += 1
        metadata = {**obj["metadata"], "resourceVersion": str(self.revision)}
        written = {**obj, "metadata": metadata}
        event = WatchEvent(self.revision, event_type, kind, namespace, name, written, previous)
        self._apply(event)
        self._pending.append(event)
        if not self._in_transaction:
            self._commit()
        return written

    def _apply(self, event: WatchEvent) -> None:
        index = self._indexes.get(event.kind)
        if index is None:
            index = self._indexes[event.kind] = KindIndex()
        if event.type == "DELETED":
            index.remove(event.namespace, event.name)
        else:
            index.put(event.namespace, event.name, event.obj)

    def _commit(self) -> None:
        if self._journal is not None and self._pending:
            try:
                self._journal.append(self._pending)
            except BaseException:
                self._undo(0)
                raise
        events, self._pending = self._pending, []
        self._history.publish(events)

    def _undo(self, mark: int) -> None:
        for event in reversed(self._pending[mark:]):
            index = self._indexes[event.kind]
            if event.previous is None:
                index.remove(event.namespace, event.name)
            else:
                index.put(event.namespace, event.name, event.previous)
            self.revision = event.revision - 1
        del self._pending[mark:]
