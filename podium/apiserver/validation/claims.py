"""What claims to volumes ask for: those of users, of StatefulSets and of pods."""

from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, MinorFieldError, a_dict, join
from podium.apiserver.validation.names import subdomain
from podium.apiserver.validation.resource_requirements import readable, readable_amounts
from podium.apiserver.validation.selectors import label_selector

_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_STORAGE = "storage"


def access_modes(message: str = "") -> Check:
    """How a volume may be mounted: in one way at least."""
    known = checks.one_of(*_ACCESS_MODES)

    def check(value: Any, path: str) -> Faults:
        if not value:
            yield MinorFieldError(path, None, message, ErrorKind.REQUIRED)
            return
        yield from checks.each(checks.text)(value, path)
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
    resources = a_dict(spec.get("resources"))
    yield from checks.fields(resources=_readable)(spec, path)
    where = f"{join(path, 'resources')}[{_STORAGE}]"
    amount = a_dict(resources.get("requests")).get(_STORAGE)
    if amount is None:
        yield MinorFieldError(where, None, "", ErrorKind.REQUIRED)
    else:
        yield from checks.detail(some_amount)(amount, where)


def some_amount(amount: Any, path: str) -> Faults:
    """More than nothing."""
    quantity = readable(amount)
    if quantity is not None and quantity.nanos <= 0:
        yield FieldError(path, amount, "must be greater than zero")


_readable = checks.fields(requests=readable_amounts, limits=readable_amounts)
class_name = checks.detail(checks.unless_empty(subdomain))
"""The name of a StorageClass, or of none."""

volume_mode = checks.one_of("Block", "Filesystem")

claim_spec = checks.in_turn(
    checks.fields(
        selector=label_selector,
        accessModes=checks.absent_as((), access_modes("at least 1 access mode is required")),
    ),
    _claimed_size,
    checks.fields(storageClassName=class_name, volumeMode=volume_mode, volumeName=checks.text),
)
"""The spec of a PersistentVolumeClaim, or of a template for one."""

claim_template = checks.fields(spec=checks.absent_as({}, claim_spec))
"""A template for claims, in a StatefulSet."""
