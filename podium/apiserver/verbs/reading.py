"""List and watch: the stored objects, now or as of a resourceVersion, and their changes as events.

A changed object that begins to match a watch's selection is reported as ADDED.
"""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from podium.api.errors import RefusedError, StatusCause
from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object
from podium.api.values.integers import parse_count
from podium.apiserver.kinds.registration.registrations import registration_of
from podium.apiserver.refusals import bad_request, internal
from podium.apiserver.selection import NAMESPACE, Selection
from podium.apiserver.store.errors import ExpiredError, StoreError, TooLargeResourceVersionError
from podium.apiserver.store.history import WatchEvent
from podium.apiserver.store.kind_index import Page
from podium.apiserver.store.store import Store
from podium.apiserver.store.watch import FieldValue, Watch
from podium.apiserver.verbs.verb_options import ListOptions

ANY_VERSION = ("", "0")


def list_objects(
    store: Store, kind: Kind, namespace: str, selection: Selection, options: ListOptions
) -> Page:
    """List selected objects as of the requested resourceVersion; raises RefusedError."""
    at_revision = None
    if not options.continue_token and options.resource_version not in ANY_VERSION:
        revision = parse_count(options.resource_version)
        if revision is None:
            # For a list, unlike a get or a watch, kube-apiserver calls it the client's fault.
            fault = _not_a_version(options.resource_version)
            raise bad_request(f"invalid resource version: {fault}")
        # Without a resourceVersionMatch, a limit asks for exactly this version.
        match = options.resource_version_match
        if match == "Exact" or (not match and options.limit > 0):
            at_revision = revision
        elif revision > store.revision:
            raise refusal_of(TooLargeResourceVersionError(revision, store.revision))
    try:
        return store.list(
            kind.key,
            namespace or None,
            limit=max(options.limit, 0),
            continue_token=options.continue_token,
            at_revision=at_revision,
            matches=None if selection.is_everything else selection.matches,
        )
    except StoreError as error:
        raise refusal_of(error) from None


def parse_version(text: str) -> int:
    """Parse a resourceVersion; raises RefusedError (500, as kube-apiserver)."""
    version = parse_count(text)
    if version is None:
        raise internal(_not_a_version(text))
    return version


def _not_a_version(text: str) -> str:
    return f'resourceVersion: Invalid value: "{text}": {version_fault(text)}'


def version_fault(text: str) -> str:
    """Return Go's message on why a text isn't a resourceVersion; empty if it is one."""
    is_number = text.isascii() and text.isdecimal()
    why = "value out of range" if is_number else "invalid syntax"
    return f'strconv.ParseUint: parsing "{text}": {why}'


def refusal_of(error: StoreError) -> RefusedError:
    """Return the refusal (410, 504 or 400) for an error of the store."""
    match error:
        case ExpiredError():
            metadata = {"continue": error.continue_token} if error.continue_token else {}
            return RefusedError(410, "Expired", str(error), metadata=metadata)
        case TooLargeResourceVersionError():
            cause = StatusCause("ResourceVersionTooLarge", "Too large resource version")
            return RefusedError(504, "Timeout", str(error), causes=(cause,), retry_after_s=1)
    return bad_request(str(error))


Item = Mapping[str, Any]
"""An event in the form of the API: `{"type": …, "object": …}`."""

_INITIAL_EVENTS_END = {"k8s.io/initial-events-end": "true"}


class WatchStream:
    """A watch that returns each event (`Item`) once, in order; it has ended after an ERROR."""

    def __init__(
        self, store: Store, kind: Kind, namespace: str, selection: Selection, options: ListOptions
    ) -> None:
        """Start a watch of selected objects; raises RefusedError."""
        self.kind = kind
        self.allows_bookmarks = options.allow_watch_bookmarks
        self._matches = None if selection.is_everything else selection.matches
        self._cursor: Watch | None = None
        version = options.resource_version
        revision = store.revision if version in ANY_VERSION else parse_version(version)
        starts_with_all = options.send_initial_events
        if starts_with_all is None:
            starts_with_all = version in ANY_VERSION
        first: list[Item] = []
        if starts_with_all:
            if revision > store.revision:
                raise refusal_of(TooLargeResourceVersionError(revision, store.revision))
            revision = store.revision
            page = store.list(kind.key, namespace or None, matches=self._matches)
            first = [{"type": "ADDED", "object": obj} for obj in page.items]
            if options.send_initial_events and options.allow_watch_bookmarks:
                first.append(_bookmark(kind, str(revision), _INITIAL_EVENTS_END))
        try:
            fields = [FieldValue(term.read, term.value) for term in selection.fields if term.equal]
            if namespace:
                fields.append(FieldValue(NAMESPACE, namespace))
            field = fields[0] if fields else None
            self._cursor = store.watch(
                kind.key, namespace or None, from_revision=revision, field=field
            )
        except ExpiredError as error:
            first = [_error(refusal_of(error))]
        except TooLargeResourceVersionError as error:
            raise refusal_of(error) from None
        self.has_ended = self._cursor is None
        self._first = iter(first)

    def take(self, limit: int | None = None) -> list[Item]:
        """Return the items since the last call, at most `limit`; the initial items separately."""
        items = list(islice(self._first, limit))
        if self._cursor is None or self.has_ended:
            return items
        try:
            while not items:
                events, matches = self._cursor.take(limit), self._matches
                if matches is None:
                    items = [{"type": event.type, "object": event.obj} for event in events]
                else:
                    seen = (_seen(event, matches) for event in events)
                    items = [item for item in seen if item is not None]
                if limit is None or len(events) < limit:
                    break
        except ExpiredError as error:
            self.has_ended = True
            items.append(_error(refusal_of(error)))
        return items

    def bookmark(self) -> Item | None:
        """Return a BOOKMARK with the revision that the watch has reached; None after its end."""
        if self._cursor is None or self.has_ended:
            return None
        return _bookmark(self.kind, str(self._cursor.revision), {})

    def wake_by(self, wake: Callable[[], None]) -> None:
        """Set the function that schedules the reader when items may follow after all were taken."""
        if self._cursor is not None:
            self._cursor.wake_by(wake)

    def close(self) -> None:
        """Stop calling the wake function."""
        if self._cursor is not None:
            self._cursor.close()


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
