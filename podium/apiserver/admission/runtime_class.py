"""RuntimeClass: adds the overhead and the scheduling constraints of a pod's runtime class."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, part, spec_of
from podium.api.pods import tolerations_of
from podium.api.taints import NO_EXECUTE
from podium.api.values.quantity import nanos
from podium.apiserver.admission.plugin import CREATE, AdmissionPlugin
from podium.apiserver.attributes import Attributes
from podium.apiserver.refusals import forbidden

_POD = KINDS["Pod"]
_NO_CLASS: Mapping[str, Any] = {}

Toleration = Mapping[str, Any]


class RuntimeClass(AdmissionPlugin):
    """Adds overhead, node selector and tolerations of the RuntimeClass to a new pod."""

    handles: ClassVar = {"Pod": CREATE}

    def admit(self, request: Attributes, obj: Object) -> Object:
        spec, pod_name = spec_of(obj), request.shown_name(obj)
        class_name, own = spec.get("runtimeClassName"), spec.get("overhead")
        if not class_name and not own:
            return obj
        chosen = self.store.get("RuntimeClass", "", class_name) if class_name else _NO_CLASS
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
