"""The words that rules for updates are written in, and what may change of any object's metadata.

A rule takes the new object and the stored one, and yields the faults that it finds. What is the
very same object in both hasn't changed and isn't looked at.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from podium.api.errors import FieldError
from podium.api.objects import Object, entries
from podium.apiserver.validation.checks import NOT_NEGATIVE, Check, Faults, forbidden
from podium.apiserver.validation.metadata import annotations, owners
from podium.apiserver.validation.names import label_map

Rule = Callable[[Object, Object], Faults]

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
IMMUTABLE = "field is immutable"
# How kube-apiserver writes a value that isn't there.
_ABSENT = "null"
_EMPTY: tuple[Any, ...] = (None, "", [], {}, 0, False)


def same(first: Any, second: Any) -> bool:
    """Whether two values mean the same: an empty one is as good as none, deep inside as well."""
    if first is second or first == second:
        return True
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return all(same(first.get(key), second.get(key)) for key in {*first, *second})
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return all(map(same, first, second))
    return first in _EMPTY and second in _EMPTY


def at(obj: Object, path: str) -> Any:
    """The value at a path of fields, such as `spec.selector`; None where there is none."""
    value: Any = obj
    for field in path.split("."):
        value = value.get(field) if isinstance(value, Mapping) else None
    return value


def immutable_value(new: Any, old: Any, path: str, shown: Any = None) -> Faults:
    """The value hasn't changed.

    Args:
        new: as asked for.
        old: as stored.
        path: where it stands, in kube-apiserver's eyes.
        shown: how a fault shows the new value, if not as it is.
    """
    if not same(new, old):
        value = new if shown is None else shown
        yield FieldError(path, _ABSENT if value is None else value, IMMUTABLE)


def immutable(path: str, title: str = "", show: Callable[[Any], Any] | None = None) -> Rule:
    """The field never changes.

    Args:
        path: of the field.
        title: what a fault calls it, if not by its path.
        show: how a fault shows the new value, if not as it is.
    """

    def rule(new: Object, old: Object) -> Faults:
        value = at(new, path)
        shown = show(value) if show and value is not None else None
        yield from immutable_value(value, at(old, path), title or path, shown)

    return rule


def all_of(*rules: Rule) -> Rule:
    """All the rules, one after the other."""

    def rule(new: Object, old: Object) -> Faults:
        for one in rules:
            yield from one(new, old)

    return rule


def valid(check: Check, *parts: str) -> Rule:
    """The new object, or parts of it, are valid by themselves.

    Args:
        check: of the whole object.
        parts: only faults of these fields count, and of those within; all if none is told.
    """
    within = tuple(f"{part}{mark}" for part in parts for mark in ".[")

    def rule(new: Object, _old: Object) -> Faults:
        for fault in check(new, ""):
            if not parts or fault.field.startswith(within) or fault.field in parts:
                yield fault

    return rule


def not_negative(*paths: str) -> Rule:
    """The numbers at these paths aren't below zero."""

    def rule(new: Object, _old: Object) -> Faults:
        for path in paths:
            number = at(new, path)
            if number is not None and number < 0:
                yield FieldError(path, number, NOT_NEGATIVE)

    return rule


def without(spec: Object, fields: Collection[str]) -> dict[str, Any]:
    """The spec without some of its fields."""
    return {field: value for field, value in spec.items() if field not in fields}


def metadata(new: Object, old: Object) -> Faults:
    """The metadata of an object that is updated."""
    now, before = new["metadata"], old["metadata"]
    if now is before:
        return
    if before.get("deletionTimestamp"):
        yield from _no_new_finalizers(entries(now, "finalizers"), entries(before, "finalizers"))
    if not now.get("resourceVersion"):
        yield FieldError("metadata.resourceVersion", "", "must be specified for an update")
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


def _no_new_finalizers(new: Sequence[Any], old: Sequence[Any]) -> Faults:
    added = sorted(set(new) - set(old))
    if added:
        listed = ", ".join(f'"{name}"' for name in added)
        yield forbidden(
            "metadata.finalizers",
            "no new finalizers can be added if the object is being deleted, "
            f"found new finalizers []string{{{listed}}}",
        )


def changed(check: Check, *more: Rule) -> Rule:
    """The metadata may be changed, and the new object is valid."""
    return all_of(metadata, valid(check), *more)
