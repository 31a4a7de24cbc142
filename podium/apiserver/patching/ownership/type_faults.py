"""What is wrong with the types of an object that the API server is to track field by field."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podium.apiserver.decoding.type_checker import unexpected
from podium.apiserver.patching.ownership.field_sets import step_text
from podium.apiserver.patching.ownership.steps import UntypedError, entry_step
from podium.apiserver.schema import ListOf, MapOf, Scalar, Struct, Type

_NUMBERS = ("int32", "int64", "float64")


def type_faults(value: Any, of: Type | None, at: str = "") -> Iterator[str]:
    """What is wrong with the types of a configuration; null is right everywhere."""
    where = f"{at}: " if at else ""
    match of:
        case _ if value is None or of is None:
            return
        case Scalar():
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            is_right, expected = not isinstance(value, Mapping | list), "a value without parts"
            if of.kind == "any":
                is_right = True
            elif of.kind in ("string", "bytes"):
                is_right, expected = isinstance(value, str), "a string"
            elif of.kind == "bool":
                is_right, expected = isinstance(value, bool), "true or false"
            elif of.kind in _NUMBERS:
                is_right, expected = is_number, "a number"
            if not is_right:
                yield where + unexpected(value, expected)
        case ListOf():
            if isinstance(value, list):
                yield from _list_faults(value, of, at)
            else:
                yield where + unexpected(value, "a list")
        case _ if not isinstance(value, Mapping):
            yield where + unexpected(value, "an object")
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


def _list_faults(values: Sequence[Any], of: ListOf, at: str) -> Iterator[str]:
    seen = set()
    for index, value in enumerate(values):
        step = f"i:{index}"
        if not of.is_atomic:
            try:
                step = entry_step(value, of)
            except UntypedError as error:
                yield f"{at}: element {index}: {error}"
                continue
            if step in seen:
                yield f"{at}: duplicate entries for key {step_text(step)}"
            seen.add(step)
        yield from type_faults(value, of.items, at + step_text(step))
