"""The node lifecycle controller: marks silent nodes as Unknown, and taints nodes by conditions.

Rules and texts are those of v1.36's `nodelifecycle` controller, which checks all nodes every five
seconds. Here a node is checked only after a change, or when it may have been silent for too long,
but at one of these five-second ticks: a heartbeat counts from the first tick after it.
"""

import math
from collections.abc import Callable, Collection, Container, Hashable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from podium.api.conditions import set_condition
from podium.api.nodes import (
    LEASE_NAMESPACE,
    NO_EXECUTE,
    NO_SCHEDULE,
    PRESSURES,
    is_continuous,
    last_heartbeat_s,
    taints_of,
)
from podium.api.objects import (
    Object,
    condition_of,
    condition_status,
    conditions_of,
    name,
    place_of,
    spec_of,
    uid_of,
)
from podium.api.pods import is_moved, is_ready, node_name_of, node_names_of
from podium.api.values.times import epoch_s, timestamp
from podium.controllers.node_lifecycle.zones import (
    Zone,
    Zones,
    zone_of,
)
from podium.machines.effects import Effect, Patch, patch_of, status_patch_of
from podium.machines.events import Change, Outcome
from podium.machines.machine import NEVER_S
from podium.machines.reconciler.reconciler import Reconciler

Taint = tuple[str, str]
"""Key and effect."""

_PREFIX = "node.kubernetes.io/"
NOT_READY = _PREFIX + "not-ready"
UNREACHABLE = _PREFIX + "unreachable"
_UNSCHEDULABLE = _PREFIX + "unschedulable"

_KEYS: Mapping[tuple[str, str], str] = {
    ("Ready", "False"): NOT_READY,
    ("Ready", "Unknown"): UNREACHABLE,
    ("MemoryPressure", "True"): _PREFIX + "memory-pressure",
    ("DiskPressure", "True"): _PREFIX + "disk-pressure",
    ("NetworkUnavailable", "True"): _PREFIX + "network-unavailable",
    ("PIDPressure", "True"): _PREFIX + "pid-pressure",
}
_NO_SCHEDULE_TAINTS = frozenset({(key, NO_SCHEDULE) for key in (*_KEYS.values(), _UNSCHEDULABLE)})
# Of these a node has one at most.
_NO_EXECUTE_TAINTS = frozenset({(NOT_READY, NO_EXECUTE), (UNREACHABLE, NO_EXECUTE)})


def _known_taints(node: Object) -> set[Taint]:
    return {_taint(taint) for taint in taints_of(node)}


def no_schedule_patch(node: Object, now_s: float) -> Patch | None:
    """Return the patch that adjusts NoSchedule taints to conditions; None if they are right."""
    states = ((str(one.get("type")), str(one.get("status"))) for one in conditions_of(node))
    wanted = {(_KEYS[state], NO_SCHEDULE) for state in states if state in _KEYS}
    if spec_of(node).get("unschedulable"):
        wanted.add((_UNSCHEDULABLE, NO_SCHEDULE))
    known = _known_taints(node) & _NO_SCHEDULE_TAINTS
    return _taints_patch(node, sorted(wanted - known), known - wanted, now_s)


def no_execute_patch(node: Object, now_s: float) -> Patch | None:
    """Return the patch that adjusts NoExecute taints to condition Ready; None if they are right."""
    wanted = _no_execute_taint(node)
    known = _known_taints(node) & _NO_EXECUTE_TAINTS
    if wanted is None:
        return _taints_patch(node, (), known, now_s) if condition_status(node, "Ready") else None
    return _taints_patch(node, {wanted} - known, known - {wanted}, now_s)


def without_no_execute(node: Object, now_s: float) -> Patch | None:
    """Return the patch that removes the controller's NoExecute taints; None if there are none."""
    return _taints_patch(node, (), _known_taints(node) & _NO_EXECUTE_TAINTS, now_s)


def _no_execute_taint(node: Object) -> Taint | None:
    key = {"False": NOT_READY, "Unknown": UNREACHABLE}.get(condition_status(node, "Ready"))
    return None if key is None else (key, NO_EXECUTE)


def _taints_patch(
    node: Object, added: Collection[Taint], removed: Collection[Taint], now_s: float
) -> Patch | None:
    if not added and not removed:
        return None
    kept = [taint for taint in taints_of(node) if _taint(taint) not in removed]
    since = timestamp(now_s)
    new = [{"key": key, "effect": effect, "timeAdded": since} for key, effect in added]
    taints = {"taints": [*kept, *new] or None}
    return patch_of("Node", node, {"spec": taints}, if_unchanged=True)


