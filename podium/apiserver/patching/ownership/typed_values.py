"""Operations on values by their types: values are atomic, or split into fields or entries.

The parts of a value are identified by the edges of `field_sets`.

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
from podium.apiserver.schema.model import SCALARS, ListOf, MapOf, Scalar, Struct, Type

# The type of fields that are atomic although their own types aren't.
_WHOLE = SCALARS["any"]
_NUMBERS = ("int32", "int64", "float64")


class UntypedError(Exception):
    """A value isn't of its type; the message has the path and the reason."""


def _is_whole(value: Any, of: Type | None) -> bool:
    """Return whether a value is atomic.

    Of values that aren't in the schema, objects are split into fields; others are atomic.
    """
    if isinstance(value, dict):
        is_atomic = of.is_atomic if isinstance(of, Struct | MapOf) else isinstance(of, ListOf)
        return is_atomic or of is _WHOLE
    return not isinstance(value, list) or not isinstance(of, ListOf) or of.is_atomic


def _parts(value: Any, of: Type | None) -> dict[str, list[Any]] | None:
    """Return the parts of a value by edge, several if a list repeats a key; None if atomic."""
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
    """Return the type of the part at an edge; None if it is unknown."""
    if isinstance(of, ListOf):
        return of.items
    if isinstance(of, MapOf):
        return of.values
    field = of.fields.get(step[2:]) if isinstance(of, Struct) else None
    return None if field is None else _WHOLE if field.is_atomic else field.type


def _is_declared(of: Type | None, step: str) -> bool:
    """Return whether an edge is a field of a struct, rather than a map key or a list's entry."""
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
    """Return the set of a value and all its parts; raises UntypedError."""
    parts = _parts(value, of) or {}
    inner = {step: everything(part[0], _part_type(of, step)) for step, part in parts.items()}
    return {SELF: {}, **inner}


def owned_fields(value: Any, of: Type | None) -> FieldSet:
    """Return the fields that the applier of a configuration owns; raises UntypedError."""
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
    """Return a set that has struct fields as members if it has parts of these fields."""
    named: dict[str, Any] = {}
    for step, part in fields.items():
        itself = LEAF if _is_declared(of, step) else NOTHING
        named[step] = {**itself, **with_named_members(part, _part_type(of, step))}
    return named


def other_entries(fields: FieldSet, mine: FieldSet, of: Type | None) -> FieldSet:
    """Return the map keys and list entries of `fields`, at any depth, that aren't in `mine`.

    All parts of an entry in `mine` count as its own. Podium's components write without a field
    manager, so parts without an owner may still be wanted.
    """
    others: dict[str, Any] = {}
    for step, part in fields.items():
        own = mine.get(step, NOTHING)
        if _is_declared(of, step):
            inner = other_entries(part, own, _part_type(of, step))
            if inner:
                others[step] = inner
        elif SELF not in own and step != SELF:
            others[step] = part
    return others


class FieldComparison(NamedTuple):
    """The fields in which two objects differ: added, modified and removed fields."""

    added: FieldSet = NOTHING
    modified: FieldSet = NOTHING
    removed: FieldSet = NOTHING

    @property
    def changed(self) -> FieldSet:
        """The fields that the new object adds or modifies."""
        return union(self.added, self.modified)


_EQUAL = FieldComparison()


def compare(old: Any, new: Any, of: Type | None, ignored: Sequence[str] = ()) -> FieldComparison:
    """Compare two objects, ignoring some top-level fields; raises UntypedError."""
    return FieldComparison(*(outside(fields, ignored) for fields in _compare([old], [new], of)))


def _compare(old: Sequence[Any], new: Sequence[Any], of: Type | None) -> FieldComparison:
    """Compare the values at one edge; a sequence is empty if absent, longer for a repeated key."""
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
    """Merge a configuration into a live value; raises UntypedError.

    Atomic values are replaced, even by null; where fields or entries are merged, null changes
    nothing. Entries of the configuration keep their order. Other live entries stay in front of the
    shared entry that they precede; new entries are inserted before the next shared one, or last.
    """
    given = [value for value in (live, config) if value]
    if not given or any(_is_whole(value, of) for value in given):
        return config
    if isinstance(given[0], dict):
        fields = dict(live or {})
        for name, value in (config or {}).items():
            inner = _part_type(of, f"f:{name}")
            fields[name] = merged(fields[name], value, inner) if name in fields else value
        return fields
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
    """Return a value without these fields and their parts; atomic values are unchanged."""
    parts = _parts(value, of) if fields else None
    if parts is None:
        return value
    kept = [
        (step[2:], without(part, fields.get(step, NOTHING), _part_type(of, step)))
        for step, repeated in parts.items()
        if SELF not in fields.get(step, NOTHING)
        for part in repeated
    ]
    return dict(kept) if isinstance(value, dict) else [part for _, part in kept]


def type_faults(value: Any, of: Type | None, at: str = "") -> Iterator[str]:
    """Yield messages on values of wrong types in a configuration; null is allowed everywhere."""
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
            for key, part in value.items():
                yield from type_faults(part, of.values, f"{at}.{key}")
        case Struct():
            for name, part in value.items():
                field = of.fields.get(name)
                if field is not None:
                    yield from type_faults(part, field.type, f"{at}.{name}")
                elif not of.is_open:
                    yield f"{at}.{name}: field not declared in schema"
                    return
    if expected:
        yield f"{at}: {unexpected(value, expected)}" if at else unexpected(value, expected)
