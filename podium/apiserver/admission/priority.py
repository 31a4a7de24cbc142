"""Priority: resolves a pod's PriorityClass to the priority that scheduling compares.

A pod keeps the values that were resolved at its creation, even if the class changes later.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Any, ClassVar

from podium.api.kinds.builtin_kinds import KINDS, POD_GROUP, Kind
from podium.api.objects import Object, name, spec_of
from podium.api.priority import PREEMPT_LOWER_PRIORITY, SYSTEM_PRIORITY_CLASSES, class_value
from podium.apiserver.admission.plugin import DELETE, WRITE, AdmissionPlugin, Derived
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.refusals import forbidden

_POD = KINDS["Pod"]
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
