"""PodTolerationRestriction: what pods of a namespace tolerate, and may tolerate.

The rules are those of the admission plugin of that name in v1.36. It is off unless asked for, and
with it the toleration of memory pressure for pods that aren't BestEffort: the node controller's
documentation has them tolerate it, but only this plugin sees to it.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import msgspec

from podium.api.objects import Object, annotations, spec_of
from podium.api.pod_specs import tolerations_of
from podium.api.qos import stored_or_computed_qos
from podium.api.taints import NO_EXECUTE, NO_SCHEDULE
from podium.apiserver.admission.plugin import WRITE, Plugin
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.refusals import forbidden, internal

MEMORY_PRESSURE = "node.kubernetes.io/memory-pressure"
DEFAULT_TOLERATIONS = "scheduler.alpha.kubernetes.io/defaultTolerations"
ALLOWED_TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"

_PRESSURE = {"key": MEMORY_PRESSURE, "operator": "Exists", "effect": NO_SCHEDULE}
_NOT_ALLOWED = (
    "pod tolerations (possibly merged with namespace default tolerations) "
    "conflict with its namespace whitelist"
)


class PodTolerationRestriction(Plugin):
    """Adds a namespace's default tolerations, and holds pods to those that it allows."""

    name = "PodTolerationRestriction"
    handles: ClassVar = {"Pod": WRITE}
    on_by_default = False

    def admit(self, request: Attributes, obj: Object) -> Object:
        extra: list[Mapping[str, Any]] = []
        if request.operation is Operation.CREATE:
            extra += self._of_namespace(request, DEFAULT_TOLERATIONS)
        if stored_or_computed_qos(obj) != "BestEffort":
            extra.append(_PRESSURE)
        if not extra:
            return obj
        spec = spec_of(obj)
        merged = merge_tolerations(tolerations_of(spec), extra)
        return {**obj, "spec": {**spec, "tolerations": merged}}

    def validate(self, request: Attributes, obj: Object) -> None:
        tolerations = tolerations_of(spec_of(obj))
        allowed = self._of_namespace(request, ALLOWED_TOLERATIONS) if tolerations else []
        if allowed and not all_included(allowed, tolerations):
            raise forbidden(request.kind, request.called(obj), _NOT_ALLOWED)

    def _of_namespace(self, request: Attributes, annotation: str) -> list[Mapping[str, Any]]:
        """The tolerations that stand as JSON in an annotation of the namespace."""
        namespace = self.view.get("Namespace", "", request.namespace) or {}
        text = annotations(namespace).get(annotation)
        if not text:
            return []
        try:
            found: list[Mapping[str, Any]] = msgspec.json.decode(text, type=list[dict[str, Any]])
        except msgspec.DecodeError as error:
            raise internal(f"annotation {annotation} of the namespace: {error}") from error
        return found


Toleration = Mapping[str, Any]


def merge_tolerations(
    first: Iterable[Toleration], second: Iterable[Toleration]
) -> list[Toleration]:
    """Both lists in order, without those that another one includes; of equal ones the first."""
    candidates = [*first, *second]
    merged: list[Toleration] = []
    for index, toleration in enumerate(candidates):
        redundant = any(includes(other, toleration) for other in merged) or any(
            other != toleration and includes(other, toleration) for other in candidates[index + 1 :]
        )
        if not redundant:
            merged.append(toleration)
    return merged


def all_included(wider: Iterable[Toleration], narrower: Iterable[Toleration]) -> bool:
    """Whether each of the narrower tolerations is included in one of the wider ones."""
    allowed = list(wider)
    return all(any(includes(one, toleration) for one in allowed) for toleration in narrower)


def includes(wider: Toleration, narrower: Toleration) -> bool:
    """Whether whatever the narrower one tolerates, the wider one does, for as long."""
    if wider == narrower:
        return True
    wider_exists = wider.get("operator") == "Exists"
    matches_any_key = wider_exists and not wider.get("key")
    if not matches_any_key and _text(wider, "key") != _text(narrower, "key"):
        return False
    if wider.get("effect") and wider["effect"] != narrower.get("effect"):
        return False
    if not _lasts_as_long(wider, narrower):
        return False
    if wider_exists:
        return True
    same_value = _text(wider, "value") == _text(narrower, "value")
    return (wider.get("operator") or "Equal") == narrower.get("operator") == "Equal" and same_value


def _lasts_as_long(wider: Toleration, narrower: Toleration) -> bool:
    seconds, needed = wider.get("tolerationSeconds"), narrower.get("tolerationSeconds")
    if wider.get("effect") != NO_EXECUTE or seconds is None:
        return True
    return needed is not None and bool(needed <= seconds)


def _text(toleration: Toleration, field: str) -> str:
    return str(toleration.get(field) or "")
