"""The resting keys of a controller: loaded objects that it doesn't reconcile yet.

An exported cluster may lack objects that its controllers had created; loaded as it is, they would
create those first. To keep the loaded state, a key rests: its controller doesn't reconcile it until
an object of the key is added, deleted or changed.
"""

from collections.abc import Container, Hashable, Iterable, Iterator
from typing import Any

from podium.api.objects import Object, is_terminating, uid_of
from podium.api.pods import is_finished
from podium.machines.events import Change


class RestingKeys:
    """A controller's resting keys, of loaded objects of kinds it tends, and its unchanged keys."""

    def __init__(self, loaded: Container[str], tends: Container[str]) -> None:
        self._loaded = loaded
        self._tends = tends
        self._resting: set[Hashable] = set()
        self._due: set[Hashable] = set()
        self._as_loaded: set[Hashable] = set()

    def found(self, change: Change, keys: Iterable[Hashable]) -> Iterator[Hashable]:
        """Let the keys of an initially listed object rest; yield the keys to reconcile instead."""
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
        """Yield the keys to reconcile after a change, which ends their rest if `stirs` is true."""
        is_revision = stirs and change.kind in self._tends
        for key in keys:
            if is_revision:
                self._as_loaded.discard(key)
            if stirs:
                self._resting.discard(key)
            if key not in self._resting:
                yield key

    def end(self, key: Hashable) -> None:
        """Stop the rest of a key without a change."""
        self._resting.discard(key)

    def is_as_loaded(self, key: Hashable) -> bool:
        """Return whether the object of a key is unchanged since it was loaded."""
        return key in self._as_loaded


def stirs(old: Object | None, new: Object | None) -> bool:
    """Return whether an object was added, deleted, or changed outside its status."""
    if old is None or new is None or uid_of(old) != uid_of(new):
        return True
    if old.get("kind") == "Pod":
        return is_finished(old) != is_finished(new) or _shows(old) != _shows(new)
    before, after = old.get("spec"), new.get("spec")
    return (before is not after and before != after) or _shows(old) != _shows(new)


def _shows(obj: Object) -> tuple[Any, ...]:
    metadata = obj["metadata"]
    return is_terminating(obj), metadata.get("labels"), metadata.get("ownerReferences")
