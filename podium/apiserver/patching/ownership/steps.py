"""How values of a type are taken apart: as a whole, field by field, or entry by entry."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from podium.apiserver.patching.ownership.field_sets import LEAF, NOTHING, SELF, FieldSet
from podium.apiserver.schema import ListOf, MapOf, Scalar, Struct, Type

Shape = Literal["leaf", "map", "list"]

WHOLE = Scalar("any")
"""The type of what is taken as a whole although its own type doesn't say so."""


class UntypedError(Exception):
    """A value that isn't of its type; says where and why."""


def shape(value: Any, of: Type | None) -> Shape:
    """How a value is taken: as a whole, by fields, or by entries.

    What isn't in the schema is taken by fields if it is an object, and otherwise as a whole.
    """
    if of is WHOLE:
        return "leaf"
    if isinstance(value, Mapping):
        if isinstance(of, Struct | MapOf):
            return "leaf" if of.is_atomic else "map"
        return "map" if of is None or isinstance(of, Scalar) else "leaf"
    if isinstance(value, list) and isinstance(of, ListOf) and not of.is_atomic:
        return "list"
    return "leaf"


def part_type(of: Type | None, name: str) -> Type | None:
    """The type of a field, or of a map's value; None if it isn't known."""
    if isinstance(of, Struct):
        field = of.fields.get(name)
        if field is None:
            return None
        return WHOLE if field.is_atomic else field.type
    return of.values if isinstance(of, MapOf) else None


def is_declared(of: Type | None, name: str) -> bool:
    """Whether a field is one of its struct's, not just a key of a map."""
    return isinstance(of, Struct) and name in of.fields


def entries(values: Sequence[Any], of: ListOf) -> dict[str, list[Any]]:
    """The entries of a list by step; several where a list repeats itself; raises UntypedError."""
    found: dict[str, list[Any]] = {}
    for index, value in enumerate(values):
        try:
            found.setdefault(entry_step(value, of), []).append(value)
        except UntypedError as error:
            raise UntypedError(f"element {index}: {error}") from None
    return found


def entry_step(value: Any, of: ListOf) -> str:
    """The step to an entry of a list; raises UntypedError."""
    if of.keys:
        if value is None:
            raise UntypedError("associative list with keys may not have a null element")
        if not isinstance(value, Mapping):
            raise UntypedError("associative list with keys may not have non-map elements")
        keys = {}
        for key in of.keys:
            found = value.get(key)
            if key not in value and isinstance(of.items, Struct):
                found = of.items.fields[key].default
            if found is not None:
                keys[key] = found
        if not keys:
            names = " ".join(json.dumps(key) for key in of.keys)
            nor = "(and doesn't have default values for any key fields)"
            what = "associative list with keys has an element that omits all key fields"
            raise UntypedError(f"{what} [{names}] {nor}")
        return f"k:{_compact(keys)}"
    match value:
        case Mapping():
            raise UntypedError("associative list without keys has an element that's a map type")
        case list():
            raise UntypedError("not supported: associative list with lists as elements")
        case None:
            raise UntypedError(
                "associative list without keys has an element that's an explicit null"
            )
    return f"v:{_compact(value)}"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def owned_fields(value: Any, of: Type | None) -> FieldSet:
    """The fields that a configuration claims; raises UntypedError."""
    match shape(value, of):
        case "map":
            owned: dict[str, FieldSet] = {}
            for name, one in value.items():
                part = part_type(of, name)
                fields = owned_fields(one, part)
                if shape(one, part) == "leaf" or one in (None, {}) or not is_declared(of, name):
                    fields = {SELF: {}, **fields}
                if fields:
                    owned[f"f:{name}"] = fields
            return owned
        case "list":
            assert isinstance(of, ListOf)
            return {
                step: {SELF: {}, **owned_fields(found[0], of.items)}
                for step, found in entries(value, of).items()
            }
    return NOTHING


def with_named_members(fields: FieldSet, of: Type | None) -> FieldSet:
    """A set in which a struct's fields belong to it, too, where something in them does."""
    named: dict[str, Any] = {}
    for step, part in fields.items():
        if step == SELF:
            named[step] = part
            continue
        name = step.removeprefix("f:")
        inner = of.items if isinstance(of, ListOf) else part_type(of, name)
        named[step] = with_named_members(part, inner)
        if step.startswith("f:") and is_declared(of, name):
            named[step] = {SELF: {}, **named[step]}
    return named


def strangers(fields: FieldSet, mine: FieldSet, of: Type | None) -> FieldSet:
    """The keys of maps and the entries of lists that aren't mine, wherever they stand.

    What is in an entry of mine goes with it. Podium's own machines write without saying who they
    are, so that much of what nobody owns is there on purpose.
    """
    found: dict[str, Any] = {}
    for step, part in fields.items():
        name, own = step.removeprefix("f:"), mine.get(step, NOTHING)
        if step.startswith("f:") and is_declared(of, name):
            inner = strangers(part, own, part_type(of, name))
            if inner:
                found[step] = inner
        elif SELF not in own and step != SELF:
            found[step] = part
    return found


def everything(value: Any, of: Type | None) -> FieldSet:
    """A value and all that is in it."""
    match shape(value, of):
        case "map":
            parts = {f"f:{n}": everything(one, part_type(of, n)) for n, one in value.items()}
            return {SELF: {}, **parts}
        case "list":
            assert isinstance(of, ListOf)
            found = entries(value, of).items()
            return {SELF: {}, **{step: everything(one[0], of.items) for step, one in found}}
    return LEAF
