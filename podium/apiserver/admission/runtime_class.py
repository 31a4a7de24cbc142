"""RuntimeClass: what a pod's runtime costs on top, and the nodes that have it.

The rules are those of the admission plugin of that name in v1.36.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from podium.api.meta import name
from podium.api.quantity import nanos
from podium.apiserver.admission.tolerations import merge_tolerations
from podium.apiserver.refusal import Refusal, forbidden

Object = Mapping[str, Any]


class RuntimeClassAdmission:
    """Completes new pods by what their runtime class says.

    Args:
        classes: the RuntimeClasses there are.
    """

    def __init__(self, classes: Iterable[Object]) -> None:
        self._classes = {name(one): one for one in classes}

    def admit(self, pod: Object) -> Object | Refusal:
        """The pod with its class's overhead, node selector and tolerations.

        Refused are pods of unknown classes, with an overhead that isn't their class's, or whose
        node selector contradicts it.
        """
        spec = pod.get("spec") or {}
        class_name = spec.get("runtimeClassName")
        chosen = self._classes.get(class_name) if class_name else {}
        if chosen is None:
            return _refuse(pod, f'pod rejected: RuntimeClass "{class_name}" not found')
        overhead = (chosen.get("overhead") or {}).get("podFixed")
        scheduling = chosen.get("scheduling") or {}
        if why := _overhead_fault(spec.get("overhead"), overhead):
            return _refuse(pod, f"pod rejected: {why}")
        if why := _selector_fault(spec.get("nodeSelector"), scheduling.get("nodeSelector")):
            return _refuse(pod, why)
        additions = _additions(spec, overhead, scheduling)
        return {**pod, "spec": {**spec, **additions}} if additions else pod


def _additions(spec: Object, overhead: Object | None, scheduling: Object) -> dict[str, Any]:
    """The fields of the pod's spec that the class changes."""
    additions: dict[str, Any] = {}
    if overhead is not None:
        additions["overhead"] = dict(overhead)
    if selector := scheduling.get("nodeSelector"):
        additions["nodeSelector"] = {**(spec.get("nodeSelector") or {}), **selector}
    if tolerations := scheduling.get("tolerations"):
        additions["tolerations"] = merge_tolerations(spec.get("tolerations") or (), tolerations)
    return additions


def _overhead_fault(own: Object | None, defined: Object | None) -> str:
    if own is None:
        return ""
    if defined is None:
        return "Pod Overhead set without corresponding RuntimeClass defined Overhead"
    if _amounts(own) != _amounts(defined):
        return "Pod's Overhead doesn't match RuntimeClass's defined Overhead"
    return ""


def _amounts(overhead: Object) -> dict[str, int]:
    return {resource: nanos(amount) for resource, amount in overhead.items()}


def _selector_fault(own: Object | None, defined: Object | None) -> str:
    """The first label, by name, that the two demand different values of."""
    for key, value in sorted((defined or {}).items()):
        stated = (own or {}).get(key, value)
        if stated != value:
            return (
                f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                f"pod.spec.nodeSelector[{key}] = {stated}"
            )
    return ""


def _refuse(pod: Object, why: str) -> Refusal:
    return forbidden("pods", name(pod), why)
