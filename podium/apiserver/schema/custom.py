"""The types of custom kinds, derived from their structural schemas."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.objects import entries, part
from podium.apiserver.schema.model import SCALARS, Field, ListOf, MapOf, Struct, Type
from podium.apiserver.schema.struct_types import meta_struct, struct_of

Schema = Mapping[str, Any]

PRESERVES = "x-kubernetes-preserve-unknown-fields"
EMBEDDED = "x-kubernetes-embedded-resource"
INT_OR_STRING = "x-kubernetes-int-or-string"

_ANY, _STRING = SCALARS["any"], SCALARS["string"]
_SCALARS: Mapping[str, str] = {
    "string": "string",
    "boolean": "bool",
    "integer": "int64",
    "number": "float64",
}


class CustomStruct(Struct):
    """The type of a custom kind's objects."""

    def __init__(self, kind: CustomKind) -> None:
        schema = kind.schema
        is_open = bool(schema.get(PRESERVES))
        super().__init__(kind.name, False, lambda: _whole(schema), is_open=is_open)
        self.schema_name = f"{'.'.join(reversed(kind.group.split('.')))}.{kind.version}.{kind.name}"
        self.kind = kind


_custom_struct = lru_cache(maxsize=256)(CustomStruct)


@lru_cache(maxsize=256)
def header_struct(kind: CustomKind) -> Struct:
    """Return a type with only the fields that all kinds share: apiVersion, kind and metadata."""
    return Struct(kind.name, False, _header, is_open=True)


def _header() -> dict[str, Field]:
    return {
        "apiVersion": Field(_STRING),
        "kind": Field(_STRING),
        "metadata": Field(meta_struct("ObjectMeta")),
    }


def _whole(schema: Schema) -> dict[str, Field]:
    return dict(sorted({**_fields(schema), **_header()}.items()))


def _fields(schema: Schema) -> dict[str, Field]:
    properties = sorted(part(schema, "properties").items())
    return {name: Field(_type(one), default=one.get("default")) for name, one in properties}


def _type(schema: Schema) -> Type:
    is_atomic = schema.get("x-kubernetes-map-type") == "atomic"
    match schema.get("type"):
        case "object":
            fields = _whole if schema.get(EMBEDDED) else _fields
            if schema.get(EMBEDDED) or schema.get("properties"):
                is_open = bool(schema.get(PRESERVES))
                return Struct("", is_atomic, lambda: fields(schema), is_open=is_open)
            values = schema.get("additionalProperties")
            if isinstance(values, Mapping):
                return MapOf(_type(values), is_atomic=is_atomic)
            return MapOf(_ANY, is_atomic=is_atomic)
        case "array":
            keys: tuple[str, ...] = ()
            kind = schema.get("x-kubernetes-list-type")
            if kind == "map":
                keys = tuple(entries(schema, "x-kubernetes-list-map-keys"))
            return ListOf(_type(part(schema, "items")), keys=keys, is_set=kind == "set")
        case str(name) if name in _SCALARS:
            return SCALARS[_SCALARS[name]]
    return _ANY


def struct_for(kind: Kind, api_version: str = "") -> Struct:
    """Return the type of a kind's objects, for built-in kinds in the given version."""
    if isinstance(kind, CustomKind):
        return _custom_struct(kind)
    struct = struct_of(api_version or kind.api_version, kind.name)
    assert struct is not None
    return struct
