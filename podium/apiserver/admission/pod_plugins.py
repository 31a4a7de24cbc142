"""The admission plugins that complete pods, with the rules of v1.36.

A pod keeps the priority that its PriorityClass had at its creation, even if the class changes.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from podium.api.kinds.builtin_kinds import KINDS, POD_GROUP, Kind
from podium.api.nodes import NO_EXECUTE
from podium.api.objects import Object, annotations, labels, metadata_of, name, part, spec_of
from podium.api.pods import node_name_of, tolerations_of
from podium.api.priority import (
    MIRROR_ANNOTATION,
    PREEMPT_LOWER_PRIORITY,
    SYSTEM_PRIORITY_CLASSES,
    class_value,
)
from podium.api.values.quantity import nanos
from podium.api.well_known import REGION_LABEL, ZONE_LABEL
from podium.apiserver.admission.plugin import CREATE, DELETE, WRITE, AdmissionPlugin, Derived
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.refusals import forbidden

_POD = KINDS["Pod"]
DEFAULT_ACCOUNT = "default"


class ServiceAccount(AdmissionPlugin):
    """Sets the service account of new pods, and the image pull secrets of that account.

    Unlike in v1.36, no token is mounted, as few pods here run processes. The account `default`
    needn't exist yet, so that no pod is refused before the controller has created the account. The
    plugin is on in clusters with several users, such as those of `podium up`.
    """

    handles: ClassVar = {"Pod": CREATE}
    on_by_default = False

    def admit(self, request: Attributes, obj: Object) -> Object:
        spec = spec_of(obj)
        named = spec.get("serviceAccountName") or spec.get("serviceAccount")
        if MIRROR_ANNOTATION in annotations(obj):
            if named:
                why = "a mirror pod may not reference service accounts"
                raise forbidden(_POD, request.shown_name(obj), why)
            return obj
        named = named or DEFAULT_ACCOUNT
        given: dict[str, Any] = {"serviceAccountName": named, "serviceAccount": named}
        account = self.store.get("ServiceAccount", request.namespace, named)
        if account is None and named != DEFAULT_ACCOUNT:
            where = f"{request.namespace}/{named}"
            why = f'error looking up service account {where}: serviceaccount "{named}" not found'
            raise forbidden(_POD, request.shown_name(obj), why)
        secrets = (account or {}).get("imagePullSecrets")
        if secrets and not spec.get("imagePullSecrets"):
            given["imagePullSecrets"] = secrets
        return {**obj, "spec": {**spec, **given}}


Toleration = Mapping[str, Any]

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"

DEFAULT_SECONDS = 300


class DefaultTolerationSeconds(AdmissionPlugin):
    """Adds default tolerations of not-ready and unreachable nodes to pods that don't have them."""

    handles: ClassVar = {"Pod": WRITE}

    def admit(self, request: Attributes, obj: Object) -> Object:
        not_ready_s = self.options.not_ready_toleration_s
        unreachable_s = self.options.unreachable_toleration_s
        return add_default_tolerations(obj, not_ready_s=not_ready_s, unreachable_s=unreachable_s)


def add_default_tolerations(
    pod: Object, *, not_ready_s: int = DEFAULT_SECONDS, unreachable_s: int = DEFAULT_SECONDS
) -> Object:
    """Return a pod with the default tolerations; the pod itself if it has them."""
    spec = spec_of(pod)
    old: Sequence[Toleration] = tolerations_of(spec)
    new = [
        {"key": key, "operator": "Exists", "effect": NO_EXECUTE, "tolerationSeconds": seconds}
        for key, seconds in ((NOT_READY, not_ready_s), (UNREACHABLE, unreachable_s))
        # Any toleration of the taint with NoExecute counts, whatever else it requires.
        if not any(
            (toleration.get("key") or key) == key
            and (toleration.get("effect") or NO_EXECUTE) == NO_EXECUTE
            for toleration in old
        )
    ]
    return {**pod, "spec": {**spec, "tolerations": [*old, *new]}} if new else pod


class PodTopologyLabels(AdmissionPlugin):
    """Copies the zone and region labels of a node to pods created on it and to bindings."""

    handles: ClassVar = {"Pod": CREATE, "Pod/binding": CREATE}

    def admit(self, request: Attributes, obj: Object) -> Object:
        node_name, target = node_name_of(obj), part(obj, "target")
        if request.subresource:
            node_name = target.get("name") or "" if target.get("kind") == "Node" else ""
        node = self.store.get("Node", "", node_name) if node_name else None
        carried = labels(node or {})
        topology = {one: carried[one] for one in (ZONE_LABEL, REGION_LABEL) if one in carried}
        if not topology:
            return obj
        metadata = metadata_of(obj)
        return {**obj, "metadata": {**metadata, "labels": {**topology, **part(metadata, "labels")}}}


