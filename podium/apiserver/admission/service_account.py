"""ServiceAccount: the service account that a pod names is there, and gives it its image secrets.

The rules are those of the admission plugin of that name in v1.36, but for two. No token is mounted,
as few pods have processes here. And `default` counts as there in each namespace: a controller makes
it at once, and whoever comes before that isn't sent away. It is on where people share a cluster, as
`podium up` has it.
"""

from typing import Any, ClassVar

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, annotations, spec_of
from podium.api.priority import MIRROR_ANNOTATION
from podium.apiserver.admission.plugin import CREATE, Plugin
from podium.apiserver.attributes import Attributes
from podium.apiserver.refusals import forbidden

_POD = KINDS["Pod"]
_KIND, DEFAULT = "ServiceAccount", "default"


class ServiceAccount(Plugin):
    """Names the service account of new pods, and looks it up."""

    handles: ClassVar = {"Pod": CREATE}
    on_by_default = False

    def admit(self, request: Attributes, obj: Object) -> Object:
        spec = spec_of(obj)
        named = spec.get("serviceAccountName") or spec.get("serviceAccount")
        if MIRROR_ANNOTATION in annotations(obj):
            if named:
                why = "a mirror pod may not reference service accounts"
                raise forbidden(_POD, request.called(obj), why)
            return obj
        named = named or DEFAULT
        given: dict[str, Any] = {"serviceAccountName": named, "serviceAccount": named}
        account = self.view.get(_KIND, request.namespace, named)
        if account is None and named != DEFAULT:
            where = f"{request.namespace}/{named}"
            why = f'error looking up service account {where}: serviceaccount "{named}" not found'
            raise forbidden(_POD, request.called(obj), why)
        secrets = (account or {}).get("imagePullSecrets")
        if secrets and not spec.get("imagePullSecrets"):
            given["imagePullSecrets"] = secrets
        return {**obj, "spec": {**spec, **given}}
