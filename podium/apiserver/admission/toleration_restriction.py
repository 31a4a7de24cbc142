"""PodTolerationRestriction: what pods of a namespace tolerate, and may tolerate.

The rules are those of the admission plugin of that name in v1.36. It is off unless asked for, and
with it the toleration of memory pressure for pods that aren't BestEffort: the node controller's
documentation has them tolerate it, but only this plugin sees to it.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

from podium.api.objects import Object, annotations, spec_of
from podium.api.qos import stored_or_computed_qos
from podium.api.taints import NO_SCHEDULE
from podium.apiserver.admission.merging_tolerations import all_included, merge_tolerations
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
        spec = obj.get("spec") or {}
        merged = merge_tolerations(spec.get("tolerations") or (), extra)
        return {**obj, "spec": {**spec, "tolerations": merged}}

    def validate(self, request: Attributes, obj: Object) -> None:
        tolerations = spec_of(obj).get("tolerations") or ()
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