class RuntimeClass(AdmissionPlugin):
    """Adds overhead, node selector and tolerations of the RuntimeClass to a new pod."""

    handles: ClassVar = {"Pod": CREATE}

    def admit(self, request: Attributes, obj: Object) -> Object:
        spec, pod_name = spec_of(obj), request.shown_name(obj)
        class_name, own = spec.get("runtimeClassName"), spec.get("overhead")
        if not class_name and not own:
            return obj
        chosen = self.store.get("RuntimeClass", "", class_name) if class_name else {}
        if chosen is None:
            why = f'pod rejected: RuntimeClass "{class_name}" not found'
            raise forbidden(_POD, pod_name, why)
        overhead = part(chosen, "overhead").get("podFixed")
        scheduling = chosen.get("scheduling") or {}
        if own is not None:
            if overhead is None:
                why = "Pod Overhead set without corresponding RuntimeClass defined Overhead"
                raise forbidden(_POD, pod_name, f"pod rejected: {why}")
            stated, fixed = (
                {name: nanos(amount) for name, amount in each.items()} for each in (own, overhead)
            )
            if stated != fixed:
                why = "Pod's Overhead doesn't match RuntimeClass's defined Overhead"
                raise forbidden(_POD, pod_name, f"pod rejected: {why}")
        additions: dict[str, Any] = {}
        if overhead is not None:
            additions["overhead"] = dict(overhead)
        if selector := scheduling.get("nodeSelector"):
            demanded = part(spec, "nodeSelector")
            for key, value in sorted(selector.items()):
                if demanded.get(key, value) != value:
                    why = (
                        f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                        f"pod.spec.nodeSelector[{key}] = {demanded[key]}"
                    )
                    raise forbidden(_POD, pod_name, why)
            additions["nodeSelector"] = {**demanded, **selector}
        if tolerations := scheduling.get("tolerations"):
            additions["tolerations"] = merge_tolerations(tolerations_of(spec), tolerations)
        return {**obj, "spec": {**spec, **additions}} if additions else obj


def merge_tolerations(
    first: Iterable[Toleration], second: Iterable[Toleration]
) -> list[Toleration]:
    """Concatenate two lists of tolerations, omitting those that another toleration covers."""
    candidates = [*first, *second]
    merged: list[Toleration] = []
    for index, toleration in enumerate(candidates):
        redundant = any(_includes(other, toleration) for other in merged) or any(
            other != toleration and _includes(other, toleration)
            for other in candidates[index + 1 :]
        )
        if not redundant:
            merged.append(toleration)
    return merged


def _includes(wider: Toleration, narrower: Toleration) -> bool:
    """Return whether a toleration tolerates everything that another one does, and as long."""
    if wider == narrower:
        return True
    wider_exists = wider.get("operator") == "Exists"
    matches_any_key = wider_exists and not wider.get("key")
    if not matches_any_key and _text(wider, "key") != _text(narrower, "key"):
        return False
    if wider.get("effect") and wider["effect"] != narrower.get("effect"):
        return False
    seconds, needed = wider.get("tolerationSeconds"), narrower.get("tolerationSeconds")
    is_limited = wider.get("effect") == NO_EXECUTE and seconds is not None
    if is_limited and (needed is None or needed > seconds):
        return False
    if wider_exists:
        return True
    same_value = _text(wider, "value") == _text(narrower, "value")
    return (wider.get("operator") or "Equal") == narrower.get("operator") == "Equal" and same_value


def _text(toleration: Toleration, field: str) -> str:
    return str(toleration.get(field) or "")


_PRIORITY_CLASS = KINDS["PriorityClass"]
_KEPT = ("priority", "preemptionPolicy")


