"""Filtering only some of the nodes: kube-scheduler's percentageOfNodesToScore.

As in v1.36, nodes of all zones take turns (node_tree.go), starting where the last search ended,
until enough feasible nodes are found (numFeasibleNodesToFind in schedule_one.go).
"""

import numpy as np
from numpy.typing import NDArray

from podium.api.well_known import REGION_LABEL, ZONE_LABEL
from podium.scheduler.snapshot.snapshot import Snapshot

ZONE_LABELS = ("failure-domain.beta.kubernetes.io/zone", ZONE_LABEL)
REGION_LABELS = ("failure-domain.beta.kubernetes.io/region", REGION_LABEL)

FEASIBLE_NODES_MIN = 100
_PERCENTAGE_MIN = 5
_PERCENTAGE_BASE = 50
_NODES_PER_PERCENT = 125


def feasible_nodes_to_find(percentage: int, node_count: int) -> int:
    """Return the number of feasible nodes after which the search ends.

    A percentage of 0 is adaptive: 50, less 1 for every 125 nodes, but at least 5.
    """
    if node_count < FEASIBLE_NODES_MIN:
        return node_count
    adaptive = max(_PERCENTAGE_BASE - node_count // _NODES_PER_PERCENT, _PERCENTAGE_MIN)
    share = node_count * (percentage or adaptive) // 100
    return max(share, FEASIBLE_NODES_MIN)


def search_order(snapshot: Snapshot) -> list[int]:
    """Return rows in kube-scheduler's order of nodes: zones take turns, one node each.

    Zones, and the nodes of a zone, are in the order in which they were added.
    """
    zones: dict[tuple[str, str], list[int]] = {}
    for row in snapshot.row_of.values():
        carried = snapshot.labels_of(row)
        region = next((carried[key] for key in REGION_LABELS if carried.get(key)), "")
        zone = next((carried[key] for key in ZONE_LABELS if carried.get(key)), "")
        zones.setdefault((region, zone), []).append(row)
    groups = list(zones.values())
    rounds = range(max(map(len, groups), default=0))
    return [group[turn] for turn in rounds for group in groups if turn < len(group)]


class NodeSampling:
    """The node search of one profile; the next search starts where the last one ended."""

    def __init__(self, percentage: int) -> None:
        self.percentage = percentage
        self.next_start = 0
        self._epoch = -1
        self._order: NDArray[np.intp] = np.zeros(0, np.intp)

    def visited(self, snapshot: Snapshot, feasible: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the rows that the next search filters, bool[nodes], and advance its start."""
        if self._epoch != snapshot.node_epoch:
            self._order = np.array(search_order(snapshot), np.intp)
            self._epoch = snapshot.node_epoch
        order = np.roll(self._order, -(self.next_start % max(len(self._order), 1)))
        wanted = feasible_nodes_to_find(self.percentage, len(order))
        feasible_count = np.cumsum(feasible[order])
        looked_at = int(np.searchsorted(feasible_count, wanted)) + 1 if wanted else 0
        looked_at = min(looked_at, len(order))
        self.next_start = (self.next_start + looked_at) % max(len(order), 1)
        result = np.zeros(snapshot.node_count, bool)
        result[order[:looked_at]] = True
        return result
