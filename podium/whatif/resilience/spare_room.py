"""Spare room: how many nodes of which shape would do for the pods that disturbances leave waiting.

Each number is tried by playing the disturbances again in a cluster with so many nodes more.
"""

from collections.abc import Callable, Iterator, Sequence

from podium.api.objects import Object, labels, name
from podium.api.well_known import ZONE_LABEL
from podium.whatif.plan.changes import Apply, Change, Fail
from podium.whatif.resilience.disturbance import Disturbance
from podium.whatif.resilience.disturbance_player import DisturbancePlayer
from podium.whatif.resilience.impact import Impact, ImpactReader
from podium.whatif.resilience.resilience_report import SpareRoom
from podium.whatif.resilience.zoned_shapes import ZonedShape

SHAPES_MAX = 5
COUNT_MAX = 64
# So many of the worst are tried at first; the others once those are cured.
_FIRST = 4


def spare_rooms(
    player: DisturbancePlayer,
    reader: ImpactReader,
    shapes: Sequence[ZonedShape],
    harmed: Sequence[Impact],
    progress: Callable[[int], None] | None = None,
) -> Iterator[SpareRoom]:
    """For each shape of nodes, the smallest number of them that cures most.

    Args:
        player: plays the disturbances again.
        reader: reads their outcomes.
        shapes: of nodes to add.
        harmed: the impacts in which pods wait in the end, the worst first.
        progress: is told how many plays are done.
    """
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
    """Looks for the smallest number of nodes."""

    def __init__(
        self,
        player: DisturbancePlayer,
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
        """The smallest number above `least`, up to `most`, that cures all of these."""
        low, high = least, max(2 * least, 1)
        while high < most and self._uncured(shape, high, disturbances):
            low, high = high, 2 * high
        high = min(high, most)
        while high - low > 1:
            middle = (low + high) // 2
            if self._uncured(shape, middle, disturbances):
                low = middle
            else:
                high = middle
        return high

    def _uncured(
        self, shape: ZonedShape, count: int, disturbances: Sequence[Disturbance]
    ) -> list[Disturbance]:
        nodes = shape.nodes(count)
        plans = self._player.plans([_with(nodes, one) for one in disturbances], self._tell)
        impacts = map(self._reader.impact, disturbances, plans)
        left = [one.disturbance for one in impacts if one.waiting]
        self._played += len(disturbances)
        return left

    def _tell(self, done: int) -> None:
        if self._progress is not None:
            self._progress(self._played + done)


def _with(nodes: Sequence[Object], disturbance: Disturbance) -> list[Change]:
    """A disturbance of a cluster with more nodes; those fail, too, in a zone that fails."""
    zone = disturbance.zone
    failing = [name(one) for one in nodes if zone and labels(one).get(ZONE_LABEL) == zone]
    return [Apply(tuple(nodes)), *disturbance.changes, *map(Fail, failing)]
