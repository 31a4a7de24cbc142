"""Validation of the schemas of CustomResourceDefinitions, with kube-apiserver's messages.

A schema has to be structural: each value has a type, and is specified in one place.
"""

from collections.abc import Mapping
from typing import Any

from podium.api.errors import FieldError, unsupported
from podium.api.objects import entries, part
from podium.apiserver.custom_resources.structural_faults import value_faults
from podium.apiserver.decoding.typed import pruned
from podium.apiserver.schema.custom import EMBEDDED, INT_OR_STRING, PRESERVES
from podium.apiserver.validation import checks

Schema = Mapping[str, Any]

_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_SELECTABLE_TYPES = ("boolean", "integer", "string")
_LIST_TYPES = ("atomic", "set", "map")
_JUNCTORS = ("allOf", "anyOf", "oneOf")
_NOT_SUPPORTED = (
    "$ref", "additionalItems", "definitions", "dependencies", "id", "patternProperties",
)  # fmt: skip
_LIST_TYPE, _MAP_KEYS, _MAP_TYPE = (
    f"x-kubernetes-{name}" for name in ("list-type", "list-map-keys", "map-type")
)
_NAMES = {"name", "generateName"}
_UNTYPED = "must not be empty for specified object fields"
_QUADRATIC = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
_NAMES_ALONE = (
    "must not specify anything other than name and generateName, but metadata is implicitly "
    "specified"
)
_NO_FIELDS = f"must not be empty if {EMBEDDED} is true without x-kubernetes-preserve-unknown-fields"
_NO_KEY = f"this property is in {_MAP_KEYS}, so it must have a default or be a required property"
_NOT_SELECTABLE = (
    "must point to a field of type string, boolean or integer. Enum string fields and strings "
    "with formats are allowed."
)


def schema_faults(schema: Any, path: str) -> checks.Faults:
    """Yield the faults of the schema of one version of a CustomResourceDefinition."""
    if not isinstance(schema, Mapping):
        yield checks.required(path, "schemas are required")
        return
    misshapen = list(_misshapen(schema, path))
    yield from misshapen or _whole(schema, path)


def selectable_fault(schema: Any, steps: tuple[str, ...]) -> str:
    """Return why a field of a schema can't be selectable; empty if it can."""
    for step in steps:
        schema = part(schema, "properties").get(step) or {}
    if not schema:
        return "is an invalid path: does not refer to a valid field"
    return "" if schema.get("type") in _SELECTABLE_TYPES else _NOT_SELECTABLE


def _misshapen(schema: Schema, path: str) -> checks.Faults:
    # Loading takes time, and only definitions need it.
    from jsonschema import Draft4Validator
    from jsonschema.exceptions import best_match

    # All items of a list are alike.
    properties = {**Draft4Validator.META_SCHEMA["properties"], "items": {"$ref": "#"}}
    validator = Draft4Validator({**Draft4Validator.META_SCHEMA, "properties": properties})
    for one in validator.iter_errors(schema):
        error = best_match([one])
        if error is not None and error.validator == "type" and error.absolute_path[-1] != "type":
            place, is_key = path, False
            for step in error.absolute_path:
                place += f"[{step}]" if is_key or isinstance(step, int) else f".{step}"
                is_key = step == "properties" and not is_key
            yield FieldError(place, error.instance, error.message)


def _whole(schema: Schema, path: str) -> checks.Faults:
    kind = schema.get("type")
    if not kind:
        yield checks.required(f"{path}.type", "must not be empty at the root")
    elif kind != "object":
        yield FieldError(f"{path}.type", kind, "must be object at the root")
    if schema.get("nullable"):
        yield checks.forbidden(f"{path}.nullable", "nullable cannot be true at the root")
    yield from _metadata(schema, path)
    yield from _schema(schema, path)


