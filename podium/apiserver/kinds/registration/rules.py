"""The words that rules for updates are written in, and what may change of any object's metadata.

A rule takes the new object and the stored one, and yields the faults that it finds. What is the
very same object in both hasn't changed and isn't looked at.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from podium.api.errors import FieldError
from podium.api.objects import Object, entries
from podium.apiserver.internals import internal
from podium.apiserver.validation.checks import NOT_NEGATIVE, Check, Faults, forbidden
from podium.apiserver.validation.metadata import annotations, finalizer_names, owners
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


def immutable_value(new: Any, old: Any, path: str) -> Faults:
    """The value hasn't changed; `path` is where kube-apiserver says that it stands."""
    if not same(new, old):
        yield FieldError(path, _ABSENT if new is None else new, IMMUTABLE)


def immutable(path: str, title: str = "", type_name: str = "") -> Rule:
    """The field never changes.

    Args:
        title: the name of the field in faults, if not its path.
        type_name: of the internal type as which it is compared and shown, if not as it is.
    """

    def rule(new: Object, old: Object) -> Faults:
        now, before = at(new, path), at(old, path)
        if type_name and not same(now, before):
            now, before = (one and internal(type_name, one) for one in (now, before))
        yield from immutable_value(now, before, title or path)

    return rule


def fixed(path: str, message: str) -> Rule:
    """Changes of the field are forbidden, with a message of the kind's own."""

    def rule(new: Object, old: Object) -> Faults:
        if not same(at(new, path), at(old, path)):
            yield forbidden(path, message)

    return rule


def all_of(*rules: Rule) -> Rule:
    """All the rules, one after the other."""

    def rule(new: Object, old: Object) -> Faults:
        for one in rules:
            yield from one(new, old)

    return rule


def valid(check: Check, *parts: str) -> Rule:
    """The new object is valid by itself; of `parts`, if any, only faults in these fields count."""
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


def metadata(new: Object, old: Object) -> Faults:
    """The metadata of an object that is updated."""
    now, before = new["metadata"], old["metadata"]
    if now is before:
        return
    added = sorted(set(entries(now, "finalizers")) - set(entries(before, "finalizers")))
    if added and before.get("deletionTimestamp"):
        listed = ", ".join(f'"{name}"' for name in added)
        yield forbidden(
            "metadata.finalizers",
            "no new finalizers can be added if the object is being deleted, "
            f"found new finalizers []string{{{listed}}}",
        )
    if not now.get("resourceVersion"):
        yield FieldError("metadata.resourceVersion", "", "must be specified for an update")
    if (now.get("generation") or 0) < (before.get("generation") or 0):
        message = "must not be decremented"
        yield FieldError("metadata.generation", now.get("generation") or 0, message)
    for field in _FIXED:
        yield from immutable_value(now.get(field), before.get(field), f"metadata.{field}")
    yield from _changed_metadata(new, old, _CHECKED)


def every_metadata(new: Object, old: Object) -> Faults:
    """What is asked of any object's metadata, as of a new one and as of a changed one."""
    yield from _changed_metadata(new, old, (*_CHECKED, ("finalizers", finalizer_names)))
    yield from metadata(new, old)


def _changed_metadata(new: Object, old: Object, known: Iterable[tuple[str, Check]]) -> Faults:
    """What has changed is valid; what is stored has been checked before."""
    now, before = new["metadata"], old["metadata"]
    for field, check in known if now is not before else ():
        value = now.get(field)
        if value and value != before.get(field):
            yield from check(value, f"metadata.{field}")


def changed(check: Check, *parts: str) -> Rule:
    """The metadata may be changed, and the new object, or some parts of it, are valid."""
    return all_of(metadata, valid(check, *parts))
