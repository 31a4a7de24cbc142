"""The kinds that affect decisions ("decisive"), and the identities of their objects."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from podium.api.kinds.builtin_kinds import (
    ALL_KINDS,
    KINDS,
    OPTIONAL_KINDS,
    POD_GROUP,
    POD_GROUP_OF_PLUGINS,
    Kind,
    kind_of,
    optional_kind_of,
)
from podium.api.objects import Object, name, namespace

KindOf = Callable[[Mapping[str, Any]], Kind | None]
"""Returns the kind of an object; None if the caller ignores such objects."""

Identity = tuple[str, str, str]
"""Key of the kind, namespace (empty for cluster-scoped objects) and name."""

_NAMES = (
    *("Node", "Pod", "Namespace", "PriorityClass", "RuntimeClass", "PodDisruptionBudget"),
    *("Service", "ReplicationController", "ReplicaSet", "StatefulSet", "Deployment", "DaemonSet"),
    *("Job", "ControllerRevision", "LimitRange", "ResourceQuota"),
    *("PersistentVolumeClaim", "PersistentVolume", "StorageClass", "CSINode", "CSIDriver"),
    *("CSIStorageCapacity", "VolumeAttachment"),
    *("DeviceClass", "ResourceSlice", "ResourceClaim", "ResourceClaimTemplate"),
    # The last of one name is what it means without its group.
    *(POD_GROUP_OF_PLUGINS.key, POD_GROUP.key),
)
# No decision depends on these, but they show what more may come.
_SHOWN = ("HorizontalPodAutoscaler", "CronJob")

DECISIVE_KINDS: Mapping[str, Kind] = {key: ALL_KINDS[key] for key in _NAMES}
SNAPSHOT_KINDS = tuple(key for key in ALL_KINDS if key in _NAMES or key in _SHOWN)

# kubectl fails where it is asked for a kind that the server doesn't have.
_EXPORTED = ",".join(kind.plural for key, kind in DECISIVE_KINDS.items() if key in KINDS)
EXPORT_COMMAND = f"kubectl get {_EXPORTED} -A -o json"
"""The command that exports a cluster state with all kinds that affect decisions."""


def decisive_kind_of(obj: Mapping[str, Any]) -> Kind | None:
    """Return the kind of an object by API group and `kind`; None if it doesn't affect decisions."""
    return _decisive_kind(str(obj.get("kind", "")), str(obj.get("apiVersion", "")))


@lru_cache(maxsize=512)
def _decisive_kind(kind_name: str, api_version: str) -> Kind | None:
    header = {"kind": kind_name, "apiVersion": api_version}
    kind = kind_of(header) or optional_kind_of(header)
    return kind if kind is not None and kind.key in DECISIVE_KINDS else None


def identity(obj: Object) -> Identity:
    """Return the unique identity of an object; raises ValueError if its kind isn't decisive."""
    kind = decisive_kind_of(obj)
    if kind is None:
        raise ValueError(f"decisions don't depend on objects of the kind {obj.get('kind')}")
    return _identity(kind, obj)


def decisive(objects: Iterable[Object]) -> dict[Identity, Object]:
    """Return the objects of decisive kinds by identity; of duplicates, the last one counts."""
    kinds = ((decisive_kind_of(obj), obj) for obj in objects)
    return {_identity(kind, obj): obj for kind, obj in kinds if kind is not None}


def label(object_identity: Identity) -> str:
    """Format an identity as `Kind namespace/name`, or `Kind name`."""
    kind, namespace_name, obj_name = object_identity
    kind = OPTIONAL_KINDS[kind].name if kind in OPTIONAL_KINDS else kind
    return f"{kind} {namespace_name}/{obj_name}" if namespace_name else f"{kind} {obj_name}"


def _identity(kind: Kind, obj: Object) -> Identity:
    return kind.key, namespace(obj) if kind.namespaced else "", name(obj)
