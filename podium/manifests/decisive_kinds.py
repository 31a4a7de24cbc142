"""The kinds that decisions depend on; manifests may hold others, which are passed over."""

from collections.abc import Callable, Mapping
from typing import Any

from podium.api.kinds import (
    ALL_KINDS,
    POD_GROUP,
    POD_GROUP_OF_PLUGINS,
    Kind,
    kind_of,
    optional_kind_of,
)

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
    # The last of one name is what it means without its group.
    POD_GROUP_OF_PLUGINS.key,
    POD_GROUP.key,
)

DECISIVE_KINDS: Mapping[str, Kind] = {name: ALL_KINDS[name] for name in _NAMES}
"""These kinds by key."""


def decisive_kind_of(obj: Mapping[str, Any]) -> Kind | None:
    """The kind of a raw object by its API group and `kind`, if decisions depend on it."""
    kind = kind_of(obj) or optional_kind_of(obj)
    return kind if kind is not None and kind.key in DECISIVE_KINDS else None
