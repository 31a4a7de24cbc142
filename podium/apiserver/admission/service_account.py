"""ServiceAccount: a pod that names no service account has that of its namespace.

The rules are those of the admission plugin of that name in v1.36, less what is for processes in
pods: no token is mounted, and nobody asks whether the service account is there. It is on where
people share a cluster, as `podium up` has it.
"""

from typing import ClassVar

from podium.api.objects import Object
from podium.apiserver.admission.plugin import CREATE, Plugin
from podium.apiserver.attributes import Attributes

_DEFAULT = "default"


class ServiceAccount(Plugin):
    """Names the service account of new pods."""

    name = "ServiceAccount"
    handles: ClassVar = {"Pod": CREATE}
    on_by_default = False

    def admit(self, request: Attributes, obj: Object) -> Object:
        spec = obj.get("spec") or {}
        if spec.get("serviceAccountName"):
            return obj
        named = spec.get("serviceAccount") or _DEFAULT
        names = {"serviceAccountName": named, "serviceAccount": named}
        return {**obj, "spec": {**spec, **names}}
