"""Which pods whose selectors select, kept up to date change by change.

Budgets and services select pods of their namespace. To look through all pods of a namespace when
one of them changes would cost too much, and so would looking through all of a selector's namespace
when it is asked for its pods.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from podium.controllers.kit.objects import Objects, Place, place_of

Object = Mapping[str, Any]
Selects = Callable[[Object, Object], bool]
"""Whether the first object selects the second, a pod of the same namespace."""


class Members:
    """The pods that objects of a kind select.

    Args:
        objects: with the index `namespace` for pods and for the kind.
        kind: of those who select.
        selects: decides by what their spec and the pod's metadata say.
    """

    def __init__(self, objects: Objects, kind: str, selects: Selects) -> None:
        self._objects = objects
        self._kind = kind
        self._selects = selects
        self._members: dict[Place, dict[Place, None]] = {}

    def of(self, owner: Object) -> list[Object]:
        """The pods that one selects, in the order in which they came to be selected."""
        found = (
            self._objects.get("Pod", name, namespace)
            for namespace, name in self._members.get(place_of(owner), ())
        )
        return [pod for pod in found if pod is not None]

    def recruit(self, before: Object | None, after: Object | None) -> None:
        """Take in a change of one who selects."""
        if after is None:
            if before is not None:
                self._members.pop(place_of(before), None)
        elif before is None or before.get("spec") != after.get("spec"):
            place = place_of(after)
            pods = self._objects.by("Pod", "namespace", place[0])
            self._members[place] = {
                place_of(pod): None for pod in pods if self._selects(after, pod)
            }

    def touched(self, before: Object | None, after: Object | None) -> Iterator[Place]:
        """Take in a change of a pod, and tell who selects it, or did until now."""
        pod = after if after is not None else before
        if pod is None:
            return
        place = place_of(pod)
        for owner in self._objects.by(self._kind, "namespace", place[0]):
            members = self._members.setdefault(place_of(owner), {})
            was_member = place in members
            is_member = after is not None and self._selects(owner, after)
            if is_member:
                members[place] = None
            else:
                members.pop(place, None)
            if was_member or is_member:
                yield place_of(owner)