def _taint(raw: Object) -> Taint:
    return str(raw.get("key")), str(raw.get("effect"))


NEVER_UPDATED = "NodeStatusNeverUpdated"

# Upstream leaves NetworkUnavailable alone: it isn't the kubelet's.
_KUBELETS_CONDITIONS = ("Ready", *PRESSURES)


class NodeHealthData(msgspec.Struct):
    """The last heartbeat of a node, and when the controller saw it; times in epoch seconds."""

    uid: str
    first_s: float
    """When the node was first seen."""
    last_s: float
    """When the last heartbeat was seen."""
    heartbeat: tuple[str, str] = ("", "")
    """Times of the heartbeat itself."""
    timer_s: float = 0.0
    """When the node is checked next, because it may be silent by then."""


class MonitorTimes(NamedTuple):
    """The ticks at which the controller checks nodes, one per period; seconds since the epoch."""

    start_s: float
    period_s: float

    def after(self, time_s: float) -> float:
        """Return the first tick after a time."""
        return self._at(math.floor((time_s - self.start_s) / self.period_s) + 1)

    def from_(self, time_s: float) -> float:
        """Return the first tick at or after a time."""
        return self._at(math.ceil((time_s - self.start_s) / self.period_s))

    def _at(self, number: int) -> float:
        return self.start_s + max(0, number) * self.period_s


def unknown_patch(node: Object, now_s: float) -> Patch | None:
    """Return the patch that sets a node's kubelet conditions to Unknown; None if they are."""
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


TAINTING_PERIOD_S = 0.1
"""Seconds from a tick until failed nodes are tainted, as far as eviction rates allow."""
# The flags node-monitor-period, node-monitor-grace-period and node-startup-grace-period of
# kube-controller-manager, with their defaults.
_MONITOR_PERIOD_S = 5.0
_GRACE_PERIOD_S = 50.0
_STARTUP_GRACE_PERIOD_S = 60.0


# The keys of a node's NoSchedule taints, of its heartbeats and condition Ready, and of the removal
# of its NoExecute taints as all nodes have failed; and that of a zone's NoExecute taints.
class _Conditions(msgspec.Struct, frozen=True):
    node: str


class _Health(msgspec.Struct, frozen=True):
    node: str


class _Untainting(msgspec.Struct, frozen=True):
    node: str


class _Tainting(msgspec.Struct, frozen=True):
    zone: Zone


_ALL_ZONES = "all zones"


