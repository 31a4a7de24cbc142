"""What can happen to nodes: somebody drains them, or they fail, alone or with their zone."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

from podium.api.documents.report import HIDDEN, IF_ANY, Report
from podium.api.errors import PodiumError
from podium.api.objects import Object, labels, name
from podium.api.values.message_words import likely_meant
from podium.api.well_known import ZONE_LABEL
from podium.simulation.scenario.drain_step import Drain
from podium.whatif.plan.changes import Change, Fail


class DisturbanceError(PodiumError):
    """What is to be drained, or to fail, isn't there."""


class DisturbanceKind(StrEnum):
    """What can happen to nodes."""

    DRAIN = "Drain"
    NODE_FAILURE = "NodeFailure"
    ZONE_FAILURE = "ZoneFailure"


@dataclass(frozen=True, slots=True)
class Disturbance(Report):
    """The drains and failures of nodes that a play goes through.

    Attributes:
        kind: what.
        nodes: to which; drained one after the other, or failing at once.
        zone: whose nodes they are; empty unless a zone fails.
        drain: how nodes are drained: fields of a `Drain` by name, as far as they are given.
    """

    kind: DisturbanceKind
    nodes: tuple[str, ...]
    zone: Annotated[str, IF_ANY] = ""
    drain: Annotated[Mapping[str, Any], HIDDEN] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Such as `drain of node a`, `failure of zone west`."""
        verb = "drain" if self.kind is DisturbanceKind.DRAIN else "failure"
        if self.zone:
            return f"{verb} of zone {self.zone}"
        return f"{verb} of node{'s' if len(self.nodes) > 1 else ''} {', '.join(self.nodes)}"

    @property
    def changes(self) -> list[Change]:
        """The changes that make it."""
        if self.kind is DisturbanceKind.DRAIN:
            settings = {"delete_empty_dir_data": True, **self.drain}
            return [Drain(node=node, **settings) for node in self.nodes]
        return [Fail(node) for node in self.nodes]


def drain_of(state: Iterable[Object], texts: Sequence[str], **drain: Any) -> Disturbance:
    """Make the drain of several nodes, one after the other; raises DisturbanceError.

    Args:
        texts: each a node as `NAME` or `node/NAME`.
        drain: fields of `Drain`, such as `force`.
    """
    known = nodes_by_name(state)
    names = [text.removeprefix("node/").removeprefix("no/") for text in texts]
    check_nodes(names, known)
    return Disturbance(DisturbanceKind.DRAIN, tuple(dict.fromkeys(names)), drain=drain)


def check_nodes(names: Iterable[str], known: Collection[str]) -> None:
    """Raise DisturbanceError for nodes that aren't there, with the names that were likely meant."""
    missing = [
        f"{one}: the state has no Node {one}{likely_meant(one, known)}"
        for one in names
        if one not in known
    ]
    if missing:
        raise DisturbanceError("\n".join(missing))


def failure_of(state: Iterable[Object], texts: Sequence[str]) -> Disturbance:
    """The failure of nodes and zones, all at once; raises DisturbanceError.

    Args:
        texts: each the name of a node or a zone; `node/NAME` and `zone/NAME` say which.
    """
    known = nodes_by_name(state)
    zones = nodes_by_zone(known.values())
    found, missing = dict[str, None](), []
    for text in texts:
        kind, _, called = text.rpartition("/")
        if called in known and kind in ("", "node", "no"):
            found[called] = None
        elif called in zones and kind in ("", "zone"):
            found |= dict.fromkeys(zones[called])
        else:
            there = {"node": known, "no": known, "zone": zones}.get(kind, (*known, *zones))
            hint = likely_meant(called, there)
            missing.append(f"{text}: the state has no {kind or 'node or zone'} {called}{hint}")
    if missing:
        raise DisturbanceError("\n".join(missing))
    zone = texts[0].rpartition("/")[2] if len(texts) == 1 else ""
    if zone in zones and [*found] == zones[zone]:
        return Disturbance(DisturbanceKind.ZONE_FAILURE, tuple(found), zone)
    return Disturbance(DisturbanceKind.NODE_FAILURE, tuple(found))


def nodes_by_name(state: Iterable[Object]) -> dict[str, Object]:
    """The nodes of a state, in the order of their names."""
    nodes = {name(obj): obj for obj in state if obj.get("kind") == "Node"}
    return dict(sorted(nodes.items()))


def nodes_by_zone(nodes: Iterable[Object]) -> Mapping[str, list[str]]:
    """The names of the nodes in each zone, by the name of the zone."""
    found: dict[str, list[str]] = defaultdict(list)
    for node in nodes:
        zone = labels(node).get(ZONE_LABEL)
        if zone:
            found[str(zone)].append(name(node))
    return dict(sorted(found.items()))
