"""A scenario of `podium decide`: the objects of a cluster, and the pods to decide, in order.

Objects are used as given, without the API server's defaults unless `defaults` is set. Only
namespace, uid, and the priority of a pod's PriorityClass are always filled in.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator
from pydantic.alias_generators import to_camel, to_snake

from podium.api.documents.document import Document, Tuple, refuse
from podium.api.errors import OMITTED, FieldError, InvalidValueError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.kinds.snapshot_kinds import DECISIVE_KINDS
from podium.api.objects import DEFAULT_NAMESPACE, Object, entries, metadata_of, spec_of
from podium.api.priority import SYSTEM_PRIORITY_CLASSES, class_value
from podium.apiserver.decoding.type_checker import DecodingError
from podium.apiserver.decoding.typed import typed
from podium.apiserver.kinds.registration.registrations import apply_defaults
from podium.scheduler.config.args import API_VERSION
from podium.scheduler.config.document import KIND, KubeSchedulerConfiguration
from podium.scheduler.config.load import load_configuration
from podium.scheduler.plugin_registry import plugin_factories


def _type_faults(kind: str, obj: Object) -> list[FieldError]:
    """Return the first field of an object whose type isn't that of Kubernetes' API, if any."""
    try:
        typed(KINDS[kind], obj)
    except DecodingError as error:
        why = str(error).removeprefix(f"{error.field}: ")
        return [FieldError(error.field, OMITTED, why)]
    return []


def _pod(obj: dict[str, Any]) -> dict[str, Any]:
    refuse(_type_faults("Pod", obj))
    return obj


Pod = Annotated[dict[str, Any], AfterValidator(_pod)]
Pods = Tuple[Pod]
Objects = Tuple[dict[str, Any]]

DECIDED = {"nodes": "Node", "pods": "Pod", "pdbs": "PodDisruptionBudget", "pending": "Pod"}
"""Fields of a scenario that have a meaning of their own, with the kinds of their objects."""


class DecisionScenario(Document):
    """The objects of a cluster, and the pods to decide."""

    id: Any = ""
    """Identifier, returned with the result."""
    defaults: bool = False
    """Whether to fill in the API server's defaults."""
    sequence: bool = False
    """Whether each decision changes the state for the next."""
    profile: dict[str, Any] | None = None
    """KubeSchedulerConfiguration; v1.36's default unless given."""
    plugin_config: Tuple[Any] = ()
    """Plugin arguments to add to those of the first profile."""
    nodes: Objects = ()
    pods: Objects = ()
    """Existing pods, bound or nominated."""
    pdbs: Objects = ()
    """PodDisruptionBudgets."""
    pending: Objects
    """The pods to decide, in order."""
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
    device_classes: Objects = ()
    resource_slices: Objects = ()
    resource_claims: Objects = ()

    def of(self, field: str) -> tuple[Object, ...]:
        """Return the objects of a field, by its JSON name."""
        objects: tuple[Object, ...] = getattr(self, to_snake(field))
        return objects

    @property
    def others(self) -> list[Object]:
        """The objects besides nodes, pods and budgets."""
        return [obj for field in OTHERS for obj in self.of(field)]

    def type_faults(self) -> Iterator[FieldError]:
        """Iterate over the fields of objects whose types aren't those of Kubernetes' API."""
        for field, kind in {**DECIDED, **OTHERS}.items():
            for index, obj in enumerate(self.of(field)):
                for error in _type_faults(kind, obj):
                    yield error.under(f"{field}[{index}]")

    def filled(self) -> Self:
        """Fill in omitted fields of objects; raises InvalidValueError without a PriorityClass."""
        classes = {c["metadata"]["name"]: class_value(c) for c in self.priority_classes}
        priorities = {**SYSTEM_PRIORITY_CLASSES, **classes}
        objects = {
            to_snake(field): tuple(self._filled(obj, kind, priorities) for obj in self.of(field))
            for field, kind in {**DECIDED, **OTHERS}.items()
        }
        return self.model_copy(update=objects)

    def _filled(self, obj: Object, kind: str, priorities: Mapping[str, int]) -> Object:
        metadata = dict(metadata_of(obj))
        if KINDS[kind].namespaced:
            metadata.setdefault("namespace", DEFAULT_NAMESPACE)
        filled: Object = {**obj, "kind": kind, "metadata": metadata}
        if kind == "Pod":
            metadata.setdefault("uid", f"{metadata['namespace']}/{metadata.get('name', '')}")
            spec = spec_of(obj)
            class_name = spec.get("priorityClassName")
            if class_name and spec.get("priority") is None:
                if class_name not in priorities:
                    message = f"no PriorityClass with name {class_name} was found"
                    raise InvalidValueError(
                        FieldError("spec.priorityClassName", class_name, message)
                    )
                filled = {**filled, "spec": {**spec, "priority": priorities[class_name]}}
        return apply_defaults(filled, kind) if self.defaults else filled

    def configuration(self) -> KubeSchedulerConfiguration | None:
        """Return the configuration, None for the default; raises InvalidDocumentError."""
        if not self.profile and not self.plugin_config:
            return None
        configuration = {"apiVersion": API_VERSION, "kind": KIND, **(self.profile or {})}
        if self.plugin_config:
            first, *rest = configuration.get("profiles") or [{}]
            merged = [*entries(first, "pluginConfig"), *self.plugin_config]
            configuration["profiles"] = [{**first, "pluginConfig": merged}, *rest]
        return load_configuration([configuration], plugin_factories().keys()).configuration


_KINDS = {
    spelling: kind.name
    for kind in DECISIVE_KINDS.values()
    for spelling in (kind.plural, *(f"{short}s" for short in kind.short_names))
}
OTHERS = {
    to_camel(field): _KINDS[spelling]
    for field in DecisionScenario.model_fields
    if (spelling := field.replace("_", "")) in _KINDS and field not in DECIDED
}
"""The other fields of a scenario with objects, which are named after their kinds."""
