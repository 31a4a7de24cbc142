"""Volumes, claims to them, and storage classes."""

from typing import Any

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.quantity import parse_quantity
from podium.apiserver.validation.checks import (
    Check,
    Faults,
    MinorFieldError,
    a_dict,
    absent_as,
    boolean,
    decisive,
    detail,
    each,
    fields,
    in_turn,
    join,
    needed,
    one_of,
    quantity,
    text,
)
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.names import label_key, subdomain
from podium.apiserver.validation.resources import amounts, readable_amounts
from podium.apiserver.validation.selectors import label_selector, node_selector

_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_STORAGE = "storage"


def _access_modes(message: str = "") -> Check:
    """How a volume may be mounted: in one way at least."""
    known = one_of(*_ACCESS_MODES)

    def check(value: Any, path: str) -> Faults:
        if not value:
            yield MinorFieldError(path, None, message, ErrorKind.REQUIRED)
            return
        yield from each(text)(value, path)
        listed = value if isinstance(value, list) else []
        modes = [mode for mode in listed if isinstance(mode, str)]
        for mode in modes:
            # The fault has no index, as kube-apiserver has it.
            yield from known(mode, path)
        if "ReadWriteOncePod" in modes and len(modes) > 1:
            alone = "may not use ReadWriteOncePod with other access modes"
            yield MinorFieldError(path, None, alone, ErrorKind.FORBIDDEN)

    return check


def _claimed_size(spec: Any, path: str) -> Faults:
    """A claim asks for some storage."""
    resources = a_dict(spec.get("resources"))
    yield from fields(resources=_readable)(spec, path)
    where = f"{join(path, 'resources')}[{_STORAGE}]"
    amount = a_dict(resources.get("requests")).get(_STORAGE)
    if amount is None:
        yield MinorFieldError(where, None, "", ErrorKind.REQUIRED)
    elif _is_readable(amount):
        yield from quantity(amount, where)
        yield from detail(_some_amount)(amount, where)


def _is_readable(amount: Any) -> bool:
    return not list(readable_amounts({_STORAGE: amount}, ""))


def _some_amount(amount: Any, path: str) -> Faults:
    if _is_readable(amount) and parse_quantity(amount).nanos <= 0:
        yield FieldError(path, amount, "must be greater than zero")


_readable = fields(requests=readable_amounts, limits=readable_amounts)
_volume_mode = one_of("Block", "Filesystem")

claim_spec = in_turn(
    fields(
        selector=label_selector,
        accessModes=absent_as((), _access_modes("at least 1 access mode is required")),
    ),
    _claimed_size,
    fields(storageClassName=text, volumeMode=_volume_mode, volumeName=text),
)
"""The spec of a PersistentVolumeClaim, or of a template for one."""

persistent_volume_claim = fields(
    metadata=object_meta(),
    spec=needed(claim_spec),
    status=fields(phase=one_of("Pending", "Bound", "Lost", empty=True), capacity=amounts),
)
"""A PersistentVolumeClaim."""

claim_template = fields(metadata=object_meta(), spec=decisive(claim_spec))
"""A template for claims, in a StatefulSet; details are judged when claims are made of it."""


def _capacity(value: Any, path: str) -> Faults:
    """A volume has storage, and nothing else."""
    if not value:
        yield MinorFieldError(path, None, "", ErrorKind.REQUIRED)
    if list(a_dict(value)) != [_STORAGE]:
        fault = unsupported(path, value, (_STORAGE,))
        yield MinorFieldError(path, value, fault.message, fault.kind)
    yield from amounts(value, path)
    for name, amount in a_dict(value).items():
        yield from detail(_some_amount)(amount, f"{path}[{name}]")


persistent_volume = fields(
    metadata=object_meta(),
    spec=needed(
        fields(
            accessModes=absent_as((), _access_modes()),
            capacity=absent_as({}, _capacity),
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
