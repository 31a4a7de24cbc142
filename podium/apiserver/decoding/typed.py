"""Conversion of decoded values to objects of their kind.

Custom objects are pruned, and get their defaults, by their structural schema.
"""

import copy
from collections.abc import Mapping
from operator import is_
from typing import Any

import msgspec

from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.objects import Object
from podium.apiserver.decoding.type_checker import Checker, Place, json_path
from podium.apiserver.schema import custom

Schema = Mapping[str, Any]

_HEADER = frozenset({"apiVersion", "kind", "metadata"})


def pruned(value: Any, schema: Schema) -> Any:
    """Return a value without the fields that its schema doesn't have."""
    return _pruned(value, schema, None, [])


def _pruned(
    value: Any, schema: Schema, at: Place, unknown: list[str], *, is_whole: bool = False
) -> Any:
    if isinstance(value, list):
        items = schema.get("items") or {}
        return [_pruned(one, items, (at, index), unknown) for index, one in enumerate(value)]
    if not isinstance(value, Mapping) or schema.get(custom.INT_OR_STRING):
        return value
    properties, values = schema.get("properties") or {}, schema.get("additionalProperties")
    keeps = bool(schema.get(custom.PRESERVES)) or values is True
    known = _HEADER if is_whole or schema.get(custom.EMBEDDED) else frozenset()
    kept = {}
    for name, one in value.items():
        part = properties.get(name, values if isinstance(values, Mapping) else None)
        if name in known:
            kept[name] = one
        elif part is not None:
            kept[name] = _pruned(one, part, (at, name), unknown)
        elif keeps:
            kept[name] = one
        else:
            unknown.append(json_path((at, name)))
    return kept


def with_defaults(kind: CustomKind, obj: Object) -> Object:
    """Return an object with the defaults of its schema; itself if no default is missing.

    A null counts as an absent field if the schema has a default and doesn't allow null.
    """
    return _filled(obj, kind.schema)  # type: ignore[no-any-return]


def _filled(value: Any, schema: Schema) -> Any:
    if isinstance(value, list):
        items = schema.get("items") or {}
        filled = [_filled(one, items) for one in value]
        return value if all(map(is_, filled, value)) else filled
    if not isinstance(value, Mapping):
        return value
    properties, values = schema.get("properties") or {}, schema.get("additionalProperties")
    made = dict(value)
    for name, part in properties.items():
        is_missing = name not in made or (made[name] is None and not part.get("nullable"))
        if is_missing and "default" in part:
            made[name] = copy.deepcopy(part["default"])
    for name, one in made.items():
        part = properties.get(name, values)
        if isinstance(part, Mapping) and one is not None:
            made[name] = _filled(one, part)
    same = len(made) == len(value) and all(made[name] is value[name] for name in value)
    return value if same else made


STRICT = "Strict"
"""Unknown and repeated fields are refused."""

WARN = "Warn"
"""The client is warned about unknown and repeated fields."""


class DecodedObject(msgspec.Struct, frozen=True):
    """An object from a request's body, without unknown fields, and warnings for the client."""

    obj: Any
    warnings: tuple[str, ...] = ()


def typed(kind: Kind, value: Any, api_version: str = "") -> tuple[Any, tuple[str, ...]]:
    """Return an object in its stored form, and messages on unknown fields; raises DecodingError."""
    checker, unknown = Checker(), list[str]()
    if not isinstance(kind, CustomKind):
        return checker.check(value, custom.struct_for(kind, api_version)), checker.strict
    checked = checker.check(value, custom.header_struct(kind))
    kept = _pruned(checked, kind.schema, None, unknown, is_whole=True)
    return kept, (*checker.strict, *sorted(f'unknown field "{one}"' for one in unknown))
