"""Sets of fields: which fields of an object somebody owns.

A set is a tree. An edge is a step from a value into it, spelt as FieldsV1 (meta/v1) spells it:
`f:name` to a field or a map's value, `k:{"name":"c"}` to an entry of a list by its keys, `v:"x"`
to an entry of a list of scalars, `i:0` to one by its index. The edge `.` says that the value itself
belongs to the set, which having parts in it doesn't imply. Sets are never changed in place.

Source: structured-merge-diff, as Kubernetes v1.36 uses it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

FieldSet = Mapping[str, Any]

SELF = "."
NOTHING: FieldSet = {}
LEAF: FieldSet = {SELF: {}}
"""A value that belongs to a set, none of its parts."""

_ORDER = {"f": 0, "k": 1, "v": 2, "i": 3}


def union(one: FieldSet, other: FieldSet) -> FieldSet:
    """What is in either."""
    if not one or not other or one is other:
        return one or other
    joined = {**one, **other}
    for step in one.keys() & other.keys():
        joined[step] = union(one[step], other[step])
    return joined


def intersection(one: FieldSet, other: FieldSet) -> FieldSet:
    """What is in both."""
    common: dict[str, Any] = {}
    for step, part in one.items():
        if step in other:
            shared = intersection(part, other[step])
            if shared or step == SELF:
                common[step] = shared
    return common


def difference(one: FieldSet, other: FieldSet) -> FieldSet:
    """What is in the one and not in the other, value by value: parts don't go with the whole."""
    if not other:
        return one
    left: dict[str, Any] = {}
    for step, part in one.items():
        if step not in other:
            left[step] = part
        elif step != SELF:
            rest = difference(part, other[step])
            if rest:
                left[step] = rest
    return left


def cut(one: FieldSet, other: FieldSet) -> FieldSet:
    """What is in the one, neither in the other nor in a part of what is in the other."""
    left: dict[str, Any] = {}
    for step, part in one.items():
        gone = other.get(step, NOTHING)
        if step == SELF or not gone:
            left[step] = part
        elif SELF not in gone:
            rest = cut(part, gone)
            if rest:
                left[step] = rest
    return left


def outside(fields: FieldSet, names: Iterable[str]) -> FieldSet:
    """A set without some top-level fields and all that is in them."""
    gone = {f"f:{name}" for name in names}
    return {step: part for step, part in fields.items() if step not in gone}


def paths(fields: FieldSet, before: str = "") -> Iterator[str]:
    """What is in a set, as messages spell it, such as `.spec.containers[name="c"].image`.

    The members of a level come before what is in them.
    """
    split = [step.partition(":") for step in fields if step != SELF]
    steps = ["".join(one) for one in sorted(split, key=lambda one: (_ORDER[one[0]], one[2]))]
    for step in steps:
        if SELF in fields[step]:
            yield before + step_text(step)
    for step in steps:
        yield from paths(fields[step], before + step_text(step))


def step_text(step: str) -> str:
    """A step as messages spell it."""
    kind, _, rest = step.partition(":")
    if kind == "f":
        return f".{rest}"
    if kind == "k":
        keys = json.loads(rest).items()
        rest = ",".join(f"{key}={json.dumps(one, ensure_ascii=False)}" for key, one in keys)
    return f"[={rest}]" if kind == "v" else f"[{rest}]"


def from_fields_v1(raw: Any) -> FieldSet:
    """The set of FieldsV1, with each value that has nothing in it; raises ValueError."""
    if not isinstance(raw, Mapping):
        raise ValueError(f"{raw} is no step of FieldsV1")
    read: dict[str, Any] = {}
    for step, part in raw.items():
        if not _is_step(step):
            raise ValueError(f"{step} is no step of FieldsV1")
        if step == SELF:
            read[step] = {}
        else:
            read[step] = LEAF if part == {} else from_fields_v1(part)
    return read


@lru_cache(maxsize=1 << 12)
def _is_step(step: str) -> bool:
    kind, _, rest = step.partition(":")
    try:
        match kind:
            case "f":
                return ":" in step
            case "k":
                return isinstance(json.loads(rest), dict)
            case "v":
                return not isinstance(json.loads(rest), dict | list)
            case "i":
                return rest.isdecimal()
    except ValueError:
        return False
    return step == SELF


def to_fields_v1(fields: FieldSet) -> dict[str, Any]:
    """FieldsV1 from a set."""
    if fields.keys() == {SELF}:
        return {}
    return {step: to_fields_v1(fields[step]) for step in sorted(fields)}
