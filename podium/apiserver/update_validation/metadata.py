"""What an update may change of an object's metadata: labels, annotations, owners, finalizers.

The rules are those of apimachinery's `ValidateObjectMetaAccessorUpdate` in v1.36.
"""

from typing import Any

from podium.api.errors import FieldError
from podium.api.objects import Object
from podium.apiserver.update_validation.rules import Faults, forbidden, immutable_value
from podium.apiserver.validation.checks import Check
from podium.apiserver.validation.metadata import annotations, owners
from podium.apiserver.validation.names import label_map

_FIXED = (
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)
_CHECKED: tuple[tuple[str, Check], ...] = (
    ("labels", label_map),
    ("annotations", annotations),
    ("ownerReferences", owners),
)


def metadata(new: Object, old: Object) -> Faults:
    """The metadata of an object that is updated."""
    now, before = new["metadata"], old["metadata"]
    if now is before:
        return
    if before.get("deletionTimestamp"):
        yield from _no_new_finalizers(now.get("finalizers") or [], before.get("finalizers") or [])
    if not now.get("resourceVersion"):
        message = "must be specified for an update"
        yield FieldError("metadata.resourceVersion", "", message)
    if (now.get("generation") or 0) < (before.get("generation") or 0):
        message = "must not be decremented"
        yield FieldError("metadata.generation", now.get("generation") or 0, message)
    for field in _FIXED:
        yield from immutable_value(now.get(field), before.get(field), f"metadata.{field}")
    for field, check in _CHECKED:
        value = now.get(field)
        # What is stored has been checked before.
        if value and value != before.get(field):
            yield from check(value, f"metadata.{field}")


def _no_new_finalizers(new: list[Any], old: list[Any]) -> Faults:
    added = sorted(set(new) - set(old))
    if added:
        listed = ", ".join(f'"{name}"' for name in added)
        yield forbidden(
            "metadata.finalizers",
            "no new finalizers can be added if the object is being deleted, "
            f"found new finalizers []string{{{listed}}}",
        )
