"""PersistentVolumeClaimResize: claims grow only where their storage class allows it."""

from typing import ClassVar

from podium.api.objects import Object, spec_of
from podium.api.pod_specs import requests_of
from podium.api.pods import phase_of
from podium.api.values.quantity import nanos
from podium.api.volumes.claims_and_volumes import storage_class_name
from podium.apiserver.admission.plugin import UPDATE, Plugin
from podium.apiserver.attributes import Attributes
from podium.apiserver.refusals import forbidden

_REFUSAL = (
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the "
    "pvc must support resize"
)


class PersistentVolumeClaimResize(Plugin):
    """Refuses to let claims grow whose class doesn't support it."""

    handles: ClassVar = {"PersistentVolumeClaim": UPDATE}

    def validate(self, request: Attributes, obj: Object) -> None:
        old = request.old or {}
        if _size(obj) <= _size(old):
            return
        why = _REFUSAL
        if phase_of(old) != "Bound":
            why = "Only bound persistent volume claims can be expanded"
        elif name := storage_class_name(obj):
            found = self.view.get("StorageClass", "", name)
            if found is not None and found.get("allowVolumeExpansion") is True:
                return
        raise forbidden(request.kind, request.called(obj), why)


def _size(claim: Object) -> int:
    return nanos(requests_of(spec_of(claim)).get("storage", 0))
