"""StorageObjectInUseProtection: claims and volumes stay while somebody uses them.

The finalizers that it adds are removed by the controllers of protection, once nobody uses the
object any more.
"""

from typing import ClassVar

from podium.api.objects import Object, metadata_of
from podium.apiserver.admission.plugin import CREATE, Plugin
from podium.apiserver.attributes import Attributes

_FINALIZERS = {
    "PersistentVolumeClaim": "kubernetes.io/pvc-protection",
    "PersistentVolume": "kubernetes.io/pv-protection",
}


class StorageObjectInUseProtection(Plugin):
    """Puts the finalizers of protection on new claims and volumes."""

    handles: ClassVar = dict.fromkeys(_FINALIZERS, CREATE)

    def admit(self, request: Attributes, obj: Object) -> Object:
        metadata = metadata_of(obj)
        finalizers = metadata.get("finalizers") or ()
        protection = _FINALIZERS[request.kind.key]
        if protection in finalizers:
            return obj
        return {**obj, "metadata": {**metadata, "finalizers": [*finalizers, protection]}}
