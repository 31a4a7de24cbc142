"""A scenario: the objects of a cluster, and the pods to decide one after another.

Objects are taken as they stand, unless the scenario asks for the API server's defaulting. What is
filled in always: the namespace, the uid, and the priority of a pod's class.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator
from pydantic.alias_generators import to_camel, to_snake

from podium.api.documents.document import Document, Tuple, refuse
from podium.api.errors import OMITTED, FieldError, InvalidValueError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.kinds.snapshot_kinds import DECISIVE_KINDS
from podium.api.objects import DEFAULT_NAMESPACE, Object, entries, metadata_of, spec_of
from podium.api.pods import DEFAULT_SCHEDULER_NAME
from podium.api.priority import class_value
from podium.apiserver.decoding.type_checker import DecodingError
from podium.apiserver.decoding.typed import typed
from podium.apiserver.kinds.registration.registrations import apply_defaults
from podium.scheduler.config.args import API_VERSION
from podium.scheduler.config.document import KIND, KubeSchedulerConfiguration
from podium.scheduler.config.load import load_configuration
from podium.scheduler.plugin_registry import plugin_factories


def type_faults(kind: str, obj: Object) -> list[FieldError]:
    """The first field of an object that is of another type than Kubernetes has it, if any is."""
    try:
        typed(KINDS[kind], obj)
    except DecodingError as error:
        why = str(error).removeprefix(f"{error.field}: ")
        return [FieldError(error.field, OMITTED, why)]
    return []


def _pod(obj: dict[str, Any]) -> dict[str, Any]:
    refuse(type_faults("Pod", obj))
    return obj


Pod = Annotated[dict[str, Any], AfterValidator(_pod)]
Pods = Tuple[Pod]


Objects = Tuple[dict[str, Any]]
# Fields of a scenario, with the kind of the objects in each.
DECIDED = {"nodes": "Node", "pods": "Pod", "pdbs": "PodDisruptionBudget", "pending": "Pod"}
_KINDS = {
    spelling: kind.name
    for kind in DECISIVE_KINDS.values()
    for spelling in (kind.plural, *(f"{short}s" for short in kind.short_names))
}
_SYSTEM_CLASSES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


@dataclass(frozen=True, slots=True)
class Scenario:
    """One line of input, read.

    Attributes:
        sequence: whether each decision changes the state for the next.
    """

    id: str
    nodes: tuple[Object, ...] = ()
    pods: tuple[Object, ...] = ()
    budgets: tuple[Object, ...] = ()
    others: tuple[Object, ...] = ()
    pending: tuple[Object, ...] = ()
    sequence: bool = False
    configuration: KubeSchedulerConfiguration | None = None
    scheduler_name: str = DEFAULT_SCHEDULER_NAME


class ScenarioDocument(Document):
    """A scenario as it is written; its objects are taken as they stand.

    Attributes:
        id: given back with the answer.
        defaults: whether the API server's defaults are filled in.
        sequence: whether each decision changes the state for the next.
        profile: a KubeSchedulerConfiguration; v1.36's default one if there is none.
        plugin_config: added to that of its first profile.
        pods: that are there already, bound or with a nomination.
        pdbs: disruption budgets.
        pending: the pods to decide, in order.
    """

    id: Any = ""
    defaults: bool = False
    sequence: bool = False
    profile: dict[str, Any] | None = None
    plugin_config: Tuple[Any] = ()
    nodes: Objects = ()
    pods: Objects = ()
    pdbs: Objects = ()
    pending: Objects
    namespaces: Objects = ()
    services: Objects = ()
    replication_controllers: Objects = ()
    replica_sets: Objects = ()
    stateful_sets: Objects = ()
    pvcs: Objects = ()
    pvs: Objects = ()
    storage_classes: Objects = ()
    csi_nodes: Objects = ()
    csi_drivers: Objects = ()
    csi_storage_capacities: Objects = ()
    priority_classes: Objects = ()

    def of(self, name: str) -> tuple[Object, ...]:
        found: tuple[Object, ...] = getattr(self, to_snake(name))
        return found

    def type_faults(self) -> Iterator[FieldError]:
        """Fields of objects that are of other types than Kubernetes has them."""
        for name, kind in {**DECIDED, **OTHERS}.items():
            for index, obj in enumerate(self.of(name)):
                for one in type_faults(kind, obj):
                    yield one.under(f"{name}[{index}]")


# The other fields are called as their kinds are.
OTHERS = {
    to_camel(field): _KINDS[called]
    for field in ScenarioDocument.model_fields
    if (called := field.replace("_", "")) in _KINDS and field not in DECIDED
}


def scenario_of(document: ScenarioDocument) -> Scenario:
    """The scenario that a document describes.

    Raises:
        InvalidDocumentError: its profile isn't valid.
        InvalidValueError: a pod names a class that isn't there.
    """
    named = {c["metadata"]["name"]: class_value(c) for c in document.priority_classes}
    priorities = _SYSTEM_CLASSES | named
    configuration = _configuration(document)

    def filled(name: str, kind: str) -> tuple[Object, ...]:
        objects = document.of(name)
        return tuple(_filled(obj, kind, document.defaults, priorities) for obj in objects)

    return Scenario(
        id=str(document.id),
        nodes=filled("nodes", "Node"),
        pods=filled("pods", "Pod"),
        budgets=filled("pdbs", "PodDisruptionBudget"),
        others=tuple(obj for name, kind in OTHERS.items() for obj in filled(name, kind)),
        pending=filled("pending", "Pod"),
        sequence=document.sequence,
        configuration=configuration,
        scheduler_name=_scheduler_name(configuration),
    )


def _configuration(document: ScenarioDocument) -> KubeSchedulerConfiguration | None:
    profile, added = document.profile, document.plugin_config
    if not profile and not added:
        return None
    configuration: dict[str, Any] = {"apiVersion": API_VERSION, "kind": KIND, **(profile or {})}
    if added:
        first, *rest = configuration.get("profiles") or [{}]
        merged = {**first, "pluginConfig": [*entries(first, "pluginConfig"), *added]}
        configuration["profiles"] = [merged, *rest]
    return load_configuration([configuration], plugin_factories().keys()).configuration


def _scheduler_name(configuration: KubeSchedulerConfiguration | None) -> str:
    return configuration.profiles[0].name if configuration else DEFAULT_SCHEDULER_NAME


def _filled(obj: Object, kind: str, defaults: bool, priorities: Mapping[str, int]) -> Object:
    metadata = dict(metadata_of(obj))
    if KINDS[kind].namespaced:
        metadata.setdefault("namespace", DEFAULT_NAMESPACE)
    filled: Object = {**obj, "kind": kind, "metadata": metadata}
    if kind != "Pod":
        return apply_defaults(filled, kind) if defaults else filled
    metadata.setdefault("uid", f"{metadata['namespace']}/{metadata.get('name', '')}")
    spec = spec_of(obj)
    class_name = spec.get("priorityClassName")
    if class_name and spec.get("priority") is None:
        if class_name not in priorities:
            message = f"no PriorityClass with name {class_name} was found"
            raise InvalidValueError(FieldError("spec.priorityClassName", class_name, message))
        filled = {**filled, "spec": {**spec, "priority": priorities[class_name]}}
    return apply_defaults(filled, kind) if defaults else filled
