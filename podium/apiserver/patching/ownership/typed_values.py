"""Values taken apart by their types: as a whole, field by field, or entry by entry.

A part is reached by a step, spelt as in `field_sets`. Objects and lists are walked alike.

Source: structured-merge-diff, as Kubernetes v1.36 uses it.
"""

import json
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from podium.apiserver.decoding.type_checker import unexpected
from podium.apiserver.patching.ownership.field_sets import (
    LEAF,
    NOTHING,
    SELF,
    FieldSet,
    outside,
    step_text,
    union,
)
from podium.apiserver.schema import SCALARS, ListOf, MapOf, Scalar, Struct, Type

# The type of what is taken as a whole although its own type doesn't say so.
_WHOLE = SCALARS["any"]
_NUMBERS = ("int32", "int64", "float64")


class UntypedError(Exception):
    """A value that isn't of its type; says where and why."""


def _is_whole(value: Any, of: Type | None) -> bool:
    """Whether a value is taken as a whole.

    What isn't in the schema is taken by fields if it is an object, and otherwise as a whole.
    """
    if isinstance(value, dict):
        is_atomic = of.is_atomic if isinstance(of, Struct | MapOf) else isinstance(of, ListOf)
        return is_atomic or of is _WHOLE
    return not isinstance(value, list) or not isinstance(of, ListOf) or of.is_atomic


def _parts(value: Any, of: Type | None) -> dict[str, list[Any]] | None:
    """The parts of a value by step, several where a list repeats a key; None if it is a whole."""
    if _is_whole(value, of):
        return None
    if isinstance(value, dict):
        return {f"f:{name}": [part] for name, part in value.items()}
    assert isinstance(of, ListOf)
    entries: dict[str, list[Any]] = {}
    for index, entry in enumerate(value):
        try:
            entries.setdefault(_entry_step(entry, of), []).append(entry)
        except UntypedError as error:
            raise UntypedError(f"element {index}: {error}") from None
    return entries


def _part_type(of: Type | None, step: str) -> Type | None:
    """The type of what a step leads to; None if it isn't known."""
    if isinstance(of, ListOf):
        return of.items
    if isinstance(of, MapOf):
        return of.values
    field = of.fields.get(step[2:]) if isinstance(of, Struct) else None
    return None if field is None else _WHOLE if field.is_atomic else field.type


def _is_declared(of: Type | None, step: str) -> bool:
    """Whether a step leads to a field of a struct, not just to a map's value or an entry."""
    return isinstance(of, Struct) and step[2:] in of.fields


def _entry_step(entry: Any, of: ListOf) -> str:
    if not of.keys:
        match entry:
            case dict():
                why = "associative list without keys has an element that's a map type"
            case list():
                why = "not supported: associative list with lists as elements"
            case None:
                why = "associative list without keys has an element that's an explicit null"
            case _:
                return f"v:{_compact(entry)}"
        raise UntypedError(why)
    if not isinstance(entry, dict):
        elements = "a null element" if entry is None else "non-map elements"
        raise UntypedError(f"associative list with keys may not have {elements}")
    keys = {}
    for key in of.keys:
        value = entry.get(key)
        if key not in entry and isinstance(of.items, Struct):
            value = of.items.fields[key].default
        if value is not None:
            keys[key] = value
    if not keys:
        names = " ".join(json.dumps(key) for key in of.keys)
        nor = "(and doesn't have default values for any key fields)"
        what = "associative list with keys has an element that omits all key fields"
        raise UntypedError(f"{what} [{names}] {nor}")
    return f"k:{_compact(keys)}"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def everything(value: Any, of: Type | None) -> FieldSet:
    """A value and all that is in it; raises UntypedError."""
    parts = _parts(value, of) or {}
    inner = {step: everything(one[0], _part_type(of, step)) for step, one in parts.items()}
    return {SELF: {}, **inner}


def owned_fields(value: Any, of: Type | None) -> FieldSet:
    """The fields that a configuration claims; raises UntypedError."""
    owned: dict[str, FieldSet] = {}
    for step, (part, *_) in (_parts(value, of) or {}).items():
        part_type = _part_type(of, step)
        fields = owned_fields(part, part_type)
        if part in (None, {}) or _is_whole(part, part_type) or not _is_declared(of, step):
            fields = {SELF: {}, **fields}
        if fields:
            owned[step] = fields
    return owned


def with_named_members(fields: FieldSet, of: Type | None) -> FieldSet:
    """A set in which a struct's fields belong to it, too, where something in them does."""
    named: dict[str, Any] = {}
    for step, part in fields.items():
        itself = LEAF if _is_declared(of, step) else NOTHING
        named[step] = {**itself, **with_named_members(part, _part_type(of, step))}
    return named


def strangers(fields: FieldSet, mine: FieldSet, of: Type | None) -> FieldSet:
    """The keys of maps and the entries of lists that aren't mine, wherever they stand.

    What is in an entry of mine goes with it. Podium's own machines write without saying who they
    are, so that much of what nobody owns is there on purpose.
    """
    found: dict[str, Any] = {}
    for step, part in fields.items():
        own = mine.get(step, NOTHING)
        if _is_declared(of, step):
            inner = strangers(part, own, _part_type(of, step))
            if inner:
                found[step] = inner
        elif SELF not in own and step != SELF:
            found[step] = part
    return found


