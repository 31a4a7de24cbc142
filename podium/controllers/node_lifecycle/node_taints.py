"""The taints of a node's conditions, and the writes that bring them about.

NoSchedule taints follow the conditions at once. Of the two NoExecute taints a node has one at most.
"""

from collections.abc import Collection, Mapping

from podium.api.nodes import taints_of
from podium.api.objects import Object, condition_of, conditions_of, spec_of
from podium.api.taints import NO_EXECUTE, NO_SCHEDULE
from podium.api.values.times import timestamp
from podium.machines.effects import Patch, patch_of

Taint = tuple[str, str]
"""Key and effect."""

_PREFIX = "node.kubernetes.io/"
NOT_READY = _PREFIX + "not-ready"
UNREACHABLE = _PREFIX + "unreachable"
UNSCHEDULABLE = _PREFIX + "unschedulable"

_KEYS: Mapping[tuple[str, str], str] = {
    ("Ready", "False"): NOT_READY,
    ("Ready", "Unknown"): UNREACHABLE,
    ("MemoryPressure", "True"): _PREFIX + "memory-pressure",
    ("DiskPressure", "True"): _PREFIX + "disk-pressure",
    ("NetworkUnavailable", "True"): _PREFIX + "network-unavailable",
    ("PIDPressure", "True"): _PREFIX + "pid-pressure",
}
_OURS = frozenset({(key, NO_SCHEDULE) for key in (*_KEYS.values(), UNSCHEDULABLE)})
NO_EXECUTE_TAINTS: frozenset[Taint] = frozenset(
    {(NOT_READY, NO_EXECUTE), (UNREACHABLE, NO_EXECUTE)}
)


def ready_status(node: Object) -> str:
    """The status of a node's condition Ready; empty if it has none."""
    ready = condition_of(node, "Ready")
    return "" if ready is None else str(ready.get("status"))


def known_taints(node: Object) -> set[Taint]:
    """A node's taints, without values and times."""
    return {_taint(one) for one in taints_of(node)}


def no_schedule_patch(node: Object, now_s: float) -> Patch | None:
    """The write that lets a node's NoSchedule taints follow its conditions, if they don't."""
    states = ((str(one.get("type")), str(one.get("status"))) for one in conditions_of(node))
    wanted = {(_KEYS[state], NO_SCHEDULE) for state in states if state in _KEYS}
    if spec_of(node).get("unschedulable"):
        wanted.add((UNSCHEDULABLE, NO_SCHEDULE))
    known = known_taints(node) & _OURS
    return _patch(node, sorted(wanted - known), known - wanted, now_s)


def no_execute_patch(node: Object, now_s: float) -> Patch | None:
    """The write of the NoExecute taint that follows from a node's condition Ready, if any."""
    wanted = no_execute_taint(node)
    known = known_taints(node) & NO_EXECUTE_TAINTS
    if wanted is None:
        return _patch(node, (), known, now_s) if ready_status(node) else None
    return _patch(node, {wanted} - known, known - {wanted}, now_s)


def without_no_execute(node: Object, now_s: float) -> Patch | None:
    """The write that removes a node's NoExecute taints, if there are any."""
    return _patch(node, (), known_taints(node) & NO_EXECUTE_TAINTS, now_s)


def no_execute_taint(node: Object) -> Taint | None:
    """The NoExecute taint that a node should have, by its condition Ready."""
    key = {"False": NOT_READY, "Unknown": UNREACHABLE}.get(ready_status(node))
    return None if key is None else (key, NO_EXECUTE)


def _patch(
    node: Object, added: Collection[Taint], removed: Collection[Taint], now_s: float
) -> Patch | None:
    if not added and not removed:
        return None
    kept = [one for one in taints_of(node) if _taint(one) not in removed]
    since = timestamp(now_s)
    new = [{"key": key, "effect": effect, "timeAdded": since} for key, effect in added]
    taints = {"taints": [*kept, *new] or None}
    return patch_of("Node", node, {"spec": taints}, if_unchanged=True)


def _taint(raw: Object) -> Taint:
    return str(raw.get("key")), str(raw.get("effect"))
