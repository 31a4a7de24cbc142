"""What a controller puts off: objects that rest, and replacements of pods that fail at once.

An exported cluster may lack objects that its controllers had created; loaded as it is, they would
create those first. To keep the loaded state, a key rests: its controller doesn't reconcile it until
an object of the key is added, deleted or changed.

A controller that replaces every pod and a kubelet that rejects every pod form an endless loop. A
real cluster slows it down by the duration of calls and the client's limit of 20 calls a second, to
2 to 30 pods a second in reports. In virtual time calls take no time, so the pace is limited here.
The first replacement isn't delayed.
"""

from collections.abc import Container, Hashable, Iterable, Iterator
from typing import Any

from podium.api.objects import Object, is_terminating, uid_of
from podium.api.pods import is_finished
from podium.api.policy.disruption_target import BY_DEVICE_TAINT, BY_TAINT, disruption_reason
from podium.api.values.times import epoch_s
from podium.machines.events import Change

PACE_S = 0.25
"""Seconds between replacements of pods that ended at once."""

_AT_ONCE_S = 1.0
_BY_TAINTS = (BY_TAINT.reason, BY_DEVICE_TAINT.reason)


class ReplacementPace:
    """The times from which pods that ended at once may be replaced, by key of their owner."""

    def __init__(self) -> None:
        self._free_s = 0.0
        self._held_until_s: dict[Hashable, float] = {}

    def replaced_s(self, key: Hashable, now_s: float) -> float:
        """Reserve and return the earliest time for an owner to replace a pod that ended at once."""
        at_s = max(now_s, self._free_s)
        self._free_s = at_s + PACE_S
        if at_s > now_s:
            self._held_until_s[key] = at_s
        return at_s

    def release(self, key: Hashable) -> None:
        """Let an owner that has changed replace its pods now."""
        self._held_until_s.pop(key, None)

    def is_held(self, key: Hashable, now_s: float) -> bool:
        """Return whether an owner has to wait before it is reconciled."""
        if not self._held_until_s or key not in self._held_until_s:
            return False
        if now_s < self._held_until_s[key]:
            return True
        del self._held_until_s[key]
        return False


def ended_at_once(pod: Object, before: Object | None, now_s: float) -> bool:
    """Return whether a new pod was ended by its node or a taint within a second of its creation."""
    if not _is_ended(pod) or (before is not None and _is_ended(before)):
        return False
    created = pod["metadata"].get("creationTimestamp")
    return bool(created) and now_s - epoch_s(created) < _AT_ONCE_S


def _is_ended(pod: Object) -> bool:
    return is_finished(pod) or (is_terminating(pod) and disruption_reason(pod) in _BY_TAINTS)


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