class FieldComparison(NamedTuple):
    """The fields by which two objects differ: added, changed and removed."""

    added: FieldSet = NOTHING
    modified: FieldSet = NOTHING
    removed: FieldSet = NOTHING

    @property
    def changed(self) -> FieldSet:
        """What the new object has, and the old one has not or otherwise."""
        return union(self.added, self.modified)


_EQUAL = FieldComparison()


def compare(old: Any, new: Any, of: Type | None, ignored: Sequence[str] = ()) -> FieldComparison:
    """Compare two objects in all but some top-level fields; raises UntypedError."""
    compared = _compare([old], [new], of)
    return FieldComparison(*(outside(fields, ignored) for fields in compared))


def _compare(old: Sequence[Any], new: Sequence[Any], of: Type | None) -> FieldComparison:
    """Compare what is at one step: nothing where it is absent, several if a list repeats a key."""
    if not old:
        return FieldComparison(added=everything(new[0], of))
    if not new:
        return FieldComparison(removed=everything(old[0], of))
    if len(old) == len(new) == 1:
        before, after = old[0], new[0]
        if before is after:
            return _EQUAL
        parts_before = _parts(before, of) if before else {}
        parts_after = _parts(after, of) if after else {}
        if parts_before is not None and parts_after is not None and (before or after):
            joined: tuple[dict[str, Any], ...] = ({}, {}, {})
            for step in {**parts_before, **parts_after}:
                compared = _compare(
                    parts_before.get(step, ()), parts_after.get(step, ()), _part_type(of, step)
                )
                if compared is not _EQUAL:
                    for fields, part in zip(joined, compared, strict=True):
                        if part:
                            fields[step] = part
            return FieldComparison(*joined) if any(joined) else _EQUAL
    return _EQUAL if old == new else FieldComparison(modified=LEAF)


def merged(live: Any, config: Any, of: Type | None) -> Any:
    """The live value with a configuration merged into it; raises UntypedError.

    What is taken as a whole is the configuration's, null included. Where fields or entries are
    merged, null says nothing. Of a list, the configuration's entries come in its order, others stay
    where they were: an entry that both have keeps what stood before it, and what is new comes right
    before the next entry that both have, or at the end.
    """
    said = [one for one in (live, config) if one]
    if not said or any(_is_whole(one, of) for one in said):
        return config
    if isinstance(said[0], dict):
        found = dict(live or {})
        for name, value in (config or {}).items():
            inner = _part_type(of, f"f:{name}")
            found[name] = merged(found[name], value, inner) if name in found else value
        return found
    old, new = _parts(live or [], of) or {}, _parts(config or [], of) or {}
    entries: list[Any] = []
    waiting, shared = deque(old), deque(step for step in new if step in old)
    for step, (entry, *_) in new.items():
        anchor = shared[0] if shared else None
        while waiting and waiting[0] != anchor:
            other = waiting.popleft()
            entries += old[other] if other not in new else ()
        if step != anchor:
            entries.append(entry)
            continue
        shared.popleft()
        if waiting:
            waiting.popleft()
        entries.append(merged(old[step][0], entry, _part_type(of, step)))
    return entries + [entry for step in waiting for entry in old[step]]


def without(value: Any, fields: FieldSet, of: Type | None) -> Any:
    """The value without some fields, and all that is in them.

    Of what is taken as a whole nothing can be taken away.
    """
    parts = _parts(value, of) if fields else None
    if parts is None:
        return value
    kept = [
        (step[2:], without(part, fields.get(step, NOTHING), _part_type(of, step)))
        for step, found in parts.items()
        if SELF not in fields.get(step, NOTHING)
        for part in found
    ]
    return dict(kept) if isinstance(value, dict) else [part for _, part in kept]


def type_faults(value: Any, of: Type | None, at: str = "") -> Iterator[str]:
    """What is wrong with the types of a configuration; null is right everywhere."""
    expected = ""
    match of:
        case _ if value is None or of is None:
            return
        case Scalar():
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if of.kind in ("string", "bytes"):
                expected = "" if isinstance(value, str) else "a string"
            elif of.kind == "bool":
                expected = "" if isinstance(value, bool) else "true or false"
            elif of.kind in _NUMBERS:
                expected = "" if is_number else "a number"
            elif of.kind != "any" and isinstance(value, dict | list):
                expected = "a value without parts"
        case ListOf() if isinstance(value, list):
            seen = set()
            for index, entry in enumerate(value):
                step = f"i:{index}"
                if not of.is_atomic:
                    try:
                        step = _entry_step(entry, of)
                    except UntypedError as error:
                        yield f"{at}: element {index}: {error}"
                        continue
                    if step in seen:
                        yield f"{at}: duplicate entries for key {step_text(step)}"
                    seen.add(step)
                yield from type_faults(entry, of.items, at + step_text(step))
        case ListOf():
            expected = "a list"
        case _ if not isinstance(value, dict):
            expected = "an object"
        case MapOf():
            for key, one in value.items():
                yield from type_faults(one, of.values, f"{at}.{key}")
        case Struct():
            for name, one in value.items():
                field = of.fields.get(name)
                if field is not None:
                    yield from type_faults(one, field.type, f"{at}.{name}")
                elif not of.is_open:
                    yield f"{at}.{name}: field not declared in schema"
                    return
    if expected:
        yield f"{at}: {unexpected(value, expected)}" if at else unexpected(value, expected)
