"""A scenario: the objects of a cluster, and the pods to decide one after another.

Objects are taken as they stand, unless the scenario asks for the API server's defaulting. What is
filled in always: the namespace, the uid, and the priority of a pod's class.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.api.errors import FieldError, InvalidValueError
from podium.api.objects import DEFAULT_NAMESPACE, Object, metadata_of
from podium.api.pods import DEFAULT_SCHEDULER_NAME
from podium.apiserver.kinds.registry import apply_defaults
from podium.config.args import API_VERSION
from podium.config.load import load_configuration
from podium.config.types import KIND, SchedulerConfiguration
from podium.profile import plugin_factories

# Fields of a scenario, with the kind of the objects in each.
OTHERS = {
    "namespaces": "Namespace",
    "services": "Service",
    "replicationControllers": "ReplicationController",
    "replicaSets": "ReplicaSet",
    "statefulSets": "StatefulSet",
    "pvcs": "PersistentVolumeClaim",
    "pvs": "PersistentVolume",
    "storageClasses": "StorageClass",
    "csiNodes": "CSINode",
    "csiDrivers": "CSIDriver",
    "csiStorageCapacities": "CSIStorageCapacity",
    "priorityClasses": "PriorityClass",
}
_CLUSTER_SCOPED = frozenset(
    {
        "Namespace",
        "Node",
        "PersistentVolume",
        "StorageClass",
        "CSINode",
        "CSIDriver",
        "PriorityClass",
    }
)
_SYSTEM_CLASSES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


@dataclass(frozen=True, slots=True)
class Scenario:
    """One line of input, read.

    Attributes:
        id: given back with the answer.
        nodes: of the cluster.
        pods: that are there already, bound or with a nomination.
        budgets: disruption budgets.
        others: objects of other kinds; each has its kind.
        pending: the pods to decide, in order.
        sequence: whether each decision changes the state for the next.
        configuration: of the scheduler; None for v1.36's default one.
        scheduler_name: the profile to decide by.
    """

    id: str
    nodes: tuple[Object, ...] = ()
    pods: tuple[Object, ...] = ()
    budgets: tuple[Object, ...] = ()
    others: tuple[Object, ...] = ()
    pending: tuple[Object, ...] = ()
    sequence: bool = False
    configuration: SchedulerConfiguration | None = None
    scheduler_name: str = DEFAULT_SCHEDULER_NAME
    priorities: Mapping[str, int] = field(default_factory=dict)


def read_scenario(raw: object) -> Scenario:
    """Read a scenario from JSON that was decoded.

    Raises:
        InvalidValueError: it isn't one.
        InvalidConfigurationError: its profile isn't valid.
    """
    if not isinstance(raw, Mapping):
        raise InvalidValueError(FieldError("", raw, "must be a scenario, a JSON object"))
    defaults = raw.get("defaults") is True
    priorities = _priorities(_listed(raw, "priorityClasses"))
    configuration = _configuration(raw)

    def read(field_name: str, kind: str) -> tuple[Object, ...]:
        return tuple(_filled(obj, kind, defaults, priorities) for obj in _listed(raw, field_name))

    return Scenario(
        id=str(raw.get("id", "")),
        nodes=read("nodes", "Node"),
        pods=read("pods", "Pod"),
        budgets=read("pdbs", "PodDisruptionBudget"),
        others=tuple(obj for name, kind in OTHERS.items() for obj in read(name, kind)),
        pending=read("pending", "Pod"),
        sequence=raw.get("sequence") is True,
        configuration=configuration,
        scheduler_name=_scheduler_name(configuration),
        priorities=priorities,
    )


def _listed(raw: Mapping[str, Any], field_name: str) -> list[Object]:
    listed = raw.get(field_name)
    if listed is None:
        return []
    if not isinstance(listed, list):
        raise InvalidValueError(FieldError(field_name, listed, "must be a list of objects"))
    for index, obj in enumerate(listed):
        if not isinstance(obj, Mapping):
            raise InvalidValueError(FieldError(f"{field_name}[{index}]", obj, "must be an object"))
    return listed


def _priorities(classes: Iterable[Object]) -> dict[str, int]:
    named = {c["metadata"]["name"]: int(c.get("value") or 0) for c in classes}
    return _SYSTEM_CLASSES | named


def _configuration(raw: Mapping[str, Any]) -> SchedulerConfiguration | None:
    profile, added = raw.get("profile"), raw.get("pluginConfig")
    if not profile and not added:
        return None
    document: dict[str, Any] = {"apiVersion": API_VERSION, "kind": KIND, **(profile or {})}
    if added:
        first, *rest = document.get("profiles") or [{}]
        merged = {**first, "pluginConfig": [*(first.get("pluginConfig") or ()), *added]}
        document["profiles"] = [merged, *rest]
    return load_configuration([document], plugin_factories().keys()).configuration


def _scheduler_name(configuration: SchedulerConfiguration | None) -> str:
    return configuration.profiles[0].scheduler_name if configuration else DEFAULT_SCHEDULER_NAME


def _filled(obj: Object, kind: str, defaults: bool, priorities: Mapping[str, int]) -> Object:
    metadata = dict(metadata_of(obj))
    if kind not in _CLUSTER_SCOPED:
        metadata.setdefault("namespace", DEFAULT_NAMESPACE)
    filled: Object = {**obj, "kind": kind, "metadata": metadata}
    if kind != "Pod":
        return apply_defaults(filled, kind) if defaults else filled
    metadata.setdefault("uid", f"{metadata['namespace']}/{metadata.get('name', '')}")
    spec: Object = obj.get("spec") or {}
    class_name = spec.get("priorityClassName")
    if class_name and spec.get("priority") is None:
        if class_name not in priorities:
            message = f"no PriorityClass with name {class_name} was found"
            raise InvalidValueError(FieldError("spec.priorityClassName", class_name, message))
        filled = {**filled, "spec": {**spec, "priority": priorities[class_name]}}
    return apply_defaults(filled, kind) if defaults else filled
