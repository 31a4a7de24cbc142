"""An object store with one revision counter and one history for all kinds.

Every write gets the next revision, which becomes the resourceVersion of the object. The journal
persists a write before watches see it, so no watch reports a write that a crash could undo. Stored
objects are shared with callers and must not be modified.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

from podium.api.objects import Object, place_of
from podium.apiserver.store import continue_token as tokens
from podium.apiserver.store import errors
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
    """Versioned objects; `revision` counts writes, including those of open transactions."""

    def __init__(self, *, history_max: int = 32_768, journal: Journal | None = None) -> None:
        """Create a store, with the events of the journal if there is one; raises JournalError."""
        recovered = journal.load() if journal else _NOTHING_KEPT
        self.revision = recovered.oldest_revision
        self._indexes: dict[str, KindIndex] = {}
        self._history = History(history_max, self.revision)
        self._journal = journal
        # Writes that are neither in the journal nor published to watches yet.
        self._pending: list[WatchEvent] = []
        self._in_transaction = False
        for event in recovered.events:
            self._apply(event)
            if event.revision > self.revision:
                self.revision = event.revision
                self._history.publish((event,))

    def adopt(self, other: "Store") -> None:
        """Copy the history and objects of another store (shared) into one without journal."""
        if self._journal is not None:
            raise ValueError("a store with a journal adopts nothing")
        self.revision = other.revision
        self._indexes = {kind: index.copy() for kind, index in other._indexes.items()}
        self._history = other._history.copy()

    def get(self, kind: str, namespace: str, name: str) -> Object | None:
        """Return an object, None if it doesn't exist; namespace "" is for cluster-scoped kinds."""
        index = self._indexes.get(kind)
        return None if index is None else index.get(namespace, name)

    def create(self, kind: str, obj: Object) -> Object:
        """Add an object, and return it with its resourceVersion; raises AlreadyExistsError."""
        namespace, name = place_of(obj)
        if self.get(kind, namespace, name) is not None:
            raise errors.AlreadyExistsError(f"{kind} {namespace}/{name} already exists")
        return self._write("ADDED", kind, namespace, name, obj, None)

    def update(self, kind: str, obj: Object) -> Object:
        """Replace an object, ignoring its resourceVersion, and return it; raises NotFoundError."""
        namespace, name = place_of(obj)
        previous = self._existing(kind, namespace, name)
        return self._write("MODIFIED", kind, namespace, name, obj, previous)

    def delete(self, kind: str, namespace: str, name: str) -> Object:
        """Remove an object, and return its last state; raises NotFoundError."""
        previous = self._existing(kind, namespace, name)
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
        """List objects, sorted by key; raises StoreError for an unknown revision or invalid token.

        Args:
            limit: most objects on a page; 0 for no limit.
            continue_token: token from the previous page, to continue at the same revision; takes
                precedence over `at_revision`.
            at_revision: revision as of which to list; None for the current one.
        """
        start = ""
        if continue_token:
            of_page, start = tokens.decode(continue_token)
            at_revision = None if of_page < 0 else of_page
        revision = self.revision if at_revision is None else at_revision
        history = self._history.of(kind)
        if revision < history.oldest_revision:
            raise errors.ExpiredError.list(
                tokens.encode(tokens.AS_OF_NOW, start) if continue_token else ""
            )
        if revision > self.revision:
            raise errors.TooLargeResourceVersionError(revision, self.revision)
        base = f"{namespace}/" if namespace else ""
        pending = (
            event for event in self._pending if event.kind == kind and event.revision > revision
        )
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
        """Watch the events of a kind after a revision, in one namespace or (None) in all.

        Args:
            wake: called when there are events again after all events were taken. It is called
                during a write, and must do no more than schedule the reader.
            field: restricts the watch to objects whose field has, or had, this value.

        Raises:
            ExpiredError: the history doesn't reach back to the revision.
            TooLargeResourceVersionError: the revision hasn't been written yet.
        """
        if from_revision > self.revision:
            raise errors.TooLargeResourceVersionError(from_revision, self.revision)
        if field is None:
            return Watch(self._history, kind, namespace, from_revision, wake)
        return FieldWatch(self._history, kind, namespace, from_revision, wake, field)

    def changes(self, kind: str) -> int:
        """Return the number of changes to objects of a kind, by which callers detect changes."""
        index = self._indexes.get(kind)
        return 0 if index is None else index.changes

    def oldest_revision(self, kind: str) -> int:
        """Return the revision after which the history has all events of a kind."""
        return self._history.of(kind).oldest_revision

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all writes of the block together at its end; raises JournalError.

        An exception in the block undoes its writes. Until the block ends, data that was read or
        written in it must not be passed on. A nested transaction is committed with the outer one.
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

    def _existing(self, kind: str, namespace: str, name: str) -> Object:
        obj = self.get(kind, namespace, name)
        if obj is None:
            raise errors.NotFoundError(f"{kind} {namespace}/{name} not found")
        return obj

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
        written = {**obj, "metadata": {**obj["metadata"], "resourceVersion": str(self.revision)}}
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
