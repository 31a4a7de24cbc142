"""Spare room: how many nodes of a shape to add so that disturbances leave no pod pending.

Each number is tried by simulating the disturbances in the cluster with that many more nodes.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from podium.api.nodes import allocatable_of, is_cordoned
from podium.api.objects import Object, labels, name, spec_of
from podium.api.well_known import HOSTNAME_LABEL, ZONE_LABEL
from podium.scheduler.explain.extra_nodes import node_like, slices_like
from podium.whatif.plan.changes import Apply, Change, Fail
from podium.whatif.plan.planner import Planner
from podium.whatif.resilience.impact import Disturbance, Impact, ImpactReader, nodes_by_name
from podium.whatif.resilience.resilience_report import SpareRoom

SHAPES_MAX = 5
COUNT_MAX = 64
# So many of the worst disturbances are tried at first; the others once those are cured.
_FIRST = 4
_OWN_LABELS = (HOSTNAME_LABEL, ZONE_LABEL, "topology.kubernetes.io/region")


class ZonedShape(msgspec.Struct, frozen=True):
    """A shape of nodes, with an existing node of each zone as example."""

    likes: Sequence[Object]
    slices: Sequence[Object] = ()
    """The ResourceSlices of the example nodes."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the example nodes."""
        return tuple(map(name, self.likes))

    def nodes(self, count: int) -> list[Object]:
        """Make `count` new nodes of the shape, spread over the zones, and their ResourceSlices."""
        made = []
        for number in range(count):
            turn, zone = divmod(number, len(self.likes))
            like = self.likes[zone]
            new = f"{name(like)}-spare-{turn + 1}"
            made += [node_like(like, new), *slices_like(self.slices, name(like), new)]
        return made

    def words(self) -> str:
        """Describe the allocatable resources of a node of the shape."""
        amounts = allocatable_of(self.likes[0])
        return ", ".join(
            f"{amounts[resource]} {resource}"
            for resource in ("cpu", "memory", "pods")
            if resource in amounts
        )


def zoned_shapes(state: Iterable[Object]) -> list[ZonedShape]:
    """List the shapes of nodes that aren't cordoned, the most common shape first."""
    groups: dict[str, dict[str, Object]] = defaultdict(dict)
    counts: dict[str, int] = defaultdict(int)
    objects = [*state]
    slices: dict[str, list[Object]] = defaultdict(list)
    for obj in objects:
        if obj.get("kind") == "ResourceSlice" and (node_name := spec_of(obj).get("nodeName")):
            slices[node_name].append(obj)
    for node in nodes_by_name(objects).values():
        if is_cordoned(node):
            continue
        marks = {mark: text for mark, text in labels(node).items() if mark not in _OWN_LABELS}
        devices = [spec_of(slice_).get("devices") for slice_ in slices.get(name(node), ())]
        taints = spec_of(node).get("taints")
        shape = repr((sorted(marks.items()), taints, allocatable_of(node), devices))
        counts[shape] += 1
        groups[shape].setdefault(str(labels(node).get(ZONE_LABEL)), node)
    ordered = sorted(groups, key=lambda shape: (-counts[shape], shape))
    likes = [[node for _, node in sorted(groups[shape].items())] for shape in ordered]
    return [
        ZonedShape(nodes, [slice_ for node in nodes for slice_ in slices.get(name(node), ())])
        for nodes in likes
    ]


def spare_rooms(
    planner: Planner,
    reader: ImpactReader,
    shapes: Sequence[ZonedShape],
    harmed: Sequence[Impact],
    progress: Callable[[int], None] | None = None,
) -> Iterator[SpareRoom]:
    """Find the smallest number of nodes of each shape that cures as many impacts as possible."""
    disturbances = [impact.disturbance for impact in harmed]
    search = _Search(planner, reader, progress)
    for shape in shapes:
        # Each pending pod needs a node of its own at most; one zone of several may fail.
        most = max(len(impact.waiting) for impact in harmed) * len(shape.likes)
        count, left = search.smallest(shape, disturbances, min(most, COUNT_MAX))
        yield SpareRoom(
            like=shape.names,
            shape=shape.words(),
            count=count,
            cures=len(disturbances) - len(left),
            of=len(disturbances),
            left=tuple(disturbance.name for disturbance in left),
        )


class _Search:
    def __init__(
        self, planner: Planner, reader: ImpactReader, progress: Callable[[int], None] | None
    ) -> None:
        self._planner = planner
        self._reader = reader
        self._progress = progress
        self._planned = 0

    def smallest(
        self, shape: ZonedShape, disturbances: Sequence[Disturbance], most: int
    ) -> tuple[int, list[Disturbance]]:
        """Return the fewest nodes that cure what `most` nodes cure, and what they don't cure."""
        hopeless = self._uncured(shape, most, disturbances)
        curable = [disturbance for disturbance in disturbances if disturbance not in hopeless]
        if not curable:
            return 0, [*disturbances]
        tried, count = curable[:_FIRST], 0
        while True:
            count = self._bisected(shape, tried, count, most)
            left = self._uncured(shape, count, [one for one in curable if one not in tried])
            if not left:
                return count, hopeless
            tried = [*tried, *left[:_FIRST]]

    def _bisected(
        self, shape: ZonedShape, disturbances: Sequence[Disturbance], least: int, most: int
    ) -> int:
        low, high = least, max(2 * least, 1)
        while high < most and self._uncured(shape, high, disturbances):
            low, high = high, 2 * high
        between = range(low + 1, min(high, most))

        def cures(count: int) -> bool:
            return not self._uncured(shape, count, disturbances)

        return low + 1 + bisect_left(between, True, key=cures)

    def _uncured(
        self, shape: ZonedShape, count: int, disturbances: Sequence[Disturbance]
    ) -> list[Disturbance]:
        nodes, progress, planned = shape.nodes(count), self._progress, self._planned
        changes: list[list[Change]] = []
        for one in disturbances:
            # The new nodes of a zone that fails fail, too.
            new = [node for node in nodes if one.zone and labels(node).get(ZONE_LABEL) == one.zone]
            changes.append([Apply(tuple(nodes)), *one.changes, *(Fail(name(node)) for node in new)])
        plans = self._planner.outcomes(
            changes, None if progress is None else lambda done: progress(planned + done)
        )
        impacts = map(self._reader.impact, disturbances, plans)
        left = [impact.disturbance for impact in impacts if impact.waiting]
        self._planned += len(disturbances)
        return left
