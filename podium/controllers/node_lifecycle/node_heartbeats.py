"""Nodes that aren't heard of: from when on they are silent, and what is written of them then.

A look at nodes every few seconds is what upstream takes; here a node is looked at only when there
is something to see, but at the same moments: a heartbeat counts from the first look after it.
"""

import math

import msgspec

from podium.api.conditions import set_condition
from podium.api.node_heartbeats import is_continuous, last_heartbeat_s
from podium.api.nodes import PRESSURES
from podium.api.objects import Object, condition_of, spec_of
from podium.api.values.times import epoch_s
from podium.controllers.node_lifecycle.zones import NodeLifecycleSettings
from podium.machines.effects import Patch, status_patch_of

NEVER_UPDATED = "NodeStatusNeverUpdated"

# Upstream leaves NetworkUnavailable alone: it isn't the kubelet's.
_KUBELETS_CONDITIONS = ("Ready", *PRESSURES)


class NodeHealthData(msgspec.Struct):
    """The last heartbeat of a node, and when it was seen.

    Attributes:
        heartbeat: that heartbeat: what the Lease and the condition Ready said.
        timer_s: when the node will be looked at again because it may be silent by then.
    """

    uid: str
    first_s: float
    last_s: float
    heartbeat: tuple[str, str] = ("", "")
    timer_s: float = 0.0


class MonitorTimes:
    """The moments at which nodes are looked at, a period apart."""

    def __init__(self, start_s: float, period_s: float) -> None:
        self._start_s = start_s
        self._period_s = period_s

    def after(self, time_s: float) -> float:
        """The first look after a moment."""
        return self._at(math.floor((time_s - self._start_s) / self._period_s) + 1)

    def from_(self, time_s: float) -> float:
        """The first look at a moment or after it."""
        return self._at(math.ceil((time_s - self._start_s) / self._period_s))

    def _at(self, number: int) -> float:
        return self._start_s + max(0, number) * self._period_s


def heartbeat_of(node: Object, lease: Object | None) -> tuple[str, str]:
    """What changes with each heartbeat: the Lease's time of renewal and the status' own time."""
    renewed = "" if lease is None else str(spec_of(lease).get("renewTime") or "")
    ready = condition_of(node, "Ready")
    if ready is None or ready.get("reason") == NEVER_UPDATED:
        return renewed, ""
    return renewed, str(ready.get("lastHeartbeatTime") or "")


def silent_from_s(
    node: Object,
    lease: Object | None,
    health: NodeHealthData,
    monitor_times: MonitorTimes,
    settings: NodeLifecycleSettings,
    now_s: float,
) -> float | None:
    """The look from which on a node counts as silent unless it is heard of before.

    None: its heartbeats go on without being written.
    """
    if lease is not None and is_continuous(lease):
        return None
    last_s = health.last_s
    if lease is not None:
        last_s = max(health.first_s, last_heartbeat_s(lease, last_s, now_s))
    elif condition_of(node, "Ready") is None:
        created = node["metadata"].get("creationTimestamp")
        created_s = epoch_s(created) if created else last_s
        return monitor_times.from_(created_s + settings.startup_grace_period_s)
    return monitor_times.from_(monitor_times.after(last_s) + settings.grace_period_s)


def unknown_patch(node: Object, now_s: float) -> Patch | None:
    """The write that makes a node's conditions Unknown; None if they are already."""
    changed: list[Object] = []
    for kind in _KUBELETS_CONDITIONS:
        known = condition_of(node, kind)
        unknown = {"type": kind, "status": "Unknown"}
        if known is None:
            created = node["metadata"].get("creationTimestamp")
            unknown |= {"reason": NEVER_UPDATED, "lastHeartbeatTime": created}
            unknown["message"] = "Kubelet never posted node status."
        elif known.get("status") == "Unknown":
            continue
        else:
            unknown["reason"] = "NodeStatusUnknown"
            unknown["message"] = "Kubelet stopped posting node status."
        changed.append(set_condition(known, unknown, now_s))
    if not changed:
        return None
    return status_patch_of("Node", node, {"conditions": changed}, if_unchanged=True)
