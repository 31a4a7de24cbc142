"""The conditions of a node that its kubelet keeps, with the texts of v1.36."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podium.api.objects import Object, conditions_of
from podium.api.times import timestamp

_SIMULATED = "Simulated"
_HEALTHY = {
    "MemoryPressure": "False",
    "DiskPressure": "False",
    "PIDPressure": "False",
    "Ready": "True",
}
_TEXTS = {
    ("MemoryPressure", "False"): (
        "KubeletHasSufficientMemory",
        "kubelet has sufficient memory available",
    ),
    ("MemoryPressure", "True"): (
        "KubeletHasInsufficientMemory",
        "kubelet has insufficient memory available",
    ),
    ("DiskPressure", "False"): ("KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("DiskPressure", "True"): ("KubeletHasDiskPressure", "kubelet has disk pressure"),
    ("PIDPressure", "False"): ("KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("PIDPressure", "True"): (
        "KubeletHasInsufficientPID",
        "kubelet has insufficient PID available",
    ),
    ("Ready", "True"): ("KubeletReady", "kubelet is posting ready status"),
    ("Ready", "False"): ("KubeletNotReady", "container runtime is down"),
}


def changed_conditions(
    node: Object, unhealthy: Mapping[str, str], now_s: float
) -> Iterator[dict[str, Any]]:
    """The conditions that aren't as they should be, as they should be.

    Args:
        node: the node.
        unhealthy: statuses by type of those that aren't as on a healthy node.
        now_s: the time.
    """
    known: Sequence[Object] = conditions_of(node)
    statuses = {one.get("type") or "": one.get("status") for one in known}
    over = {one.get("type") or "": "False" for one in known if one.get("reason") == _SIMULATED}
    for kind, status in {**over, **_HEALTHY, **unhealthy}.items():
        if statuses.get(kind) == status:
            continue
        reason, message = _TEXTS.get((kind, status), (_SIMULATED, "set by podium.dev/conditions"))
        yield {
            "type": kind,
            "status": status,
            "reason": reason,
            "message": message,
            "lastHeartbeatTime": timestamp(now_s),
            "lastTransitionTime": timestamp(now_s),
        }
