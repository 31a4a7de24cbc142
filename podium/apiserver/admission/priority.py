"""Priority: from the name of a class to the number that scheduling goes by.

The rules are those of the admission plugin of that name in v1.36. Where several classes claim to
be the default, which the API prevents but an older state may hold, the lowest value wins.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from podium.api.meta import name
from podium.api.priority import (
    PREEMPT_LOWER_PRIORITY,
    SYSTEM_PRIORITY_CLASSES,
)
from podium.apiserver.refusal import Refusal, forbidden

Object = Mapping[str, Any]


class PriorityAdmission:
    """Resolves the priority of new pods.

    Args:
        classes: the PriorityClasses there are; the two of the system are there always.

    Attributes:
        notes: what is odd about the classes, in plain sentences.
    """

    def __init__(self, classes: Iterable[Object]) -> None:
        self._classes = {one: _system_class(one) for one in SYSTEM_PRIORITY_CLASSES}
        self._classes.update((name(one), one) for one in classes)
        defaults = [one for one in self._classes.values() if one.get("globalDefault")]
        # Equal values are told apart by name, so that the order of reading plays no part.
        self._default = min(defaults, key=lambda one: (_value(one), name(one)), default=None)
        self.notes = _notes(defaults, self._default)

    def admit(self, pod: Object) -> Object | Refusal:
        """The pod with its class, priority and preemption policy.

        Refused are pods of unknown classes, and those that state another number or policy than
        their class's.
        """
        spec = pod.get("spec") or {}
        class_name = spec.get("priorityClassName")
        chosen = self._classes.get(class_name) if class_name else self._default
        if class_name and chosen is None:
            return _refuse(pod, f"no PriorityClass with name {class_name} was found")
        resolved = _resolved(chosen)
        if why := _contradiction(spec, resolved):
            return _refuse(pod, why)
        if all(spec.get(field) == value for field, value in resolved.items()):
            return pod
        return {**pod, "spec": {**spec, **resolved}}

    def admit_class(self, priority_class: Object) -> Object | Refusal:
        """The class as it is, if it may join the others: there is one default at most."""
        called, default = name(priority_class), self._default
        if priority_class.get("globalDefault") and default and name(default) != called:
            why = (
                f"PriorityClass {name(default)} is already marked as default. "
                "Only one default can exist"
            )
            return forbidden("priorityclasses.scheduling.k8s.io", called, why)
        return priority_class


def _system_class(class_name: str) -> Object:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": class_name},
        "value": SYSTEM_PRIORITY_CLASSES[class_name],
        "preemptionPolicy": PREEMPT_LOWER_PRIORITY,
    }


def _value(priority_class: Object) -> int:
    return int(priority_class.get("value") or 0)


def _resolved(chosen: Object | None) -> dict[str, Any]:
    """The fields that follow from a class, or from there being none."""
    if chosen is None:
        return {"priority": 0, "preemptionPolicy": PREEMPT_LOWER_PRIORITY}
    return {
        "priorityClassName": name(chosen),
        "priority": _value(chosen),
        "preemptionPolicy": chosen.get("preemptionPolicy") or PREEMPT_LOWER_PRIORITY,
    }


def _contradiction(spec: Object, resolved: Mapping[str, Any]) -> str:
    """What the pod states that doesn't follow from its class; empty if nothing."""
    priority, policy = spec.get("priority"), spec.get("preemptionPolicy")
    computed = (
        "must not be provided in pod spec; priority admission controller computed {} "
        "from the given PriorityClass name"
    )
    if priority is not None and priority != resolved["priority"]:
        rule = computed.format(resolved["priority"])
        return f"the integer value of priority ({priority}) {rule}"
    if policy is not None and policy != resolved["preemptionPolicy"]:
        rule = computed.format(resolved["preemptionPolicy"])
        return f"the string value of PreemptionPolicy ({policy}) {rule}"
    return ""


def _refuse(pod: Object, why: str) -> Refusal:
    return forbidden("pods", name(pod), why)


def _notes(defaults: list[Object], chosen: Object | None) -> list[str]:
    if chosen is None or len(defaults) == 1:
        return []
    names = ", ".join(sorted(map(name, defaults)))
    return [f"several priority classes are the default ({names}); {name(chosen)}, the lowest, is"]
