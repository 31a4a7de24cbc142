"""Volumes, claims to them, and storage classes."""

from podium.apiserver.validation.checks import (
    boolean,
    each,
    fields,
    needed,
    one_of,
    text,
)
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.names import label_key, subdomain
from podium.apiserver.validation.resources import amounts
from podium.apiserver.validation.selectors import label_selector, node_selector

_access_modes = each(one_of("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"))
_volume_mode = one_of("Filesystem", "Block")

claim_spec = fields(
    accessModes=_access_modes,
    storageClassName=text,
    volumeName=text,
    volumeMode=_volume_mode,
    selector=label_selector,
    resources=fields(requests=amounts, limits=amounts),
)
"""The spec of a PersistentVolumeClaim, or of a template for one."""

persistent_volume_claim = fields(
    metadata=object_meta(),
    spec=needed(claim_spec),
    status=fields(phase=one_of("Pending", "Bound", "Lost", empty=True), capacity=amounts),
)
"""A PersistentVolumeClaim."""

claim_template = fields(metadata=object_meta(), spec=claim_spec)
"""A template for claims, in a StatefulSet."""

persistent_volume = fields(
    metadata=object_meta(),
    spec=needed(
        fields(
            capacity=amounts,
            accessModes=_access_modes,
            claimRef=fields(name=text, namespace=text, uid=text),
            storageClassName=text,
            volumeMode=_volume_mode,
            persistentVolumeReclaimPolicy=one_of("Retain", "Delete", "Recycle", empty=True),
            nodeAffinity=fields(required=node_selector),
            csi=fields(driver=needed(text), volumeHandle=needed(text)),
        )
    ),
    status=fields(phase=one_of("Pending", "Available", "Bound", "Released", "Failed", empty=True)),
)
"""A PersistentVolume."""

storage_class = fields(
    metadata=object_meta(subdomain),
    provisioner=needed(text),
    reclaimPolicy=one_of("Delete", "Retain"),
    volumeBindingMode=one_of("Immediate", "WaitForFirstConsumer"),
    allowVolumeExpansion=boolean,
    allowedTopologies=each(
        fields(matchLabelExpressions=each(fields(key=needed(label_key), values=needed(each(text)))))
    ),
)
"""A StorageClass."""
