"""What a controller leaves as it found it, because nothing has happened to it yet.

A cluster that was loaded from an export may lack what its controllers would have
made long ago, and they would repair that before anything else. Where the state is to stay as it
is, a key rests: it isn't looked at before one of the objects that concern it comes, goes or is
changed. Rest is the controller's own knowledge; objects don't show it.
"""

from collections.abc import Container, Hashable, Iterable, Iterator
from typing import Any

from podium.api.objects import Object, is_terminating, uid_of
from podium.api.pods import is_finished
from podium.machines.events import Change


class RestingKeys:
    """The keys that a controller doesn't look at before something happens to them.

    Objects whose uids aren't among those loaded never had a controller; they don't rest.
    """

    def __init__(self, loaded: Container[str], tends: Container[str]) -> None:
        self._loaded = loaded
        self._tends = tends
        self._resting: set[Hashable] = set()
        self._due: set[Hashable] = set()
        self._as_loaded: set[Hashable] = set()

    def found(self, change: Change, keys: Iterable[Hashable]) -> Iterator[Hashable]:
        """Take in what is there at the start; the keys that are to be looked at all the same."""
        tended = change.kind in self._tends
        is_loaded = change.new is not None and uid_of(change.new) in self._loaded
        for key in keys:
            if tended and is_loaded:
                self._as_loaded.add(key)
            if tended and not is_loaded:
                self._due.add(key)
                self._resting.discard(key)
                yield key
            elif key not in self._due:
                self._resting.add(key)

    def stirred(
        self, change: Change, keys: Iterable[Hashable], *, stirs: bool
    ) -> Iterator[Hashable]:
        """The keys of a later change that are to be looked at."""
        is_revision = stirs and change.kind in self._tends
        for key in keys:
            if is_revision:
                self._as_loaded.discard(key)
            if stirs:
                self._resting.discard(key)
            if key not in self._resting:
                yield key

    def end(self, key: Hashable) -> None:
        """End a key's rest though nothing has happened to it."""
        self._resting.discard(key)

    def is_as_loaded(self, key: Hashable) -> bool:
        """Whether the object that a key stands for is as it was loaded."""
        return key in self._as_loaded


def stirs(old: Object | None, new: Object | None) -> bool:
    """Whether an object came, went, or was changed otherwise than in its status."""
    if old is None or new is None or uid_of(old) != uid_of(new):
        return True
    if old.get("kind") == "Pod":
        return is_finished(old) != is_finished(new) or _shows(old) != _shows(new)
    before, after = old.get("spec"), new.get("spec")
    return (before is not after and before != after) or _shows(old) != _shows(new)


def _shows(obj: Object) -> tuple[Any, ...]:
    metadata = obj["metadata"]
    return is_terminating(obj), metadata.get("labels"), metadata.get("ownerReferences")
