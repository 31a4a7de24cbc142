"""Rules for updates: functions that make and combine rules, and the rules for metadata.

A rule takes the new and the stored object, and yields the faults of the change. A part that is the
identical Python object in both is unchanged and isn't checked.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

from podium.api.errors import FieldError
from podium.api.objects import Object, entries
from podium.apiserver.internal_types import internal
from podium.apiserver.validation.checks import NOT_NEGATIVE, Check, Faults, forbidden
from podium.apiserver.validation.names import annotations, finalizer_names, label_map, owners

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
    """Return whether two values are equal; at any depth, empty and absent fields are equal."""
    if first is second or first == second:
        return True
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return all(same(first.get(key), second.get(key)) for key in {*first, *second})
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return all(map(same, first, second))
    return first in _EMPTY and second in _EMPTY


def at(obj: Object, path: str) -> Any:
    """Return the value at a path of fields, such as `spec.selector`; None if it is absent."""
    value: Any = obj
    for field in path.split("."):
        value = value.get(field) if isinstance(value, Mapping) else None
    return value


def immutable_value(new: Any, old: Any, path: str) -> Faults:
    """Yield a fault at `path` if a value differs from the stored one."""
    if not same(new, old):
        yield FieldError(path, _ABSENT if new is None else new, IMMUTABLE)


def immutable(path: str, title: str = "", type_name: str = "") -> Rule:
    """Return a rule that a field, or its form in an internal type, never changes."""

    def rule(new: Object, old: Object) -> Faults:
        now, before = at(new, path), at(old, path)
        if type_name and not same(now, before):
            now, before = (one and internal(type_name, one) for one in (now, before))
        yield from immutable_value(now, before, title or path)

    return rule


def fixed(path: str, message: str) -> Rule:
    """Return a rule that forbids changes of a field with a custom message."""
    return lambda new, old: iter(
        () if same(at(new, path), at(old, path)) else (forbidden(path, message),)
    )


def all_of(*rules: Rule) -> Rule:
    """Return a rule that yields the faults of several rules, in order."""
    return lambda new, old: chain.from_iterable(rule(new, old) for rule in rules)


def valid(check: Check, *parts: str) -> Rule:
    """Return a rule that checks the new object, and only reports faults in `parts` if given."""
    within = tuple(f"{part}{mark}" for part in parts for mark in ".[")
    return lambda new, _: (
        fault
        for fault in check(new, "")
        if not parts or fault.field.startswith(within) or fault.field in parts
    )


def not_negative(*paths: str) -> Rule:
    """Return a rule that the numbers at these paths of the new object aren't negative."""

    def rule(new: Object, _old: Object) -> Faults:
        for path in paths:
            number = at(new, path)
            if number is not None and number < 0:
                yield FieldError(path, number, NOT_NEGATIVE)

    return rule


def metadata(new: Object, old: Object) -> Faults:
    """Yield the faults of a change of metadata that the rules of most kinds report."""
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
    """Yield the faults of a change of metadata that kube-apiserver reports for every kind first."""
    yield from _changed_metadata(new, old, (*_CHECKED, ("finalizers", finalizer_names)))
    yield from metadata(new, old)


def _changed_metadata(new: Object, old: Object, known: Iterable[tuple[str, Check]]) -> Faults:
    # What hasn't changed was checked when it was stored.
    now, before = new["metadata"], old["metadata"]
    for field, check in known if now is not before else ():
        value = now.get(field)
        if value and value != before.get(field):
            yield from check(value, f"metadata.{field}")


def changed(check: Check, *parts: str) -> Rule:
    """Return a rule that checks the change of metadata, and the new object or its `parts`."""
    return all_of(metadata, valid(check, *parts))
