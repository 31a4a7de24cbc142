"""Accessors of the specs of pods and pod templates, and of their containers."""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.objects import Object

_NOTHING: Object = {}


def containers_of(spec: Object) -> Sequence[Object]:
    """Return the pod's containers, without init containers."""
    return spec.get("containers") or []


def init_containers_of(spec: Object) -> Sequence[Object]:
    """Return the pod's init containers, sidecars included."""
    return spec.get("initContainers") or []


def all_containers_of(spec: Object) -> Sequence[Object]:
    """Return the pod's containers, followed by its init containers."""
    return [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]


def volumes_of(spec: Object) -> Sequence[Object]:
    """Return the pod's volumes."""
    return spec.get("volumes") or []


def tolerations_of(spec: Object) -> Sequence[Object]:
    """Return the pod's tolerations."""
    return spec.get("tolerations") or []


def affinity_of(spec: Object) -> Object:
    """Return the pod's affinity."""
    value: Object = spec.get("affinity") or _NOTHING
    return value


def node_affinity_of(spec: Object) -> Object:
    """Return the pod's node affinity."""
    value: Object = (spec.get("affinity") or _NOTHING).get("nodeAffinity") or _NOTHING
    return value


def resources_of(owner: Object) -> Object:
    """Return the `resources` of a container, pod spec or claim spec."""
    value: Object = owner.get("resources") or _NOTHING
    return value


def requests_of(owner: Object) -> Mapping[str, Any]:
    """Return the requests of a container, pod spec or claim spec: quantities by resource name."""
    value: Mapping[str, Any] = (owner.get("resources") or _NOTHING).get("requests") or _NOTHING
    return value


def limits_of(owner: Object) -> Mapping[str, Any]:
    """Return the limits of a container or pod spec: quantities by resource name."""
    value: Mapping[str, Any] = (owner.get("resources") or _NOTHING).get("limits") or _NOTHING
    return value
