"""Looking at a part of the nodes only: kube-scheduler's percentageOfNodesToScore.

As in v1.36, nodes are visited zone by zone in turn (node_tree.go), starting where the last search
stopped, until enough feasible ones are found (schedule_one.go, numFeasibleNodesToFind).
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
    """Return the number of feasible nodes at which the search may stop.

    A percentage of 0 is adaptive: 50 less 1 for every 125 nodes, at least 5.
    """
    if node_count < FEASIBLE_NODES_MIN:
        return node_count
    adaptive = max(_PERCENTAGE_BASE - node_count // _NODES_PER_PERCENT, _PERCENTAGE_MIN)
    share = node_count * (percentage or adaptive) // 100
    return max(share, FEASIBLE_NODES_MIN)


def search_order(snapshot: Snapshot) -> list[int]:
    """Return rows in kube-scheduler's order of nodes: one of each region and zone in turn.

    Zones, and nodes within one, come in the order in which they were added.
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
    """The search of one scheduler, and where it stopped."""

    def __init__(self, percentage: int) -> None:
        self.percentage = percentage
        self.next_start = 0
        self._epoch = -1
        self._order: NDArray[np.intp] = np.zeros(0, np.intp)

    def visited(self, snapshot: Snapshot, feasible: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which rows a search looks at, bool[nodes], and advance its start."""
        if self._epoch != snapshot.node_epoch:
            self._order = np.array(search_order(snapshot), np.intp)
            self._epoch = snapshot.node_epoch
        order = np.roll(self._order, -(self.next_start % max(len(self._order), 1)))
        wanted = feasible_nodes_to_find(self.percentage, len(order))
        found = np.cumsum(feasible[order])
        looked_at = int(np.searchsorted(found, wanted)) + 1 if wanted else 0
        looked_at = min(looked_at, len(order))
        self.next_start = (self.next_start + looked_at) % max(len(order), 1)
        result = np.zeros(snapshot.node_count, bool)
        result[order[:looked_at]] = True
        return result
