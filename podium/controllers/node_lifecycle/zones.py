"""Zones: how many of their nodes are well, and how fast the others' pods may be sent away.

As in v1.36. A large zone of which most nodes have failed is emptied slowly, a small one not at all:
it is likelier that the control plane can't reach it. A zone of which all nodes have failed is
emptied at the usual rate, unless all zones are like that: then nothing is evicted anywhere.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from podium.api.objects import Object, labels
from podium.api.well_known import REGION_LABEL, ZONE_LABEL
from podium.controllers.node_lifecycle.node_taints import ready_status


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLifecycleSettings:
    """The flags of kube-controller-manager that matter here, with v1.36's defaults.

    Attributes:
        monitor_period_s: how often nodes are looked at (`node-monitor-period`).
        grace_period_s: how long a node may be silent (`node-monitor-grace-period`).
        startup_grace_period_s: the same for one that was never heard of
            (`node-startup-grace-period`).
        eviction_rate: how many nodes a second of a zone get a NoExecute taint
            (`node-eviction-rate`).
        secondary_eviction_rate: the same where many of a large zone have failed
            (`secondary-node-eviction-rate`).
        large_zone_size: a zone of so many nodes isn't large yet
            (`large-cluster-size-threshold`).
        unhealthy_zone_share: from which share of failed nodes a zone is disrupted in part
            (`unhealthy-zone-threshold`).
    """

    monitor_period_s: float = 5.0
    grace_period_s: float = 50.0
    startup_grace_period_s: float = 60.0
    eviction_rate: float = 0.1
    secondary_eviction_rate: float = 0.01
    large_zone_size: int = 50
    unhealthy_zone_share: float = 0.55


DEFAULT_SETTINGS = NodeLifecycleSettings()


Zone = tuple[str, str]
"""Region and zone, as a node's labels tell."""

EXCLUDED_LABEL = "node.kubernetes.io/exclude-disruption"


class ZoneState(Enum):
    """How much of a zone has failed."""

    NONE = "most nodes are well"
    PARTIAL = "too many nodes have failed"
    FULL = "all nodes have failed"


class EvictionRateLimiter:
    """Allows no more than `rate` actions a second; 0 allows none."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.next_s = -math.inf

    def take(self, now_s: float) -> bool:
        """Whether an action is allowed now; if so, it counts as done."""
        if not self._is_free(now_s):
            return False
        self.next_s = now_s + 1 / self.rate
        return True

    def set_rate(self, rate: float, now_s: float) -> None:
        """Go on at another rate; an action that had to wait waits as long as that takes."""
        waits = not self._is_free(now_s)
        if rate == self.rate:
            return
        self.rate = rate
        if waits and rate:
            self.next_s = now_s + 1 / rate

    def _is_free(self, now_s: float) -> bool:
        return bool(self.rate) and now_s >= self.next_s


@dataclass(slots=True)
class ZoneNodes:
    """The nodes of one zone: how many are ready, and which wait for a taint, in their order."""

    limiter: EvictionRateLimiter
    ready: int = 0
    unready: int = 0
    queue: dict[str, None] = field(default_factory=dict)


class ZonesChange(Enum):
    """The outcome of a look at all zones."""

    NONE = "nothing, but for rates"
    STOPPED = "all zones have failed since"
    RESUMED = "not all zones fail any more"


class Zones:
    """The zones of all nodes that have told how they are."""

    def __init__(self, settings: NodeLifecycleSettings) -> None:
        self._settings = settings
        self._zones: dict[Zone, ZoneNodes] = {}
        self._members: dict[str, tuple[Zone, bool]] = {}
        self.has_stopped = False

    def state(self, zone: Zone) -> ZoneNodes:
        """The state of a zone, which is there from now on."""
        if zone not in self._zones:
            rate = 0.0 if self.has_stopped else self._settings.eviction_rate
            self._zones[zone] = ZoneNodes(EvictionRateLimiter(rate))
        return self._zones[zone]

    def all(self) -> Iterable[tuple[Zone, ZoneNodes]]:
        """Every zone, with its nodes."""
        return self._zones.items()

    def waiting(self) -> list[Zone]:
        """The zones with nodes that wait for their taint."""
        return [zone for zone, state in self._zones.items() if state.queue]

    def count(self, called: str, node: Object | None) -> bool:
        """Take in a node's state, or that it is gone; whether that changes anything."""
        before, after = self._members.get(called), None
        ready = "" if node is None else ready_status(node)
        if node is not None and ready and EXCLUDED_LABEL not in labels(node):
            after = (zone_of(node), ready == "True")
        if before == after:
            return False
        if before is not None:
            self._add(before, -1)
            del self._members[called]
        if after is not None:
            self._add(after, 1)
            self._members[called] = after
        return True

    def look(self, now_s: float) -> ZonesChange:
        """Find out how the zones are, and set their rates accordingly."""
        counted = [state for state in self._zones.values() if state.ready + state.unready]
        found = []
        for state in counted:
            share = state.unready / (state.ready + state.unready)
            disruption = ZoneState.NONE
            if not state.ready:
                disruption = ZoneState.FULL
            elif state.unready > 2 and share >= self._settings.unhealthy_zone_share:
                disruption = ZoneState.PARTIAL
            found.append((state, disruption))
        if not found:
            return ZonesChange.NONE
        stops = all(disruption is ZoneState.FULL for _, disruption in found)
        zones_change = ZonesChange.NONE
        if stops != self.has_stopped:
            zones_change = ZonesChange.STOPPED if stops else ZonesChange.RESUMED
        self.has_stopped = stops
        for state, disruption in found:
            rate = self._settings.eviction_rate
            if disruption is ZoneState.PARTIAL:
                is_large = state.ready + state.unready > self._settings.large_zone_size
                rate = self._settings.secondary_eviction_rate if is_large else 0.0
            state.limiter.set_rate(0.0 if stops else rate, now_s)
        return zones_change

    def _add(self, membership: tuple[Zone, bool], count: int) -> None:
        zone, is_ready = membership
        state = self.state(zone)
        if is_ready:
            state.ready += count
        else:
            state.unready += count


def zone_of(node: Object) -> Zone:
    """The zone that a node is in; one of its own for all that don't say."""
    found = labels(node)
    return found.get(REGION_LABEL) or "", found.get(ZONE_LABEL) or ""
