"""The shapes of a cluster's nodes; nodes that differ only in name and zone share one."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from podium.api.nodes import allocatable_of, is_cordoned
from podium.api.objects import Object, labels, name, spec_of
from podium.api.well_known import HOSTNAME_LABEL, ZONE_LABEL
from podium.scheduler.explain.extra_nodes import node_like
from podium.whatif.resilience.disturbance import nodes_by_name

_OWN_LABELS = (HOSTNAME_LABEL, ZONE_LABEL, "topology.kubernetes.io/region")
_AMOUNTS = ("cpu", "memory", "pods")


@dataclass(frozen=True, slots=True)
class ZonedShape:
    """Nodes that differ in name and zone only.

    Attributes:
        likes: one of each zone.
    """

    likes: Sequence[Object]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the nodes that new ones are like, one of each zone."""
        return tuple(map(name, self.likes))

    def nodes(self, count: int) -> list[Object]:
        """So many more such nodes, spread over their zones."""
        found = []
        for number in range(count):
            like = self.likes[number % len(self.likes)]
            called = f"{name(like)}-spare-{number // len(self.likes) + 1}"
            found.append(node_like(like, called))
        return found

    def words(self) -> str:
        """What such a node has."""
        amounts = allocatable_of(self.likes[0])
        shown = [f"{amounts[one]} {one}" for one in _AMOUNTS if one in amounts]
        return ", ".join(shown)


def zoned_shapes(state: Iterable[Object]) -> list[ZonedShape]:
    """The shapes of the nodes that take pods, the most common first."""
    groups: dict[str, dict[str, Object]] = defaultdict(dict)
    counts: dict[str, int] = defaultdict(int)
    for node in nodes_by_name(state).values():
        if is_cordoned(node):
            continue
        marks = {mark: text for mark, text in labels(node).items() if mark not in _OWN_LABELS}
        told = repr((sorted(marks.items()), spec_of(node).get("taints"), allocatable_of(node)))
        counts[told] += 1
        groups[told].setdefault(str(labels(node).get(ZONE_LABEL)), node)
    ordered = sorted(groups, key=lambda one: (-counts[one], one))
    return [ZonedShape([groups[one][zone] for zone in sorted(groups[one])]) for one in ordered]
