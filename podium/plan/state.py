"""The objects of a cluster, as a plan starts from them and changes them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from podium.api.meta import is_finished, name, namespace
from podium.manifests.kinds import decisive_kind_of

Object = Mapping[str, Any]
Identity = tuple[str, str, str]
"""Kind, namespace (empty for what stands in none) and name."""


def identity(obj: Object) -> Identity:
    """What no two objects of a state share.

    Raises:
        ValueError: the object is of a kind that Podium doesn't know.
    """
    kind = decisive_kind_of(obj)
    if kind is None:
        raise ValueError(f"decisions don't depend on objects of the kind {obj.get('kind')}")
    return kind.name, namespace(obj) if kind.namespaced else "", name(obj)


def label(obj: Object) -> str:
    """`Kind namespace/name`, or `Kind name`, for texts."""
    kind, place, called = identity(obj)
    return label_of(kind, place, called)


def label_of(kind: str, place: str, called: str) -> str:
    """The same for an object that may not be there."""
    return f"{kind} {place}/{called}" if place else f"{kind} {called}"


def node_name(pod: Object) -> str:
    """The node that a pod is on, or insists on; empty if none."""
    return str((pod.get("spec") or {}).get("nodeName") or "")


def was_in_a_cluster(obj: Object) -> bool:
    """Whether the object comes from an API server, rather than from somebody's hand."""
    return bool((obj.get("metadata") or {}).get("uid"))


class State:
    """Objects by identity, in the order in which they came; a replaced one keeps its place.

    Objects of kinds that Podium doesn't know are passed over.
    """

    def __init__(self, objects: Iterable[Object] = ()) -> None:
        self._kinds: dict[str, dict[Identity, Object]] = {}
        for obj in objects:
            if decisive_kind_of(obj) is not None:
                self.put(obj)

    def put(self, obj: Object) -> None:
        """Add or replace an object of a known kind."""
        found = identity(obj)
        self._kinds.setdefault(found[0], {})[found] = obj

    def remove(self, obj: Object) -> None:
        """Remove an object that is there."""
        found = identity(obj)
        del self._kinds[found[0]][found]

    def get(self, kind: str, place: str, called: str) -> Object | None:
        """An object, if it is there."""
        return self._kinds.get(kind, {}).get((kind, place, called))

    def live(self, obj: Object) -> Object | None:
        """The object of the same identity, if it is there."""
        return self.get(*identity(obj))

    def of_kind(self, *kinds: str) -> list[Object]:
        """All objects of these kinds, kind by kind."""
        return [obj for kind in kinds for obj in self._kinds.get(kind, {}).values()]

    def has(self, kind: str) -> bool:
        """Whether there is any object of a kind."""
        return bool(self._kinds.get(kind))

    def __iter__(self) -> Iterator[Object]:
        for objects in self._kinds.values():
            yield from objects.values()

    def __contains__(self, obj: Object) -> bool:
        return self.live(obj) is not None

    def copy(self) -> "State":
        """A state with the same objects that can be changed by itself."""
        twin = State()
        twin._kinds = {kind: dict(objects) for kind, objects in self._kinds.items()}
        return twin

    @property
    def pods(self) -> list[Object]:
        """All pods that haven't finished."""
        return [pod for pod in self.of_kind("Pod") if not is_finished(pod)]
