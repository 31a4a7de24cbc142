"""Objects other than nodes and pods that plugins read, by kind and name."""

from collections import Counter
from collections.abc import Iterable, Mapping

from podium.api.kinds.builtin_kinds import ALL_KINDS
from podium.api.objects import Object, Place, labels, name, namespace
from podium.api.values.integers import parse_count
from podium.scheduler.snapshot.log import Log

_NAMESPACED = frozenset(key for key, kind in ALL_KINDS.items() if kind.namespaced)
# Pods that need devices change their claims each time, and concern no others.
_LOGGED = "ResourceClaim"


class Listers:
    """The latest objects by kind; versions that plugins assume take their place.

    As in upstream's assume caches, the API's next version replaces an assumed one.
    """

    def __init__(self, objects: Iterable[Object] = ()) -> None:
        self.epoch = 0
        """Raised by every change from the API, except of ResourceClaims."""
        self.assumed_epoch = 0
        """Raised when an object is assumed or restored."""
        self.epochs: Counter[str] = Counter()
        """Raised by every change from the API, by kind."""
        self.claims: Log[Place] = Log()
        """The ResourceClaims that changed, by place, also those assumed or restored."""
        self._kinds: dict[str, dict[Place, Object]] = {}
        self._replaced: dict[tuple[str, Place], Object] = {}
        for obj in objects:
            self.set(obj)

    def set(self, obj: Object) -> None:
        kind, place = str(obj["kind"]), _place(obj)
        if (kind, place) in self._replaced:
            versions = [
                parse_count(version["metadata"].get("resourceVersion"))
                for version in (obj, self._kinds[kind][place])
            ]
            new, assumed = versions
            if new is not None and assumed is not None and new <= assumed:
                # The version that the assumed one was made from, as after a new list.
                return
            del self._replaced[kind, place]
        self._kinds.setdefault(kind, {})[place] = obj
        self._changed(kind, place)

    def remove(self, obj: Object) -> None:
        kind, place = str(obj["kind"]), _place(obj)
        self._replaced.pop((kind, place), None)
        self._kinds.get(kind, {}).pop(place, None)
        self._changed(kind, place)

    def assume(self, obj: Object) -> None:
        """Replace an object by its version after a decision is carried out; raises KeyError."""
        kind, place = str(obj["kind"]), _place(obj)
        self._replaced.setdefault((kind, place), self._kinds[kind][place])
        self._kinds[kind][place] = obj
        self._assumed(kind, place)

    def restore(self, obj: Object) -> None:
        kind, place = str(obj["kind"]), _place(obj)
        stored = self._replaced.pop((kind, place), None)
        if stored is not None:
            self._kinds[kind][place] = stored
            self._assumed(kind, place)

    def get(self, kind: str, object_name: str, place: str = "") -> Object | None:
        """Return an object or its assumed version; `place` is its namespace, or empty."""
        return self._kinds.get(kind, {}).get((place, object_name))

    def stored(self, kind: str, object_name: str, place: str = "") -> Object | None:
        """Return the last version of an object that the API sent, even if another is assumed."""
        where = (place, object_name)
        return self._replaced.get((kind, where)) or self._kinds.get(kind, {}).get(where)

    def list(self, kind: str, place: str | None = None) -> list[Object]:
        """Return a kind's objects in the order of their addition; `place` selects a namespace."""
        objects = self._kinds.get(kind, {})
        if place is None:
            return [*objects.values()]
        return [obj for (where, _), obj in objects.items() if where == place]

    def _changed(self, kind: str, place: Place) -> None:
        self.epochs[kind] += 1
        if kind == _LOGGED:
            self.claims.append(place)
        else:
            self.epoch += 1

    def _assumed(self, kind: str, place: Place) -> None:
        if kind == _LOGGED:
            self.claims.append(place)
        else:
            self.assumed_epoch += 1

    def namespace_labels(self, namespace_name: str) -> Mapping[str, str]:
        return labels(self.get("Namespace", namespace_name) or {})


class TrialVersions:
    """Versions of objects that take the place of the real ones, or are added, until `undo`."""

    def __init__(self, listers: Listers) -> None:
        self._listers = listers
        # The versions before, None if there was none, and whether they were assumed.
        self._before: dict[tuple[str, Place], tuple[Object | None, bool]] = {}

    def show(self, obj: Object) -> None:
        listers, kind, (where, object_name) = self._listers, str(obj["kind"]), _place(obj)
        known = listers.get(kind, object_name, where)
        was_assumed = listers.stored(kind, object_name, where) is not known
        self._before.setdefault((kind, (where, object_name)), (known, was_assumed))
        if known is None:
            listers.set(obj)
        else:
            listers.assume(obj)

    def undo(self) -> None:
        for (kind, (where, object_name)), (known, was_assumed) in self._before.items():
            shown = self._listers.get(kind, object_name, where)
            if known is None and shown is not None:
                self._listers.remove(shown)
            elif known is not None and was_assumed:
                self._listers.assume(known)
            elif known is not None:
                self._listers.restore(known)


def _place(obj: Object) -> Place:
    return namespace(obj) if obj["kind"] in _NAMESPACED else "", name(obj)
