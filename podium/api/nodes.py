"""Accessors of nodes: taints, cordons, allocatable resources."""

from collections.abc import Mapping, Sequence

from podium.api.objects import Object, spec_of, status_of

MEMORY_PRESSURE, DISK_PRESSURE, PID_PRESSURE = "MemoryPressure", "DiskPressure", "PIDPressure"

PRESSURES = (MEMORY_PRESSURE, DISK_PRESSURE, PID_PRESSURE)
_NOTHING: Object = {}


def taints_of(node: Object) -> Sequence[Object]:
    """Return the node's taints."""
    return spec_of(node).get("taints") or []


def is_cordoned(node: Object) -> bool:
    """Return whether the node is cordoned (`spec.unschedulable`)."""
    return bool(spec_of(node).get("unschedulable"))


def allocatable_of(node: Object) -> Mapping[str, str]:
    """Return the node's allocatable resources: quantities by resource name."""
    return status_of(node).get("allocatable") or _NOTHING