class Priority(AdmissionPlugin):
    """Resolves the priority of new pods and PodGroups, and protects PriorityClasses."""

    handles: ClassVar = {"Pod": WRITE, POD_GROUP.key: WRITE, "PriorityClass": WRITE | DELETE}

    @cached_property
    def _classes(self) -> "Derived[PriorityClasses]":
        return Derived(self.store, "PriorityClass", PriorityClasses)

    def admit(self, request: Attributes, obj: Object) -> Object:
        if request.kind is _PRIORITY_CLASS:
            return obj
        if request.operation is Operation.UPDATE:
            # An update that omits the values resolved at creation keeps them.
            spec, before = spec_of(obj), spec_of(request.old or {})
            missing = {
                field: before[field]
                for field in _KEPT
                if spec.get(field) is None and before.get(field) is not None
            }
            return {**obj, "spec": {**spec, **missing}} if missing else obj
        classes, obj_name = self._classes(), request.shown_name(obj)
        if request.kind.key == POD_GROUP.key:
            return classes.resolve_group(obj, obj_name)
        return classes.resolve(obj, obj_name)

    def validate(self, request: Attributes, obj: Object) -> None:
        if request.kind is not _PRIORITY_CLASS:
            return
        if request.operation is Operation.DELETE:
            if request.name in SYSTEM_PRIORITY_CLASSES:
                why = "this is a system priority class and cannot be deleted"
                raise forbidden(_PRIORITY_CLASS, request.name, why)
        else:
            self._classes().check(obj)


class PriorityClasses:
    """All PriorityClasses, stored and built-in, and the default class."""

    def __init__(self, classes: Iterable[Object]) -> None:
        by_name: dict[str, Object] = {
            class_name: {"metadata": {"name": class_name}, "value": value}
            for class_name, value in SYSTEM_PRIORITY_CLASSES.items()
        }
        by_name.update((name(priority_class), priority_class) for priority_class in classes)
        defaults = [stored for stored in by_name.values() if stored.get("globalDefault")]
        # The API prevents several defaults, but an older state may hold them. Ties of the lowest
        # value break by name, so that the order of reading plays no part.
        self._default = min(
            defaults, key=lambda default: (class_value(default), name(default)), default=None
        )
        self._resolved = {class_name: _resolved(stored) for class_name, stored in by_name.items()}
        self._resolved_default = _resolved(self._default)

    def resolve(self, pod: Object, pod_name: str = "") -> Object:
        """Return a new pod with class, priority and preemption policy; raises RefusedError."""
        spec = spec_of(pod)
        resolved = self._of(spec, _POD, pod_name or name(pod))
        for field, what in (
            ("priority", "the integer value of priority"),
            ("preemptionPolicy", "the string value of PreemptionPolicy"),
        ):
            stated, computed = spec.get(field), resolved[field]
            if stated is not None and stated != computed:
                why = (
                    f"{what} ({stated}) must not be provided in pod spec; priority admission "
                    f"controller computed {computed} from the given PriorityClass name"
                )
                raise forbidden(_POD, pod_name or name(pod), why)
        if all(spec.get(field) == value for field, value in resolved.items()):
            return pod
        return {**pod, "spec": {**spec, **resolved}}

    def resolve_group(self, group: Object, group_name: str = "") -> Object:
        """Return a PodGroup with PriorityClass and priority set; raises the errors of `resolve`."""
        spec = spec_of(group)
        resolved = {**self._of(spec, POD_GROUP, group_name or name(group))}
        del resolved["preemptionPolicy"]
        given, computed = spec.get("priority"), resolved["priority"]
        if given not in (None, computed):
            why = (
                f"priority set in the pod group ({given}) must match the priority computed "
                f"({computed}) based on the priority class set in the spec"
            )
            raise forbidden(POD_GROUP, group_name or name(group), why)
        return {**group, "spec": {**spec, **resolved}}

    def _of(self, spec: Object, kind: Kind, obj_name: str) -> dict[str, Any]:
        class_name = spec.get("priorityClassName")
        resolved = self._resolved.get(class_name) if class_name else self._resolved_default
        if resolved is None:
            raise forbidden(kind, obj_name, f"no PriorityClass with name {class_name} was found")
        return resolved

    def check(self, priority_class: Object) -> None:
        """Raise RefusedError if a PriorityClass would be a second default class."""
        new, default = name(priority_class), self._default
        if priority_class.get("globalDefault") and default and name(default) != new:
            why = (
                f"PriorityClass {name(default)} is already marked as default. "
                "Only one default can exist"
            )
            raise forbidden(_PRIORITY_CLASS, new, why)


def _resolved(chosen: Object | None) -> dict[str, Any]:
    if chosen is None:
        return {"priority": 0, "preemptionPolicy": PREEMPT_LOWER_PRIORITY}
    return {
        "priorityClassName": name(chosen),
        "priority": class_value(chosen),
        "preemptionPolicy": chosen.get("preemptionPolicy") or PREEMPT_LOWER_PRIORITY,
    }
