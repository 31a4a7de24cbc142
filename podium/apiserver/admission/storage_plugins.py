"""The admission plugins for claims and volumes, with the rules of v1.36.

If several storage classes are marked as default, the newest counts, then the first by name.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import ClassVar

from podium.api.objects import Object, annotations, metadata_of, name, spec_of
from podium.api.pods import phase_of, requests_of
from podium.api.values.quantity import nanos
from podium.api.values.times import parse_time
from podium.api.volumes.claims_and_volumes import (
    CLASS_ANNOTATION,
    is_default_class,
    storage_class_name,
)
from podium.apiserver.admission.plugin import CREATE, UPDATE, AdmissionPlugin, Derived
from podium.apiserver.attributes import Attributes
from podium.apiserver.refusals import forbidden

_FINALIZERS = {
    "PersistentVolumeClaim": "kubernetes.io/pvc-protection",
    "PersistentVolume": "kubernetes.io/pv-protection",
}
_NOT_RESIZABLE = (
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the "
    "pvc must support resize"
)


class StorageObjectInUseProtection(AdmissionPlugin):
    """Adds protection finalizers to new claims and volumes; controllers remove these."""

    handles: ClassVar = dict.fromkeys(_FINALIZERS, CREATE)

    def admit(self, request: Attributes, obj: Object) -> Object:
        metadata = metadata_of(obj)
        finalizers = metadata.get("finalizers") or ()
        protection = _FINALIZERS[request.kind.key]
        if protection in finalizers:
            return obj
        return {**obj, "metadata": {**metadata, "finalizers": [*finalizers, protection]}}


class DefaultStorageClass(AdmissionPlugin):
    """Sets the default storage class of new claims that specify none."""

    handles: ClassVar = {"PersistentVolumeClaim": CREATE}

    @cached_property
    def _default(self) -> Derived[str | None]:
        return Derived(self.store, "StorageClass", default_class)

    def admit(self, request: Attributes, obj: Object) -> Object:
        default, spec = self._default(), spec_of(obj)
        # A claim that names a class, even the empty one, keeps it.
        is_named = spec.get("storageClassName") is not None or CLASS_ANNOTATION in annotations(obj)
        if default is None or is_named:
            return obj
        return {**obj, "spec": {**spec, "storageClassName": default}}


def default_class(classes: Iterable[Object]) -> str | None:
    """Return the name of the default storage class; None if there is none."""

    def newest_first(storage_class: Object) -> tuple[int, str]:
        created = metadata_of(storage_class).get("creationTimestamp")
        return -parse_time(created) if created else 0, name(storage_class)

    chosen = min(filter(is_default_class, classes), key=newest_first, default=None)
    return None if chosen is None else name(chosen)


class PersistentVolumeClaimResize(AdmissionPlugin):
    """Refuses to enlarge claims whose storage class doesn't allow expansion."""

    handles: ClassVar = {"PersistentVolumeClaim": UPDATE}

    def validate(self, request: Attributes, obj: Object) -> None:
        old = request.old or {}
        new_size, old_size = (
            nanos(requests_of(spec_of(claim)).get("storage", 0)) for claim in (obj, old)
        )
        if new_size <= old_size:
            return
        why = _NOT_RESIZABLE
        if phase_of(old) != "Bound":
            why = "Only bound persistent volume claims can be expanded"
        elif class_name := storage_class_name(obj):
            storage_class = self.store.get("StorageClass", "", class_name) or {}
            if storage_class.get("allowVolumeExpansion") is True:
                return
        raise forbidden(request.kind, request.shown_name(obj), why)
