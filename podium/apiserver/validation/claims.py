"""Checks of specs of PersistentVolumeClaims, including those in StatefulSets and pods."""

from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.api.objects import part
from podium.api.values.quantity import nanos
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import subdomain
from podium.apiserver.validation.selectors import label_selector

_known_mode = checks.one_of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")


def access_modes(message: str = "") -> checks.Check:
    """Return a check of the access modes of a volume or claim, which must not be empty."""

    def check(modes: Any, path: str) -> checks.Faults:
        if not modes:
            yield checks.MinorFieldError(path, None, message, ErrorKind.REQUIRED)
        for mode in modes:
            # The fault has no index, as in kube-apiserver.
            yield from _known_mode(mode, path)
        if "ReadWriteOncePod" in modes and len(modes) > 1:
            alone = "may not use ReadWriteOncePod with other access modes"
            yield checks.MinorFieldError(path, None, alone, ErrorKind.FORBIDDEN)

    return check


def some_amount(amount: Any, path: str) -> checks.Faults:
    """Check that a quantity is greater than zero."""
    if nanos(amount) <= 0:
        yield FieldError(path, amount, "must be greater than zero")


def _claimed_size(spec: Any, path: str) -> checks.Faults:
    where = f"{checks.join(path, 'resources')}[storage]"
    amount = part(spec, "resources", "requests").get("storage")
    if amount is None:
        yield checks.MinorFieldError(where, None, "", ErrorKind.REQUIRED)
    else:
        yield from checks.detail(some_amount)(amount, where)


class_name = checks.detail(checks.unless_empty(subdomain))
volume_mode = checks.one_of("Block", "Filesystem")

claim_spec = checks.both(
    checks.fields(
        selector=label_selector,
        accessModes=checks.absent_as((), access_modes("at least 1 access mode is required")),
    ),
    _claimed_size,
    checks.fields(storageClassName=class_name, volumeMode=volume_mode),
)
