"""Versions only ever rise, and whoever follows all watches knows what is stored."""

from typing import TYPE_CHECKING

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object
from podium.cluster.drivers.driver_events import Called, DriverEvent
from tests.sim.checkers.checker import Checker

if TYPE_CHECKING:
    from tests.sim.world import World

# Comparing everything takes time; once in a while does as well.
CALLS_PER_COMPARISON = 200


class Streams(Checker):
    """An independent watcher of all kinds."""

    def __init__(self, world: "World") -> None:
        super().__init__(world)
        store = world.store
        self._watches = {
            kind: store.watch(kind, from_revision=store.oldest_revision(kind)) for kind in KINDS
        }
        self._objects: dict[str, dict[tuple[str, str], Object]] = {kind: {} for kind in KINDS}
        self._last = dict.fromkeys(KINDS, 0)
        self._calls = 0

    def after(self, happening: DriverEvent) -> None:
        if isinstance(happening, Called):
            self._calls += 1
            if self._calls % CALLS_PER_COMPARISON == 0:
                self.at_rest()

    def at_rest(self) -> None:
        for kind in KINDS:
            self._follow(kind)
            stored = self.world.store.list(kind).items
            assert list(stored) == [
                obj
                for _, obj in sorted(
                    self._objects[kind].items(), key=lambda item: "/".join(filter(None, item[0]))
                )
            ], kind

    def _follow(self, kind: str) -> None:
        objects = self._objects[kind]
        for event in self._watches[kind].take():
            assert event.revision > self._last[kind], event
            self._last[kind] = event.revision
            assert event.obj["metadata"]["resourceVersion"] == str(event.revision)
            place = (event.namespace, event.name)
            assert (event.type == "ADDED") == (place not in objects), event
            before = objects.pop(place, None)
            assert before is event.previous, event
            if event.type != "DELETED":
                objects[place] = event.obj
