"""Priority: from the name of a class to the number that scheduling goes by.

Where several classes claim to be the default, which the API prevents but an older state may hold,
the lowest value wins. A pod keeps what was resolved when it was created, whatever becomes of its
class.
"""

from collections.abc import Iterable
from typing import Any, ClassVar

from podium.api.kinds.builtin_kinds import KINDS, POD_GROUP, Kind
from podium.api.objects import Object, name, spec_of
from podium.api.priority import PREEMPT_LOWER_PRIORITY, SYSTEM_PRIORITY_CLASSES, class_value
from podium.apiserver.admission.plugin import DELETE, WRITE, AdmissionOptions, Derived, Plugin, View
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.refusals import forbidden

_POD = KINDS["Pod"]
_PRIORITY_CLASS = KINDS["PriorityClass"]
_KEPT = ("priority", "preemptionPolicy")


class Priority(Plugin):
    """Resolves the priority of new pods and PodGroups, and keeps an eye on classes."""

    handles: ClassVar = {"Pod": WRITE, POD_GROUP.key: WRITE, "PriorityClass": WRITE | DELETE}

    def __init__(self, view: View, options: AdmissionOptions) -> None:
        super().__init__(view, options)
        self._classes = Derived(view, "PriorityClass", PriorityClasses)

    def admit(self, request: Attributes, obj: Object) -> Object:
        if request.kind is _PRIORITY_CLASS:
            return obj
        if request.operation is Operation.UPDATE:
            # What was resolved at its creation is kept where an update leaves it out.
            spec, before = spec_of(obj), spec_of(request.old or {})
            missing = {
                field: before[field]
                for field in _KEPT
                if spec.get(field) is None and before.get(field) is not None
            }
            return {**obj, "spec": {**spec, **missing}} if missing else obj
        if request.kind.key == POD_GROUP.key:
            return self._classes().resolve_group(obj, request.called(obj))
        return self._classes().resolve(obj, request.called(obj))

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
    """The stored PriorityClasses and the two of the system, and the default one among them."""

    def __init__(self, classes: Iterable[Object]) -> None:
        self._classes = {one: system_class(one) for one in SYSTEM_PRIORITY_CLASSES}
        self._classes.update((name(one), one) for one in classes)
        defaults = [one for one in self._classes.values() if one.get("globalDefault")]
        # Equal values are told apart by name, so that the order of reading plays no part.
        self._default = min(defaults, key=lambda one: (class_value(one), name(one)), default=None)
        self._resolved = {called: _resolved(one) for called, one in self._classes.items()}
        self._resolved_default = _resolved(self._default)

    def resolve(self, pod: Object, pod_name: str = "") -> Object:
        """The new pod with its class, priority and preemption policy.

        Raises:
            RefusedError: its class is unknown, or has another number or policy than it states.
        """
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
        """The PodGroup with its class and priority; raises as `resolve` does."""
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

    def _of(self, spec: Object, kind: Kind, called: str) -> dict[str, Any]:
        class_name = spec.get("priorityClassName")
        resolved = self._resolved.get(class_name) if class_name else self._resolved_default
        if resolved is None:
            why = f"no PriorityClass with name {class_name} was found"
            raise forbidden(kind, called, why)
        return resolved

    def check(self, priority_class: Object) -> None:
        """Refuse a second default class."""
        new, default = name(priority_class), self._default
        if priority_class.get("globalDefault") and default and name(default) != new:
            why = (
                f"PriorityClass {name(default)} is already marked as default. "
                "Only one default can exist"
            )
            raise forbidden(_PRIORITY_CLASS, new, why)


def system_class(class_name: str) -> Object:
    """One of the two classes that the system itself brings."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": class_name},
        "value": SYSTEM_PRIORITY_CLASSES[class_name],
        "preemptionPolicy": PREEMPT_LOWER_PRIORITY,
    }


def _resolved(chosen: Object | None) -> dict[str, Any]:
    if chosen is None:
        return {"priority": 0, "preemptionPolicy": PREEMPT_LOWER_PRIORITY}
    return {
        "priorityClassName": name(chosen),
        "priority": class_value(chosen),
        "preemptionPolicy": chosen.get("preemptionPolicy") or PREEMPT_LOWER_PRIORITY,
    }