def _schema(schema: Schema, path: str) -> checks.Faults:
    # Loading takes time, and only definitions need it.
    from podium.apiserver.custom_resources.draft_4 import pattern_fault

    kind = schema.get("type")
    if kind is not None and kind not in _TYPES:
        yield unsupported(f"{path}.type", kind, _TYPES)
        return
    for name in _NOT_SUPPORTED:
        if schema.get(name):
            yield checks.forbidden(f"{path}.{name}", f"{name} is not supported")
            return
    if (value := schema.get("default")) is not None:
        where = f"{path}.default"
        if pruned(value, schema) != value:
            yield FieldError(where, value, "must not have unknown fields")
        else:
            yield from (fault.under(where) for fault in value_faults(schema, value))
    if schema.get("uniqueItems"):
        yield checks.forbidden(f"{path}.uniqueItems", _QUADRATIC)
    if schema.get("properties") and schema.get("additionalProperties") is not None:
        why = "additionalProperties and properties are mutual exclusive"
        yield checks.forbidden(f"{path}.additionalProperties", why)
    if (pattern := schema.get("pattern")) and (why := pattern_fault(pattern)):
        why = f"must be a valid regular expression, but isn't: {why}"
        yield FieldError(f"{path}.pattern", pattern, why)
    if kind == "array" and not schema.get("items"):
        yield checks.required(f"{path}.items", "must be specified")
    yield from _extensions(schema, path)
    parts = [
        *((f"{path}.properties[{name}]", one) for name, one in part(schema, "properties").items()),
        *((f"{path}.{name}", schema.get(name)) for name in ("items", "additionalProperties")),
    ]
    for where, inner in parts:
        if inner is None or isinstance(inner, bool):
            continue
        if not any(inner.get(one) for one in ("type", INT_OR_STRING, PRESERVES)):
            yield checks.required(f"{where}.type", _UNTYPED)
        yield from _schema(inner, where)


def _extensions(schema: Schema, path: str) -> checks.Faults:
    if schema.get(EMBEDDED):
        yield from _metadata(schema, path)
        if not schema.get("properties") and not schema.get(PRESERVES):
            yield checks.required(f"{path}.properties", _NO_FIELDS)
    if not schema.get(INT_OR_STRING):
        for name in _JUNCTORS:
            for index, one in enumerate(entries(schema, name)):
                if one.get("type"):
                    where = f"{path}.{name}[{index}].type"
                    yield checks.forbidden(where, "must be empty to be structural")
    kind = schema.get(_LIST_TYPE)
    if kind is not None and kind not in _LIST_TYPES:
        yield unsupported(f"{path}.{_LIST_TYPE}", kind, _LIST_TYPES)
    elif kind == "set":
        items = part(schema, "items")
        inner = _MAP_TYPE if items.get("type") == "object" else _LIST_TYPE
        if items.get("type") in ("object", "array") and items.get(inner) != "atomic":
            why = f"must be atomic as item of a list with {_LIST_TYPE}=set"
            yield FieldError(f"{path}.items.{inner}", items.get(inner), why)
    elif kind == "map":
        yield from _map_keys(schema, path)


def _map_keys(schema: Schema, path: str) -> checks.Faults:
    keys = [key for key in entries(schema, _MAP_KEYS) if isinstance(key, str)]
    items, where = part(schema, "items"), f"{path}.{_MAP_KEYS}"
    properties = part(items, "properties")
    if not keys:
        yield checks.required(where, f"must not be empty if {_LIST_TYPE} is map")
    elif not all(key in properties for key in keys):
        yield FieldError(where, keys, "entries must all be names of item properties")
    for key in keys:
        is_needed = key not in properties or key in entries(items, "required")
        if not is_needed and properties[key].get("default") is None:
            yield checks.required(f"{path}.items.properties[{key}].default", _NO_KEY)


def _metadata(schema: Schema, path: str) -> checks.Faults:
    metadata = part(schema, "properties", "metadata")
    is_open = part(metadata, "properties").keys() <= _NAMES
    if metadata.keys() - {"type", "properties", "default"} or not is_open:
        yield checks.forbidden(f"{path}.properties[metadata]", _NAMES_ALONE)
