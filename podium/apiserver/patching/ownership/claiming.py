"""Which fields a value has, as sets: those that somebody claims by applying it, or all of them.

Source: structured-merge-diff, as Kubernetes v1.36 uses it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from podium.apiserver.patching.ownership.field_sets import LEAF, NOTHING, SELF, FieldSet
from podium.apiserver.patching.ownership.steps import entries, is_declared, part_type, shape
from podium.apiserver.schema import ListOf, Type


def owned_fields(value: Any, of: Type | None) -> FieldSet:
    """The fields that a configuration claims; raises Untyped."""
    match shape(value, of):
        case "map":
            return dict(_owned_in_map(value, of))
        case "list":
            assert isinstance(of, ListOf)
            return {
                step: {SELF: {}, **owned_fields(found[0], of.items)}
                for step, found in entries(value, of).items()
            }
    return NOTHING


def _owned_in_map(value: Mapping[str, Any], of: Type | None) -> Iterator[tuple[str, FieldSet]]:
    for name, one in value.items():
        part = part_type(of, name)
        fields = owned_fields(one, part)
        if shape(one, part) == "leaf" or one in (None, {}) or not is_declared(of, name):
            fields = {SELF: {}, **fields}
        if fields:
            yield f"f:{name}", fields


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
