"""What is asked of pod specs, a template's as much as a pod's, and of the containers in them."""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.objects import Object

_NOTHING: Object = {}


def containers_of(spec: Object) -> Sequence[Object]:
    """The containers that make up the pod, init containers aside."""
    return spec.get("containers") or []


def init_containers_of(spec: Object) -> Sequence[Object]:
    """The containers that start before the others, sidecars among them."""
    return spec.get("initContainers") or []


def all_containers_of(spec: Object) -> Sequence[Object]:
    """The containers, and behind them the init containers."""
    return [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]


def volumes_of(spec: Object) -> Sequence[Object]:
    """The volumes that the pod brings or refers to."""
    return spec.get("volumes") or []


def tolerations_of(spec: Object) -> Sequence[Object]:
    """The taints that the pod tolerates."""
    return spec.get("tolerations") or []


def affinity_of(spec: Object) -> Object:
    """What the pod wants to be near or far from."""
    found: Object = spec.get("affinity") or _NOTHING
    return found


def node_affinity_of(spec: Object) -> Object:
    """Which nodes the pod wants or needs, beside its node selector."""
    found: Object = (spec.get("affinity") or _NOTHING).get("nodeAffinity") or _NOTHING
    return found


def resources_of(owner: Object) -> Object:
    """What a container, a pod as a whole, or a claim says of resources."""
    found: Object = owner.get("resources") or _NOTHING
    return found


def requests_of(owner: Object) -> Mapping[str, Any]:
    """What a container, a pod as a whole, or a claim requests: quantities by resource name."""
    found: Mapping[str, Any] = (owner.get("resources") or _NOTHING).get("requests") or _NOTHING
    return found


def limits_of(owner: Object) -> Mapping[str, Any]:
    """What a container, or a pod as a whole, is limited to: quantities by resource name."""
    found: Mapping[str, Any] = (owner.get("resources") or _NOTHING).get("limits") or _NOTHING
    return found
