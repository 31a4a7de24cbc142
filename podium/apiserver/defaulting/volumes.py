"""What is filled into volumes, claims, volumes' sources and storage classes."""

from podium.api.objects import Object
from podium.apiserver.defaulting.amounts import amounts, requirements
from podium.apiserver.defaulting.copying import each, filled, inside

_FILE_MODE = 0o644
_TOKEN_LIFETIME_S = 3600


def volume(volume: Object) -> Object:
    """A volume of a pod; one without a source is an empty directory."""
    if not any(value is not None for name, value in volume.items() if name != "name"):
        return {**volume, "emptyDir": {}}
    return inside(
        volume,
        secret=_with_mode,
        configMap=_with_mode,
        downwardAPI=_downward,
        projected=lambda source: inside(_with_mode(source), sources=each(_projection)),
        hostPath=lambda source: source if "type" in source else {**source, "type": ""},
        ephemeral=lambda source: inside(source, volumeClaimTemplate=_with_claim_spec),
    )


def _with_mode(source: Object) -> Object:
    return filled(source, defaultMode=_FILE_MODE)


def _downward(source: Object) -> Object:
    return inside(_with_mode(source), items=each(_downward_item))


def _downward_item(item: Object) -> Object:
    return inside(item, fieldRef=lambda ref: filled(ref, apiVersion="v1"))


def _projection(source: Object) -> Object:
    return inside(
        source,
        serviceAccountToken=lambda token: filled(token, expirationSeconds=_TOKEN_LIFETIME_S),
        downwardAPI=lambda downward: inside(downward, items=each(_downward_item)),
    )


def _claim_spec(spec: Object) -> Object:
    return inside(filled(spec, volumeMode="Filesystem"), resources=requirements)


def _with_claim_spec(template: Object) -> Object:
    return inside(template, spec=_claim_spec)


def claim(claim: Object) -> Object:
    """A PersistentVolumeClaim, or a StatefulSet's template for one."""
    status = filled(claim.get("status") or {}, phase="Pending")
    return _with_claim_spec(_with_status(claim, status))


def persistent_volume(volume: Object) -> Object:
    """A PersistentVolume."""

    def spec(spec: Object) -> Object:
        spec = filled(spec, persistentVolumeReclaimPolicy="Retain", volumeMode="Filesystem")
        return inside(spec, capacity=amounts)

    status = filled(volume.get("status") or {}, phase="Pending")
    return inside(_with_status(volume, status), spec=spec)


def _with_status(obj: Object, status: Object) -> Object:
    return obj if obj.get("status") == status else {**obj, "status": status}


def storage_class(storage_class: Object) -> Object:
    """A StorageClass."""
    return filled(storage_class, reclaimPolicy="Delete", volumeBindingMode="Immediate")


def csi_driver(driver: Object) -> Object:
    """A CSIDriver."""

    def spec(spec: Object) -> Object:
        spec = filled(
            spec,
            attachRequired=True,
            podInfoOnMount=False,
            storageCapacity=False,
            fsGroupPolicy="ReadWriteOnceWithFSType",
            requiresRepublish=False,
            seLinuxMount=False,
        )
        if spec.get("volumeLifecycleModes"):
            return spec
        return {**spec, "volumeLifecycleModes": ["Persistent"]}

    return inside(driver, spec=spec)
