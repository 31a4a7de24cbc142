"""What controllers see of the cluster: nodes, pods by owner, and the other objects by name."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.api.meta import controller_of, is_finished, is_terminating, name, namespace

Object = Mapping[str, Any]
_Identity = tuple[str, str, str]


@dataclass(slots=True)
class ClusterView:
    """A state of the cluster, indexed once so that many workloads can be expanded against it.

    Attributes:
        nodes: all nodes, in the order in which they were given.
    """

    nodes: list[Object] = field(default_factory=list)
    _objects: dict[_Identity, Object] = field(default_factory=dict)
    _owned: dict[_Identity, list[Object]] = field(default_factory=lambda: defaultdict(list))
    _orphans: dict[str, list[Object]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, objects: Iterable[Object]) -> "ClusterView":
        """The view of these objects; each tells its kind."""
        view = cls()
        for obj in objects:
            kind = str(obj.get("kind"))
            if kind == "Node":
                view.nodes.append(obj)
                continue
            view._objects[kind, namespace(obj), name(obj)] = obj
            owner = controller_of(obj)
            if owner is not None:
                identity = (str(owner.get("kind")), namespace(obj), str(owner.get("name")))
                view._owned[identity].append(obj)
            elif kind == "Pod":
                view._orphans[namespace(obj)].append(obj)
        return view

    def find(self, kind: str, place: str, called: str) -> Object | None:
        """The object of that kind, namespace and name, if there is one."""
        return self._objects.get((kind, place, called))

    def owned_by(self, owner: Object, kind: str) -> list[Object]:
        """The objects of a kind whose controller the owner is.

        An owner that has just been written down and has no uid yet is known by its name.
        """
        found = self._owned.get((str(owner["kind"]), namespace(owner), name(owner)), ())
        uid = (owner.get("metadata") or {}).get("uid")
        return [
            obj
            for obj in found
            if obj.get("kind") == kind and (not uid or (controller_of(obj) or {}).get("uid") == uid)
        ]

    def lost_owners(self, kind: str, place: str) -> Iterator[tuple[str, list[Object]]]:
        """Owners of that kind and namespace which aren't there: their names, and their objects."""
        for (owner_kind, where, called), objects in self._owned.items():
            is_meant = (owner_kind, where) == (kind, place)
            if is_meant and objects and self.find(kind, place, called) is None:
                yield called, objects

    def orphans_in(self, place: str) -> list[Object]:
        """The pods of a namespace that have no controller."""
        return self._orphans.get(place, [])


def is_active(pod: Object) -> bool:
    """Whether a controller counts on the pod: neither finished nor on its way out."""
    return not is_finished(pod) and not is_terminating(pod)
