"""A pod's quality of service class, as computed by v1.36.

Only cpu and memory above zero count. They are taken from the pod-level resources if the pod has
that field, otherwise from all containers and init containers.
"""

from collections.abc import Mapping
from typing import Any, Literal

from podium.api.objects import spec_of, status_of
from podium.api.pods import all_containers_of, resources_of
from podium.api.values.quantity import nanos

QOSClass = Literal["Guaranteed", "Burstable", "BestEffort"]

_COMPUTE = ("cpu", "memory")


def qos_class(pod: Mapping[str, Any]) -> QOSClass:
    """Compute the QoS class of a pod from its spec; raises QuantityError."""
    requests: dict[str, int] = {}
    limits: dict[str, int] = {}
    all_limited = True
    spec = spec_of(pod)
    pod_level = spec.get("resources")
    stated = map(resources_of, all_containers_of(spec)) if pod_level is None else [pod_level]
    for resources in stated:
        _add_positive(requests, resources.get("requests"))
        all_limited &= _add_positive(limits, resources.get("limits")) == len(_COMPUTE)
    if not requests and not limits:
        return "BestEffort"
    return "Guaranteed" if all_limited and requests == limits else "Burstable"


def stored_or_computed_qos(pod: Mapping[str, Any]) -> QOSClass:
    """Return the QoS class in the pod's status, which never changes; if absent, compute it."""
    return status_of(pod).get("qosClass") or qos_class(pod)


def _add_positive(total: dict[str, int], amounts: Mapping[str, Any] | None) -> int:
    # Adds cpu and memory above zero to the total, in nanos, and returns how many there were.
    positive = {
        name: amount
        for name in _COMPUTE
        if amounts and name in amounts and (amount := nanos(amounts[name])) > 0
    }
    for name, amount in positive.items():
        total[name] = total.get(name, 0) + amount
    return len(positive)