class NodeLifecycleController(Reconciler):
    """Sets silent nodes to Unknown, and taints nodes that aren't ready or are under pressure."""

    name = "node-controller"
    kinds = frozenset({"Node", "Lease", "Pod"})
    indexes = (("Pod", "node", node_names_of),)

    def __init__(self) -> None:
        super().__init__()
        self._zones = Zones()
        self._health: dict[str, NodeHealthData] = {}
        self._monitor_times: MonitorTimes | None = None
        self._registered: dict[str, Object] = {}
        self._newly_unknown: set[str] = set()
        self._leaves_nodes = False
        self._resting: set[str] = set()

    def leave(self, loaded: Container[str]) -> None:
        """Keep the taints of loaded nodes until their conditions or heartbeats change."""
        self._leaves_nodes = True

    def synced(self, now_s: float) -> None:
        self._monitor_times = MonitorTimes(now_s, _MONITOR_PERIOD_S)

    def heeds(self, change: Change) -> bool:
        # Of a pod it matters where it is, and whether it is ready.
        old, new = change.old, change.new
        if change.kind != "Pod":
            return True
        if old is None or new is None:
            return bool(node_name_of(change.obj))
        if old.get("status") is not new.get("status") and is_ready(old) != is_ready(new):
            return True
        return is_moved(old, new)

    def keys_of(self, change: Change, before: Object | None) -> Iterable[Hashable]:
        if change.kind == "Pod":
            pod = change.new
            if pod is None or (before is not None and node_name_of(before) == node_name_of(pod)):
                return ()
            node = self.objects.get("Node", node_name_of(pod)) if node_name_of(pod) else None
            # Pods that are bound to a node that isn't ready are marked as not ready.
            is_unready = node is not None and condition_status(node, "Ready") in (
                "False",
                "Unknown",
            )
            return (place_of(pod),) if is_unready else ()
        if change.kind == "Lease":
            return self._lease_keys(before, change.new)
        return self._node_keys(before, change)

    def reconcile(self, key: Hashable, now_s: float) -> Iterable[Effect]:
        match key:
            case _Conditions(node_name) | _Health(node_name) if node_name in self._resting:
                return ()
            case _Conditions(node_name):
                return self._about(node_name, no_schedule_patch, now_s)
            case _Health(node_name):
                return self._check(node_name, now_s)
            case _Untainting(node_name):
                return self._about(node_name, without_no_execute, now_s)
            case _Tainting(zone):
                return self._taint(zone, now_s)
            case (str(), str()):
                return self._mark_not_ready(self.objects.at("Pod", key), now_s)
        return self._look_at_zones(now_s)

    def carried_out(self, key: Hashable, outcome: Outcome) -> Iterator[Effect]:
        effect, obj = outcome.effect, outcome.obj
        if obj is None or not isinstance(effect, Patch):
            return
        if isinstance(key, tuple):
            yield self.event(obj, "Warning", "NodeNotReady", "Node is not ready")
        elif isinstance(key, _Health) and effect.subresource and key.node in self._newly_unknown:
            self._newly_unknown.discard(key.node)
            note = f"Node {key.node} status is now: NodeNotReady"
            yield self.event(obj, "Normal", "NodeNotReady", note)
            for place in self._pods_of_unready(obj):
                self.look_now(place)

    def refused(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        # A node that couldn't be tainted goes back to the front of its queue.
        effect = outcome.effect
        if isinstance(key, _Tainting) and isinstance(effect, Patch):
            state = self._zones.state(key.zone)
            state.queue = {effect.name: None, **state.queue}
            state.limiter.next_s = self._now_s
        return ()

    def _lease_keys(self, before: Object | None, lease: Object | None) -> Iterator[Hashable]:
        if lease is None or place_of(lease)[0] != LEASE_NAMESPACE:
            return
        node = self.objects.get("Node", name(lease))
        if node is None:
            return
        self._note_heartbeat(node)
        if before is not None:
            if is_continuous(before) == is_continuous(lease):
                return
            self._resting.discard(name(lease))
        yield from self._soon(_Health(name(lease)))

    def _node_keys(self, before: Object | None, change: Change) -> Iterator[Hashable]:
        node, old = change.new, before if before is not None else change.old
        node_name = name(node if node is not None else old or {})
        if self._zones.count(node_name, node):
            yield from self._soon(_ALL_ZONES)
        if node is None:
            self._health.pop(node_name, None)
            yield from self._soon(_Health(node_name))
            return
        self._note_heartbeat(node)
        if self._monitor_times is None and self._leaves_nodes:
            self._resting.add(node_name)
        elif old is None or _states(old) != _states(node):
            self._resting.discard(node_name)
        yield _Conditions(node_name)
        if old is None or uid_of(old) != uid_of(node) or _shows(old) != _shows(node):
            yield from self._soon(_Health(node_name))
        if old is None:
            yield from self._pods_of_unready(node)

    def _pods_of_unready(self, node: Object) -> Iterator[Hashable]:
        if condition_status(node, "Ready") in ("False", "Unknown"):
            yield from map(place_of, self.objects.by("Pod", "node", name(node)))

    def _soon(self, key: Hashable) -> Iterator[Hashable]:
        # At the next look at nodes, which at the start is at once.
        if self._monitor_times is None:
            yield key
        else:
            self.look_again(key, self._monitor_times.after(self._now_s))

    def _note_heartbeat(self, node: Object) -> None:
        node_name, ready = name(node), condition_of(node, "Ready") or {}
        renewed = str(spec_of(self._lease(node_name) or {}).get("renewTime") or "")
        is_posted = ready.get("reason") != NEVER_UPDATED
        heartbeat = renewed, str(ready.get("lastHeartbeatTime") or "") if is_posted else ""
        health = self._health.get(node_name)
        if health is None or health.uid != uid_of(node):
            self._health[node_name] = NodeHealthData(
                uid_of(node), self._now_s, self._now_s, heartbeat
            )
        elif heartbeat != health.heartbeat:
            health.heartbeat, health.last_s = heartbeat, self._now_s

    def _lease(self, node_name: str) -> Object | None:
        return self.objects.get("Lease", node_name, LEASE_NAMESPACE)

    def _about(
        self, node_name: str, patch: Callable[[Object, float], Patch | None], now_s: float
    ) -> list[Effect]:
        node = self.objects.get("Node", node_name)
        effect = None if node is None else patch(node, now_s)
        return [] if effect is None else [effect]

    def _check(self, node_name: str, now_s: float) -> Iterator[Effect]:
        node = self.objects.get("Node", node_name)
        known = self._registered.get(node_name)
        if node is None:
            if known is not None:
                del self._registered[node_name]
                note = f"Node {node_name} event: Removing Node {node_name} from Controller"
                yield self.event(known, "Normal", "RemovingNode", note)
            return
        if known is None:
            self._registered[node_name] = node
            note = f"Node {node_name} event: Registered Node {node_name} in Controller"
            yield self.event(node, "Normal", "RegisteredNode", note)
        assert self._monitor_times is not None
        # The look at which the node counts as silent; endless if heartbeats go on unwritten.
        lease, health, times = self._lease(node_name), self._health[node_name], self._monitor_times
        last_s = health.last_s
        if lease is not None:
            last_s = max(health.first_s, last_heartbeat_s(lease, last_s, now_s))
        from_s = times.from_(times.after(last_s) + _GRACE_PERIOD_S)
        if lease is not None and is_continuous(lease):
            from_s = NEVER_S
        elif lease is None and condition_of(node, "Ready") is None:
            created = node["metadata"].get("creationTimestamp")
            created_s = epoch_s(created) if created else last_s
            from_s = times.from_(created_s + _STARTUP_GRACE_PERIOD_S)
        if now_s < from_s < NEVER_S and health.timer_s <= now_s:
            health.timer_s = from_s
            self.look_again(_Health(node_name), from_s)
        # A failed node is tainted when its turn comes; a healthy one is untainted at once.
        state, tainting = self._zones.state(zone_of(node)), _Tainting(zone_of(node))
        if _no_execute_taint(node) is None or _known_taints(node) & _NO_EXECUTE_TAINTS:
            state.queue.pop(node_name, None)
            yield from self._about(node_name, no_execute_patch, now_s)
        elif node_name not in state.queue:
            state.queue[node_name] = None
            self.look_again(tainting, now_s + TAINTING_PERIOD_S)
        if from_s <= now_s:
            if condition_status(node, "Ready") == "True":
                self._newly_unknown.add(node_name)
            yield from self._about(node_name, unknown_patch, now_s)

    def _taint(self, zone: Zone, now_s: float) -> Iterator[Effect]:
        state = self._zones.state(zone)
        while state.queue and state.limiter.take(now_s):
            node_name = next(iter(state.queue))
            del state.queue[node_name]
            yield from self._about(node_name, no_execute_patch, now_s)
        if state.queue and state.limiter.rate:
            self.look_again(_Tainting(zone), state.limiter.next_s)

    def _look_at_zones(self, now_s: float) -> Iterable[Effect]:
        has_stopped = self._zones.has_stopped
        self._zones.look(now_s)
        if self._zones.has_stopped and not has_stopped:
            for node in self.objects.all("Node"):
                self.look_again(_Untainting(name(node)), now_s)
        elif has_stopped and not self._zones.has_stopped:
            # While everything seemed to fail, no heartbeat could be seen.
            for health in self._health.values():
                health.first_s = health.last_s = now_s
        for zone, state in self._zones.all():
            if state.queue:
                self.look_again(_Tainting(zone), now_s + TAINTING_PERIOD_S)
        return ()

    def _mark_not_ready(self, pod: Object | None, now_s: float) -> Iterator[Effect]:
        # As MarkPodsNotReady of v1.36: pods of a node that this controller has found silent, and
        # pods that are bound to an unready node. Where a kubelet says of its own node that it
        # isn't ready, pods stay.
        node = None if pod is None else self.objects.get("Node", node_name_of(pod))
        if (
            pod is None
            or node is None
            or not is_ready(pod)
            or condition_status(node, "Ready") == "True"
        ):
            return
        if name(node) not in self._resting:
            condition = set_condition(None, {"type": "Ready", "status": "False"}, now_s)
            yield status_patch_of("Pod", pod, {"conditions": [condition]})


def _shows(node: Object) -> Any:
    return condition_status(node, "Ready"), _known_taints(node) & _NO_EXECUTE_TAINTS, zone_of(node)


def _states(node: Object) -> Any:
    conditions = conditions_of(node)
    return node.get("spec"), {one.get("type"): one.get("status") for one in conditions}
