"""DefaultStorageClass: where claims go that don't say.

The rules are those of the admission plugin of that name in v1.36: of several defaults the newest
counts, and of equally old ones the first by name.
"""

from collections.abc import Iterable
from typing import ClassVar

from podium.api.objects import Object, annotations, metadata_of, name
from podium.api.times import parse_time
from podium.apiserver.admission.plugin import CREATE, AdmissionOptions, Derived, Plugin, View
from podium.apiserver.attributes import Attributes

_IS_DEFAULT = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_BETA_CLASS = "volume.beta.kubernetes.io/storage-class"


class DefaultStorageClass(Plugin):
    """Gives new claims the default class."""

    name = "DefaultStorageClass"
    handles: ClassVar = {"PersistentVolumeClaim": CREATE}

    def __init__(self, view: View, options: AdmissionOptions) -> None:
        super().__init__(view, options)
        self._default = Derived(view, "StorageClass", default_class)

    def admit(self, request: Attributes, obj: Object) -> Object:
        return with_class(obj, self._default())


def default_class(classes: Iterable[Object]) -> str | None:
    """The name of the default class, if there is one."""
    defaults = [one for one in classes if _is_default(one)]
    chosen = min(defaults, key=lambda one: (-_created(one), name(one)), default=None)
    return None if chosen is None else name(chosen)


def with_class(claim: Object, default: str | None) -> Object:
    """The claim in the default class; one that names a class, even the empty one, stays."""
    spec = claim.get("spec") or {}
    says = spec.get("storageClassName") is not None or _BETA_CLASS in annotations(claim)
    if says or default is None:
        return claim
    return {**claim, "spec": {**spec, "storageClassName": default}}


def _is_default(storage_class: Object) -> bool:
    marks = annotations(storage_class)
    return any(marks.get(mark) == "true" for mark in _IS_DEFAULT)


def _created(storage_class: Object) -> int:
    """Nanoseconds since the epoch; 0 for a class that hasn't been created yet."""
    created = metadata_of(storage_class).get("creationTimestamp")
    return parse_time(created) if created else 0
