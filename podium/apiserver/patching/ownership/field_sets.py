"""Sets of fields of an object, as owned by a manager.

A set is an immutable tree, whose edges are named as in FieldsV1 (meta/v1): `f:name` is a field or
map key, `k:{"name":"c"}` an entry of a list by its keys, `v:"x"` an entry of a list of scalars,
`i:0` an entry by its index. The edge `.` makes the value itself a member of the set; otherwise only
its parts are.

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
"""A member without parts."""

_ORDER = {"f": 0, "k": 1, "v": 2, "i": 3}


def union(fields: FieldSet, other: FieldSet) -> FieldSet:
    """Return the fields in either set."""
    if not fields or not other or fields is other:
        return fields or other
    joined = {**fields, **other}
    for step in fields.keys() & other.keys():
        joined[step] = union(fields[step], other[step])
    return joined


def intersection(fields: FieldSet, other: FieldSet) -> FieldSet:
    """Return the fields in both sets."""
    common: dict[str, Any] = {}
    for step, part in fields.items():
        if step in other:
            shared = intersection(part, other[step])
            if shared or step == SELF:
                common[step] = shared
    return common


def difference(fields: FieldSet, other: FieldSet) -> FieldSet:
    """Return the fields in `one` and not in `other`; parts stay even if the whole is in `other`."""
    if not other:
        return fields
    left: dict[str, Any] = {}
    for step, part in fields.items():
        if step not in other:
            left[step] = part
        elif step != SELF:
            rest = difference(part, other[step])
            if rest:
                left[step] = rest
    return left


def cut(fields: FieldSet, other: FieldSet) -> FieldSet:
    """Return the fields in `one` that are neither in `other` nor parts of its members."""
    left: dict[str, Any] = {}
    for step, part in fields.items():
        gone = other.get(step, NOTHING)
        if step == SELF or not gone:
            left[step] = part
        elif SELF not in gone:
            rest = cut(part, gone)
            if rest:
                left[step] = rest
    return left


def outside(fields: FieldSet, names: Iterable[str]) -> FieldSet:
    """Return a set without these top-level fields and their parts."""
    gone = {f"f:{name}" for name in names}
    return {step: part for step, part in fields.items() if step not in gone}


def paths(fields: FieldSet, before: str = "") -> Iterator[str]:
    """Yield the fields, such as `.spec.containers[name="c"].image`; members before their parts."""
    split = [step.partition(":") for step in fields if step != SELF]
    split.sort(key=lambda parts: (_ORDER[parts[0]], parts[2]))
    steps = ["".join(parts) for parts in split]
    for step in steps:
        if SELF in fields[step]:
            yield before + step_text(step)
    for step in steps:
        yield from paths(fields[step], before + step_text(step))


def step_text(step: str) -> str:
    """Format an edge for error messages."""
    kind, _, rest = step.partition(":")
    if kind == "f":
        return f".{rest}"
    if kind == "k":
        keys = json.loads(rest).items()
        rest = ",".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in keys)
    return f"[={rest}]" if kind == "v" else f"[{rest}]"


def from_fields_v1(raw: Any) -> FieldSet:
    """Parse FieldsV1; raises ValueError."""
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
    """Convert a set to FieldsV1."""
    if fields.keys() == {SELF}:
        return {}
    return {step: to_fields_v1(fields[step]) for step in sorted(fields)}
