"""The pods that budgets and services select, updated incrementally.

Matching all pods of a namespace at each change or query would be too slow.
"""

from collections.abc import Callable, Iterable, Iterator

from podium.api.objects import Object, Place, labels, place_of
from podium.api.selectors.labels import NOTHING, Selector
from podium.machines.reconciler.indexer import Indexer

Places = dict[Place, None]


class SelectedPods:
    """The pods that each object of a kind selects; pods and the kind need the index `namespace`."""

    def __init__(
        self, objects: Indexer, kind: str, selector_of: Callable[[Object], Selector]
    ) -> None:
        self._objects = objects
        self._kind = kind
        self._selector_of = selector_of
        self._selectors: dict[Place, Selector] = {}
        self._members: dict[Place, Places] = {}
        self._owners: dict[Place, Places] = {}

    def of(self, owner: Object) -> list[Object]:
        """Return the pods that an owner selects, in the order in which they were first selected."""
        pods = (self._objects.at("Pod", pod) for pod in self._members.get(place_of(owner), ()))
        return [pod for pod in pods if pod is not None]

    def update_selector(self, before: Object | None, after: Object | None) -> None:
        owner = after if after is not None else before
        if owner is None or (before and after and before.get("spec") == after.get("spec")):
            return
        place = place_of(owner)
        for pod in self._members.pop(place, ()):
            self._owners.get(pod, {}).pop(place, None)
        self._selectors.pop(place, None)
        if after is None:
            return
        selector = self._selectors[place] = self._selector_of(after)
        self._members[place] = {}
        for one in self._objects.by("Pod", "namespace", place[0]):
            if selector.matches(labels(one)):
                self._join(place, place_of(one))

    def update_pod(self, before: Object | None, after: Object | None) -> Iterator[Place]:
        """Update a changed pod, and yield the places of owners that select it or did so before."""
        pod = after if after is not None else before
        if pod is None:
            return
        place = place_of(pod)
        selecting = self._owners.get(place, {})
        if before is not None and after is not None and labels(before) == labels(after):
            yield from [*selecting]
            return
        self._owners.pop(place, None)
        for owner in selecting:
            self._members[owner].pop(place, None)
        if after is not None:
            for owner in map(place_of, self._objects.by(self._kind, "namespace", place[0])):
                if self._selectors.get(owner, NOTHING).matches(labels(after)):
                    self._join(owner, place)
        yield from {**selecting, **self._owners.get(place, {})}

    def owners_of(self, pod: Place) -> Iterable[Place]:
        return self._owners.get(pod, {})

    def _join(self, owner: Place, pod: Place) -> None:
        self._members[owner][pod] = None
        self._owners.setdefault(pod, {})[owner] = None
