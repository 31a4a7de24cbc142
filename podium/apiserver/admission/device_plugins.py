"""The admission of claims that ask for admin access to devices, with the rules of v1.36.

kube-apiserver decides about them where it validates claims, and can't be told not to; here, it
takes the namespace from the store as admission plugins do.
"""

from collections.abc import Sequence
from typing import ClassVar

from podium.api.objects import Object, entries, labels, name, part, spec_of, status_of
from podium.apiserver.admission.plugin import CREATE, UPDATE, AdmissionPlugin
from podium.apiserver.attributes import Attributes
from podium.apiserver.refusals import invalid
from podium.apiserver.validation import checks

_LABEL = "resource.kubernetes.io/admin-access"


class DeviceAdminAccess(AdmissionPlugin):
    """Refuses claims with admin access in namespaces without the label that allows it."""

    handles: ClassVar = {
        "ResourceClaim": CREATE,
        "ResourceClaimTemplate": CREATE,
        "ResourceClaim/status": UPDATE,
    }

    def validate(self, request: Attributes, obj: Object) -> None:
        if request.subresource:
            place, wanted = "status.allocation.devices.results", _results(obj)
            # An allocation doesn't change, so that what was granted stays so.
            if any(one.get("adminAccess") for one in _results(request.old or {})):
                return
        else:
            place, wanted = "spec.devices.requests", _requests(obj)
        index = next((at for at, one in enumerate(wanted) if one.get("adminAccess")), None)
        if index is None:
            return
        namespace = self.store.get("Namespace", "", request.namespace) or {}
        if labels(namespace).get(_LABEL) != "true":
            label = f"the `{_LABEL}: true` label on the containing namespace"
            fault = checks.forbidden(
                f"{place}[{index}].adminAccess", f"admin access to devices requires {label}"
            )
            raise invalid(name(obj), [fault], request.kind.name, request.kind.group)


def _requests(obj: Object) -> Sequence[Object]:
    spec = spec_of(obj)
    spec = spec if obj["kind"] == "ResourceClaim" else part(spec, "spec")
    return [part(one, "exactly") for one in entries(part(spec, "devices"), "requests")]


def _results(claim: Object) -> Sequence[Object]:
    return entries(part(status_of(claim), "allocation", "devices"), "results")
