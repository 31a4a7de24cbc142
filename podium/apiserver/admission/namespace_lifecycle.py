"""NamespaceLifecycle: refuses new objects in missing or terminating namespaces."""

from typing import ClassVar

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object
from podium.api.pods import phase_of
from podium.api.refused import StatusCause
from podium.apiserver.admission.plugin import ALL_NAMESPACED, DELETE, WRITE, AdmissionPlugin
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.refusals import forbidden, not_found

IMMORTAL = frozenset({"default", "kube-system", "kube-public"})
"""Namespaces that can't be deleted."""

_NAMESPACE = KINDS["Namespace"]


class NamespaceLifecycle(AdmissionPlugin):
    """Refuses objects in missing or terminating namespaces, and deletions of system namespaces."""

    handles: ClassVar = {ALL_NAMESPACED: WRITE, "Namespace": DELETE}

    def admit(self, request: Attributes, obj: Object) -> Object:
        if request.operation is Operation.DELETE:
            if request.name in IMMORTAL:
                raise forbidden(_NAMESPACE, request.name, "this namespace may not be deleted")
            return obj
        place = request.namespace
        namespace = self.store.get("Namespace", "", place)
        if namespace is None:
            raise not_found(_NAMESPACE, place)
        phase = phase_of(namespace)
        if phase == "Terminating" and request.operation is Operation.CREATE:
            terminating = f"namespace {place} is being terminated"
            cause = StatusCause("NamespaceTerminating", terminating, "metadata.namespace")
            why = (
                f"unable to create new content in namespace {place} because it is being terminated"
            )
            raise forbidden(request.kind, request.shown_name(obj), why, (cause,))
        return obj
