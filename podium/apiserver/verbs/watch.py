"""Watch: what happens to the objects of a selection, event after event.

To a watcher of a selection, an object that comes to meet it is added, and one that no longer does
is deleted, whatever was done to it.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object
from podium.api.refused import RefusedError
from podium.apiserver.kinds.registration.registrations import registration_of
from podium.apiserver.selection import NAMESPACE, Selection
from podium.apiserver.store.errors import ExpiredError, TooLargeResourceVersionError
from podium.apiserver.store.history import WatchEvent
from podium.apiserver.store.store import Store
from podium.apiserver.store.watch import FieldValue, Watch
from podium.apiserver.verbs.list import parse_version, refusal_of
from podium.apiserver.verbs.verb_options import ListOptions

Item = Mapping[str, Any]
"""An event as clients see it: `{"type": …, "object": …}`."""

_INITIAL_EVENTS_END = {"k8s.io/initial-events-end": "true"}
_ANY = ("", "0")


class WatchStream:
    """A watch, to be read as often as one likes; `Item`s come once, in order.

    It has ended when an ERROR was the last item.
    """

    def __init__(
        self,
        kind: Kind,
        selection: Selection,
        cursor: Watch | None,
        first: Iterable[Item],
        *,
        allows_bookmarks: bool,
    ) -> None:
        self.kind = kind
        self.allows_bookmarks = allows_bookmarks
        self.has_ended = cursor is None
        self._matches = None if selection.is_everything else selection.matches
        self._cursor = cursor
        self._first = iter(first)

    def take(self, limit: int | None = None) -> list[Item]:
        """The items since the last time, at most `limit`; the initial ones come by themselves."""
        items = list(islice(self._first, limit))
        if self._cursor is None or self.has_ended:
            return items
        try:
            while not items:
                events = self._cursor.take(limit)
                items = self._items(events)
                if limit is None or len(events) < limit:
                    break
        except ExpiredError as error:
            self.has_ended = True
            items.append(_error(refusal_of(error)))
        return items

    def _items(self, events: Iterable[WatchEvent]) -> list[Item]:
        matches = self._matches
        if matches is None:
            return [{"type": event.type, "object": event.obj} for event in events]
        return [item for event in events if (item := _seen(event, matches)) is not None]

    def bookmark(self) -> Item | None:
        """A BOOKMARK that tells up to which version all has been taken; None once it has ended."""
        if self._cursor is None or self.has_ended:
            return None
        return _bookmark(self.kind, str(self._cursor.revision), {})

    def wake_by(self, wake: Callable[[], None]) -> None:
        """Call `wake` when there may be something to take, once after each time that all was read.

        It is called amid a write, so that it should only take note. Something may be there already.
        """
        if self._cursor is not None:
            self._cursor.wake_by(wake)

    def close(self) -> None:
        """Wake nobody any more."""
        if self._cursor is not None:
            self._cursor.close()


def watch(
    store: Store, kind: Kind, namespace: str, selection: Selection, options: ListOptions
) -> WatchStream:
    """Begin to follow the objects of a selection."""
    version = options.resource_version
    revision = store.revision if version in _ANY else parse_version(version)
    starts_with_all = options.send_initial_events
    if starts_with_all is None:
        starts_with_all = version in _ANY
    first: list[Item] = []
    if starts_with_all:
        if revision > store.revision:
            raise refusal_of(TooLargeResourceVersionError(revision, store.revision))
        revision = store.revision
        matches = None if selection.is_everything else selection.matches
        found = store.list(kind.key, namespace or None, matches=matches)
        first = [{"type": "ADDED", "object": obj} for obj in found.items]
        if options.send_initial_events and options.allow_watch_bookmarks:
            first.append(_bookmark(kind, str(revision), _INITIAL_EVENTS_END))
    cursor = None
    try:
        fields = [FieldValue(term.read, term.value) for term in selection.fields if term.equal]
        if namespace:
            fields.append(FieldValue(NAMESPACE, namespace))
        field = fields[0] if fields else None
        cursor = store.watch(kind.key, namespace or None, from_revision=revision, field=field)
    except ExpiredError as error:
        first = [_error(refusal_of(error))]
    except TooLargeResourceVersionError as error:
        raise refusal_of(error) from None
    return WatchStream(
        kind, selection, cursor, first, allows_bookmarks=options.allow_watch_bookmarks
    )


def _seen(event: WatchEvent, matches: Callable[[Object], bool]) -> Item | None:
    was_in = event.previous is not None and matches(event.previous)
    if event.type == "DELETED":
        return {"type": "DELETED", "object": event.obj} if was_in else None
    if matches(event.obj):
        return {"type": "MODIFIED" if was_in else "ADDED", "object": event.obj}
    if event.previous is None or not was_in:
        return None
    metadata = {**event.previous["metadata"], "resourceVersion": str(event.revision)}
    return {"type": "DELETED", "object": {**event.previous, "metadata": metadata}}


def _bookmark(kind: Kind, version: str, annotations: Mapping[str, str]) -> Item:
    metadata: dict[str, Any] = {"resourceVersion": version}
    if annotations:
        metadata["annotations"] = annotations
    header = {"kind": kind.name, "apiVersion": kind.api_version, "metadata": metadata}
    return {"type": "BOOKMARK", "object": {**header, **registration_of(kind).zeros}}


def _error(refusal: RefusedError) -> Item:
    return {"type": "ERROR", "object": refusal.status()}
