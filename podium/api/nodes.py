"""What is asked of nodes: what they have to give, and whom they keep away."""

from collections.abc import Mapping, Sequence

from podium.api.objects import Object, spec_of, status_of

MEMORY_PRESSURE, DISK_PRESSURE, PID_PRESSURE = "MemoryPressure", "DiskPressure", "PIDPressure"

PRESSURES = (MEMORY_PRESSURE, DISK_PRESSURE, PID_PRESSURE)
"""The conditions by which a kubelet tells what its node lacks."""

_NOTHING: Object = {}


def taints_of(node: Object) -> Sequence[Object]:
    """The node's taints."""
    return spec_of(node).get("taints") or []


def is_cordoned(node: Object) -> bool:
    """Whether the node takes no new pods."""
    return bool(spec_of(node).get("unschedulable"))


def allocatable_of(node: Object) -> Mapping[str, str]:
    """What the node has for pods: quantities by resource name."""
    found: Mapping[str, str] = status_of(node).get("allocatable") or _NOTHING
    return found
