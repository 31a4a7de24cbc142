"""The kinds that decisions depend on; manifests may hold others, which are passed over."""

from collections.abc import Callable, Mapping
from typing import Any

from podium.api.kinds import KINDS, Kind, kind_of

KindOf = Callable[[Mapping[str, Any]], Kind | None]
"""Tells the kind of a raw object; None if it is of no use."""

_NAMES = (
    "Pod",
    "Node",
    "Namespace",
    "Service",
    "ReplicationController",
    "PersistentVolumeClaim",
    "PersistentVolume",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "PodDisruptionBudget",
    "PriorityClass",
    "StorageClass",
    "CSINode",
    "CSIDriver",
    "CSIStorageCapacity",
    "RuntimeClass",
    "LimitRange",
    "ResourceQuota",
    "ControllerRevision",
)

DECISIVE_KINDS: Mapping[str, Kind] = {name: KINDS[name] for name in _NAMES}
"""These kinds by name."""


def decisive_kind_of(obj: Mapping[str, Any]) -> Kind | None:
    """The kind of a raw object by its API group and `kind`, if decisions depend on it."""
    kind = kind_of(obj)
    return kind if kind is not None and kind.name in DECISIVE_KINDS else None
