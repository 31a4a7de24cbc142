"""The claims and StorageClasses that a pod's volumes use."""

from collections.abc import Iterator

from podium.api.objects import Object, controller_of, key
from podium.api.volumes.claims_and_volumes import ClaimUse, claim_uses, storage_class_name
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo

# The API's names for kinds in "not found".
_RESOURCES = {
    "PersistentVolumeClaim": "persistentvolumeclaim",
    "PersistentVolume": "persistentvolume",
    "StorageClass": "storageclass.storage.k8s.io",
}


def used_claims(listers: Listers, pod: PodInfo) -> Iterator[tuple[ClaimUse, Object | None]]:
    """Return the uses of claims by a pod's volumes, with the claims; None for a missing claim."""
    for use in claim_uses(pod.obj):
        yield use, listers.get("PersistentVolumeClaim", use.claim_name, pod.namespace)


def not_found(kind: str, object_name: str) -> str:
    """Return the API's message for a missing object."""
    return f'{_RESOURCES[kind]} "{object_name}" not found'


def ownership_fault(claim: Object, pod: PodInfo) -> str:
    """Explain why a claim isn't that of an ephemeral volume of the pod; empty if it is."""
    owner = controller_of(claim)
    if owner is not None and owner.get("uid") == pod.uid:
        return ""
    return f"PVC {key(claim)} was not created for pod {pod.key} (pod is not owner)"


def storage_class_of(listers: Listers, claim: Object) -> Object | None:
    """Return the StorageClass that a claim names, if it exists."""
    class_name = storage_class_name(claim)
    return listers.get("StorageClass", class_name) if class_name else None
