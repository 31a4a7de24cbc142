"""Spare room: how many nodes of which shape would do for the pods that disturbances leave waiting.

Each number is tried by playing the disturbances again in a cluster with so many nodes more.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from podium.api.nodes import allocatable_of, is_cordoned
from podium.api.objects import Object, labels, name, spec_of
from podium.api.well_known import HOSTNAME_LABEL, ZONE_LABEL
from podium.scheduler.explain.extra_nodes import node_like
from podium.whatif.plan.changes import Apply, Change, Fail
from podium.whatif.plan.planner import Planner
from podium.whatif.resilience.impact import Disturbance, Impact, ImpactReader, nodes_by_name
from podium.whatif.resilience.resilience_report import SpareRoom

_OWN_LABELS = (HOSTNAME_LABEL, ZONE_LABEL, "topology.kubernetes.io/region")


_AMOUNTS = ("cpu", "memory", "pods")


@dataclass(frozen=True, slots=True)
class ZonedShape:
    """Nodes that differ in name and zone only, one of each zone."""

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


SHAPES_MAX = 5
COUNT_MAX = 64
# So many of the worst are tried at first; the others once those are cured.
_FIRST = 4


def spare_rooms(
    player: Planner,
    reader: ImpactReader,
    shapes: Sequence[ZonedShape],
    harmed: Sequence[Impact],
    progress: Callable[[int], None] | None = None,
) -> Iterator[SpareRoom]:
    """For each shape, the smallest number of nodes that cures most of the impacts."""
    disturbances = [one.disturbance for one in harmed]
    search = _Search(player, reader, progress)
    for shape in shapes:
        # Each pod that waits needs a node of its own at most; one zone of several may fail.
        most = max(len(one.waiting) for one in harmed) * len(shape.likes)
        count, left = search.smallest(shape, disturbances, min(most, COUNT_MAX))
        yield SpareRoom(
            like=shape.names,
            shape=shape.words(),
            count=count,
            cures=len(disturbances) - len(left),
            of=len(disturbances),
            left=tuple(one.name for one in left),
        )


class _Search:
    def __init__(
        self,
        player: Planner,
        reader: ImpactReader,
        progress: Callable[[int], None] | None,
    ) -> None:
        self._player = player
        self._reader = reader
        self._progress = progress
        self._played = 0

    def smallest(
        self, shape: ZonedShape, disturbances: Sequence[Disturbance], most: int
    ) -> tuple[int, list[Disturbance]]:
        """The smallest number that was found to cure what `most` nodes cure, and what is left."""
        hopeless = self._uncured(shape, most, disturbances)
        curable = [one for one in disturbances if one not in hopeless]
        if not curable:
            return 0, [*disturbances]
        searched, count = curable[:_FIRST], 0
        while True:
            count = self._bisected(shape, searched, count, most)
            left = self._uncured(shape, count, [one for one in curable if one not in searched])
            if not left:
                return count, hopeless
            searched = [*searched, *left[:_FIRST]]

    def _bisected(
        self, shape: ZonedShape, disturbances: Sequence[Disturbance], least: int, most: int
    ) -> int:
        low, high = least, max(2 * least, 1)
        while high < most and self._uncured(shape, high, disturbances):
            low, high = high, 2 * high
        between = range(low + 1, min(high, most))

        def does(count: int) -> bool:
            return not self._uncured(shape, count, disturbances)

        return low + 1 + bisect_left(between, True, key=does)

    def _uncured(
        self, shape: ZonedShape, count: int, disturbances: Sequence[Disturbance]
    ) -> list[Disturbance]:
        nodes, progress, played = shape.nodes(count), self._progress, self._played
        asked: list[list[Change]] = []
        for one in disturbances:
            # In a zone that fails the new nodes fail, too.
            new = [node for node in nodes if one.zone and labels(node).get(ZONE_LABEL) == one.zone]
            asked.append([Apply(tuple(nodes)), *one.changes, *(Fail(name(node)) for node in new)])
        tell = None if progress is None else lambda done: progress(played + done)
        plans = self._player.outcomes(asked, tell)
        impacts = map(self._reader.impact, disturbances, plans)
        left = [one.disturbance for one in impacts if one.waiting]
        self._played += len(disturbances)
        return left
