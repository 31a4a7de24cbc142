"""DefaultStorageClass: where claims go that don't say.

Of several defaults the newest counts, and of equally old ones the first by name.
"""

from collections.abc import Iterable
from typing import ClassVar

from podium.api.objects import Object, annotations, metadata_of, name, spec_of
from podium.api.values.times import parse_time
from podium.api.volumes.claims_and_volumes import CLASS_ANNOTATION, is_default_class
from podium.apiserver.admission.plugin import CREATE, AdmissionOptions, Derived, Plugin, View
from podium.apiserver.attributes import Attributes


class DefaultStorageClass(Plugin):
    """Gives new claims the default class."""

    handles: ClassVar = {"PersistentVolumeClaim": CREATE}

    def __init__(self, view: View, options: AdmissionOptions) -> None:
        super().__init__(view, options)
        self._default = Derived(view, "StorageClass", default_class)

    def admit(self, request: Attributes, obj: Object) -> Object:
        return with_class(obj, self._default())


def default_class(classes: Iterable[Object]) -> str | None:
    """The name of the default class, if there is one."""
    defaults = [one for one in classes if is_default_class(one)]

    def newest_first(storage_class: Object) -> tuple[int, str]:
        created = metadata_of(storage_class).get("creationTimestamp")
        return -parse_time(created) if created else 0, name(storage_class)

    chosen = min(defaults, key=newest_first, default=None)
    return None if chosen is None else name(chosen)


def with_class(claim: Object, default: str | None) -> Object:
    """The claim in the default class; one that names a class, even the empty one, stays."""
    spec = spec_of(claim)
    says = spec.get("storageClassName") is not None or CLASS_ANNOTATION in annotations(claim)
    if says or default is None:
        return claim
    return {**claim, "spec": {**spec, "storageClassName": default}}
