"""Zones: the numbers of their failed nodes, and the rates at which these are tainted, as in v1.36.

If most nodes of a zone have failed, it is likelier that the control plane can't reach the zone: in
a large zone they are tainted slowly, in a small one not at all. If all nodes of a zone have failed,
the usual rate applies; if all nodes of all zones have failed, no node is tainted.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from podium.api.objects import Object, condition_status, labels
from podium.api.well_known import REGION_LABEL, ZONE_LABEL

# The flags node-eviction-rate, secondary-node-eviction-rate, large-cluster-size-threshold and
# unhealthy-zone-threshold of kube-controller-manager, with their defaults; rates are per second.
EVICTION_RATE = 0.1
SECONDARY_EVICTION_RATE = 0.01
LARGE_ZONE_SIZE = 50
UNHEALTHY_ZONE_SHARE = 0.55

Zone = tuple[str, str]
"""Region and zone."""

EXCLUDED_LABEL = "node.kubernetes.io/exclude-disruption"


class EvictionRateLimiter:
    """A rate limiter of `rate` actions per second; a rate of 0 allows none."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.next_s = -math.inf

    def take(self, now_s: float) -> bool:
        """Return whether an action is allowed now; an allowed action is counted."""
        if not self.rate or now_s < self.next_s:
            return False
        self.next_s = now_s + 1 / self.rate
        return True

    def set_rate(self, rate: float, now_s: float) -> None:
        """Change the rate; an action that has to wait waits for a full interval of the new rate."""
        waits = not self.rate or now_s < self.next_s
        if rate == self.rate:
            return
        self.rate = rate
        if waits and rate:
            self.next_s = now_s + 1 / rate


@dataclass(slots=True)
class ZoneNodes:
    """The numbers of ready and unready nodes of a zone, and the queue of nodes to taint."""

    limiter: EvictionRateLimiter
    ready: int = 0
    unready: int = 0
    queue: dict[str, None] = field(default_factory=dict)


class Zones:
    """The zones of all nodes that have a condition Ready."""

    def __init__(self) -> None:
        self._zones: dict[Zone, ZoneNodes] = {}
        self._members: dict[str, tuple[Zone, bool]] = {}
        self.has_stopped = False
        """Whether all nodes of all zones had failed at the last `look`; none is tainted."""

    def state(self, zone: Zone) -> ZoneNodes:
        """Return the state of a zone, which is added if it is new."""
        if zone not in self._zones:
            rate = 0.0 if self.has_stopped else EVICTION_RATE
            self._zones[zone] = ZoneNodes(EvictionRateLimiter(rate))
        return self._zones[zone]

    def all(self) -> Iterable[tuple[Zone, ZoneNodes]]:
        return self._zones.items()

    def count(self, node_name: str, node: Object | None) -> bool:
        """Update the counts for a node (None if deleted); return whether any count changed."""
        before, after = self._members.get(node_name), None
        ready = "" if node is None else condition_status(node, "Ready")
        if node is not None and ready and EXCLUDED_LABEL not in labels(node):
            after = (zone_of(node), ready == "True")
        if before == after:
            return False
        if before is not None:
            self._add(before, -1)
            del self._members[node_name]
        if after is not None:
            self._add(after, 1)
            self._members[node_name] = after
        return True

    def look(self, now_s: float) -> None:
        """Set the eviction rate of each zone by its share of failed nodes."""
        counted = [state for state in self._zones.values() if state.ready + state.unready]
        if counted:
            self.has_stopped = not any(state.ready for state in counted)
        for state in counted:
            size, rate = state.ready + state.unready, EVICTION_RATE
            is_disrupted = state.unready / size >= UNHEALTHY_ZONE_SHARE
            if state.ready and state.unready > 2 and is_disrupted:
                is_large = size > LARGE_ZONE_SIZE
                rate = SECONDARY_EVICTION_RATE if is_large else 0.0
            state.limiter.set_rate(0.0 if self.has_stopped else rate, now_s)

    def _add(self, membership: tuple[Zone, bool], count: int) -> None:
        zone, is_ready = membership
        state = self.state(zone)
        if is_ready:
            state.ready += count
        else:
            state.unready += count


def zone_of(node: Object) -> Zone:
    """Return the region and zone labels of a node; empty strings if absent."""
    carried = labels(node)
    return carried.get(REGION_LABEL) or "", carried.get(ZONE_LABEL) or ""
