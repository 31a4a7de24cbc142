"""Default storage class: where claims go that don't say.

The rules are those of the admission plugin DefaultStorageClass in v1.36: of several defaults the
newest counts, and of equally old ones the first by name.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from podium.api.meta import annotations, name
from podium.api.times import parse_time

Object = Mapping[str, Any]

_IS_DEFAULT = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_BETA_CLASS = "volume.beta.kubernetes.io/storage-class"


class StorageClassAdmission:
    """Gives new claims the default class.

    Args:
        classes: the StorageClasses there are.
    """

    def __init__(self, classes: Iterable[Object]) -> None:
        defaults = [one for one in classes if _is_default(one)]
        self._default = min(defaults, key=lambda one: (-_created(one), name(one)), default=None)

    def admit(self, claim: Object) -> Object:
        """The claim with its class; one that names a class, even the empty one, stays."""
        spec = claim.get("spec") or {}
        says = spec.get("storageClassName") is not None or _BETA_CLASS in annotations(claim)
        if says or self._default is None:
            return claim
        return {**claim, "spec": {**spec, "storageClassName": name(self._default)}}


def _is_default(storage_class: Object) -> bool:
    marks = annotations(storage_class)
    return any(marks.get(mark) == "true" for mark in _IS_DEFAULT)


def _created(storage_class: Object) -> int:
    """Nanoseconds since the epoch; 0 for a class that hasn't been created yet."""
    created = (storage_class.get("metadata") or {}).get("creationTimestamp")
    return parse_time(created) if created else 0
