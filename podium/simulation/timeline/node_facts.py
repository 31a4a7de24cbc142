"""Finds the facts in changes of nodes, and in the states of their zones that follow."""

from collections.abc import Iterable, Iterator

from podium.api.objects import Object, name
from podium.controllers.node_lifecycle.zones import NodeLifecycleSettings, Zone, Zones
from podium.simulation.timeline.entry import Fact
from podium.simulation.timeline.object_facts import node_facts


class NodeFacts:
    """Tells what happens to nodes, and when a zone has too few that are ready to evict any pods."""

    def __init__(self, nodes: Iterable[Object]) -> None:
        self._zones = Zones(NodeLifecycleSettings())
        for node in nodes:
            self._zones.count(name(node), node)
        self._held = self._on_hold()

    def __call__(self, old: Object | None, new: Object | None) -> Iterator[Fact]:
        """What has happened to a node; `old` or `new` is None if it came or went."""
        yield from node_facts(old, new)
        either = new or old
        if either is None or not self._zones.count(name(either), new):
            return
        before, self._held = self._held, self._on_hold()
        for zone in sorted(self._held.keys() - before.keys()):
            unready, nodes = self._held[zone]
            details = {"zone": zone[1], "notReady": unready, "nodes": nodes}
            yield Fact("EvictionsOnHold", details)
        for zone in sorted(before.keys() - self._held.keys()):
            yield Fact("EvictionsGoOn", {"zone": zone[1]})

    def _on_hold(self) -> dict[Zone, tuple[int, int]]:
        self._zones.look(0.0)
        return {
            zone: (state.unready, state.ready + state.unready)
            for zone, state in self._zones.all()
            if state.unready and not state.limiter.rate
        }
