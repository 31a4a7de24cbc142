"""Utilisation of nodes, zones and the cluster over time, and what of the free room is of no use.

Fragmentation is the share of what is free of a resource that lies on nodes where a pod of the run,
drawn at random, has no room; in the whole cluster.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from podium.api.resources import Amounts, is_extended_resource, resource_amount
from podium.simulation.experiments.series.step_series import CLUSTER, NODE, ZONE, Line, StepSeries
from podium.simulation.experiments.series.usage_log import NodeChange, UsageLog

UTILISATION, FRAGMENTATION = "utilisation", "fragmentation"
_MAIN = ("cpu", "memory")

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Lines = Mapping[Line, StepSeries]


def add_node_lines(lines: Lines, usage: UsageLog) -> None:
    """Add what became of nodes."""
    sums = _Sums(usage)
    for index, change in enumerate(usage.nodes):
        sums.take(change)
        _add(lines, sums.measured, (UTILISATION, NODE, change.node), change.at_s, sums.of(change))
        if usage.nodes[index + 1 : index + 2] and usage.nodes[index + 1].at_s == change.at_s:
            continue
        for zone in sums.changed_zones():
            _add(lines, sums.measured, (UTILISATION, ZONE, zone), change.at_s, sums.zones[zone])
        _add(lines, sums.measured, (UTILISATION, CLUSTER, ""), change.at_s, sums.cluster)
        free = (sums.cluster[0] - sums.cluster[1])[: len(sums.measured)]
        _add(
            lines,
            sums.measured,
            (FRAGMENTATION, CLUSTER, ""),
            change.at_s,
            np.stack([free, sums.unusable]),
        )


def _add(
    lines: Lines, resources: Sequence[str], line: Line, at_s: float, parts: Ints | Floats
) -> None:
    measure, of, called = line
    for resource, whole, part in zip(resources, *parts.tolist(), strict=False):
        if whole > 0 or (f"{measure}.{resource}", of, called) in lines:
            share = part / whole if whole > 0 else 0.0
            lines[f"{measure}.{resource}", of, called].set(at_s, round(share, 9))


class _Sums:
    """Sums over the nodes as they are at a moment.

    Attributes:
        measured: the resources of interest; the first columns of all arrays.
        unusable: of what is free, how much a pod of the run can't use on average.
    """

    def __init__(self, usage: UsageLog) -> None:
        shapes = [dict(shape) for shape in usage.shapes]
        asked = {resource for shape in shapes for resource, amount in shape.items() if amount}
        offered = {one for change in usage.nodes for one in change.allocatable}
        self.measured = [*_MAIN, *sorted(filter(is_extended_resource, offered))]
        self._resources = [*self.measured, *sorted(asked - {*self.measured})]
        rows = [self._amounts(shape) for shape in shapes]
        self._shapes = np.array(rows, dtype=np.int64).reshape(len(rows), len(self._resources))
        self._weights = np.array([*usage.shapes.values()], dtype=np.float64)
        self._weights /= max(1.0, float(self._weights.sum()))
        self.zones: dict[str, Ints] = defaultdict(self._nothing)
        self.cluster = self._nothing()
        self.unusable = np.zeros(len(self.measured))
        self._nodes: dict[str, tuple[str, Ints, Floats]] = {}
        self._changed: set[str] = set()

    def take(self, change: NodeChange) -> None:
        """Count a node as it is now, and no longer as it was."""
        zone, before, gone = self._nodes.pop(change.node, ("", self._nothing(), None))
        self._count(zone, -before)
        if gone is not None:
            self.unusable -= gone
        amounts = self.of(change)
        self._count(change.zone, amounts)
        free = amounts[0] - amounts[1]
        fits = ((self._shapes <= free) | (self._shapes == 0)).all(axis=1)
        share = float(self._weights[~fits].sum())
        unusable: Floats = np.maximum(free[: len(self.measured)], 0) * share
        self.unusable += unusable
        self._nodes[change.node] = change.zone, amounts, unusable

    def of(self, change: NodeChange) -> Ints:
        """What is allocatable on a node, and what is requested of it."""
        amounts = (change.allocatable, change.requested if change.allocatable else {})
        return np.array([self._amounts(one) for one in amounts], dtype=np.int64)

    def changed_zones(self) -> list[str]:
        """The zones in which anything has changed since this was asked last; of those named."""
        changed, self._changed = self._changed, set()
        return sorted(changed - {""})

    def _count(self, zone: str, amounts: Ints) -> None:
        self.zones[zone] = self.zones[zone] + amounts
        self.cluster = self.cluster + amounts
        self._changed.add(zone)

    def _amounts(self, amounts: Amounts) -> list[int]:
        return [resource_amount(one, amounts.get(one, 0)) for one in self._resources]

    def _nothing(self) -> Ints:
        return np.zeros((2, len(self._resources)), dtype=np.int64)
