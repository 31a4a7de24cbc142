"""Structural schemas of CustomResourceDefinitions: their faults, and those of custom objects.

Each value of a structural schema has a type, and is specified in one place. Objects are validated
as by JSON Schema draft 4, on which the schemas of OpenAPI 3.0 are based. Messages are those of
kube-apiserver.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from podium.api.errors import ErrorKind, FieldError, quoted, unsupported
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.objects import Object, entries, part
from podium.apiserver.decoding.typed import pruned
from podium.apiserver.schema.custom import EMBEDDED, INT_OR_STRING, PRESERVES
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, duplicate, fields, required
from podium.apiserver.validation.names import object_meta

if TYPE_CHECKING:
    from jsonschema import Draft4Validator, ValidationError

Schema = Mapping[str, Any]

_METADATA = fields(metadata=object_meta())
_PARTS = ("allOf", "anyOf", "oneOf")
_TYPES: Mapping[type, str] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}


def faults(kind: CustomKind, obj: Object, old: Object | None = None) -> Faults:
    """Yield the faults of a custom object, except in values that the update leaves unchanged."""
    if old is None:
        yield from _METADATA(dict(obj), "")
    errors = sorted(_validator(kind).iter_errors(obj), key=lambda one: path_text(one.absolute_path))
    for error in errors:
        if old is None or not _stays(error, old):
            yield from _faults_of_error(error)
    yield from _repeated(obj, kind.schema, ())


def value_faults(schema: Schema, value: Any) -> Faults:
    """Yield the faults of a value by its schema, with paths relative to the value."""
    for error in _draft_4_validator(_draft_4(schema)).iter_errors(value):
        yield from _faults_of_error(error)


def path_text(steps: Iterable[str | int]) -> str:
    """Format a path for messages, such as `spec.list[0].name`."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return "".join(parts).removeprefix(".")


@lru_cache(maxsize=256)
def _validator(kind: CustomKind) -> "Draft4Validator":
    return _draft_4_validator(_draft_4(kind.schema))


def _draft_4_validator(schema: Schema) -> "Draft4Validator":
    # Takes its time, and only objects of kinds that definitions bring need it.
    from podium.apiserver.custom_resources.draft_4 import draft_4_validator

    return draft_4_validator(schema)


def _draft_4(schema: Schema) -> dict[str, Any]:
    schema_4 = {name: value for name, value in schema.items() if not name.startswith("x-")}
    kind = schema.get("type")
    if schema.get(INT_OR_STRING):
        schema_4["type"] = ["integer", "string"]
    elif schema.get(EMBEDDED):
        schema_4["required"] = [*entries(schema, "required"), "apiVersion", "kind"]
    if schema.get("nullable"):
        if schema_4.get("type"):
            schema_4["type"] = [*([kind] if isinstance(kind, str) else schema_4["type"]), "null"]
        if "enum" in schema:
            schema_4["enum"] = [*schema["enum"], None]
    if "properties" in schema:
        schema_4["properties"] = {key: _draft_4(one) for key, one in schema["properties"].items()}
    for name in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(name), Mapping):
            schema_4[name] = _draft_4(schema[name])
    for name in _PARTS:
        if name in schema:
            schema_4[name] = [_draft_4(one) for one in schema[name]]
    return schema_4


def _stays(error: "ValidationError", old: Object) -> bool:
    value: Any = old
    for step in error.absolute_path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return False
    return bool(value == error.instance)


def _faults_of_error(error: "ValidationError") -> Iterator[FieldError]:
    where = path_text(error.absolute_path)
    limit: Any = error.validator_value
    value: Any = error.instance
    match error.validator:
        case "type":
            kinds = [limit] if isinstance(limit, str) else [one for one in limit if one != "null"]
            found = _TYPES[type(value)]
            what = f"{where} in body must be of type {','.join(kinds)}: {quoted(found)}"
            yield FieldError(where, found, what.lstrip())
        case "required":
            for name in limit:
                if name not in value and error.message.startswith(repr(name)):
                    yield required(path_text((*error.absolute_path, name)))
        case "enum":
            yield unsupported(where, value, [one for one in limit if one is not None])
        case "format":
            what = f"{where} in body must be of type {limit}: {quoted(value)}"
            yield FieldError(where, value, what)
        case "maxItems" | "maxProperties":
            what = f"{len(value)}: must have at most {limit} items"
            yield FieldError(where, None, what, ErrorKind.TOO_MANY)
        case "maxLength":
            yield FieldError(where, None, f"may not be more than {limit} bytes", ErrorKind.TOO_LONG)
        case "anyOf" | "oneOf":
            place = quoted(where)
            message = f"{place} must validate at least one schema (anyOf)"
            if error.validator == "oneOf":
                count = sum(_draft_4_validator(one).is_valid(value) for one in limit)
                found = f"{count} valid alternatives" if count else "none valid"
                message = f"{place} must validate one and only one schema (oneOf). Found {found}"
            yield FieldError("<nil>", "", message)
        case str(name) if name in _SENTENCES:
            shown = len(value) if isinstance(value, list | dict) else value
            yield FieldError(where, shown, f"{where} in body {_SENTENCES[name](error)}")
        case _:
            yield FieldError(where, value, error.message)


def _bound(error: "ValidationError", strictly: str) -> str:
    schema: Any = error.schema
    words = "than" if schema.get(strictly) else "than or equal to"
    return f"{words} {error.validator_value}"


_SENTENCES: Mapping[str, Callable[["ValidationError"], str]] = {
    "minimum": lambda error: f"should be greater {_bound(error, 'exclusiveMinimum')}",
    "maximum": lambda error: f"should be less {_bound(error, 'exclusiveMaximum')}",
    "multipleOf": lambda error: f"should be a multiple of {error.validator_value}",
    "minLength": lambda error: f"should be at least {error.validator_value} chars long",
    "minItems": lambda error: f"should have at least {error.validator_value} items",
    "minProperties": lambda error: f"should have at least {error.validator_value} properties",
    "pattern": lambda error: f"should match '{error.validator_value}'",
    "uniqueItems": lambda _: "shouldn't contain duplicates",
}


def _repeated(value: Any, schema: Schema, at: tuple[str | int, ...]) -> Faults:
    if isinstance(value, list):
        items, kind = schema.get("items") or {}, schema.get("x-kubernetes-list-type")
        keys, seen = schema.get("x-kubernetes-list-map-keys") or (), set[str]()
        for index, entry in enumerate(value) if kind in ("set", "map") else ():
            shown = entry
            if kind == "map":
                if not isinstance(entry, Mapping):
                    continue
                shown = {key: entry[key] for key in keys if key in entry}
            text = json.dumps(shown, sort_keys=True)
            if text in seen:
                yield duplicate(path_text((*at, index)), shown)
            seen.add(text)
        for index, one in enumerate(value):
            yield from _repeated(one, items, (*at, index))
    elif isinstance(value, Mapping):
        properties, values = schema.get("properties") or {}, schema.get("additionalProperties")
        for name, one in value.items():
            part = properties.get(name, values)
            if isinstance(part, Mapping):
                yield from _repeated(one, part, (*at, name))


_SCHEMA_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_SELECTABLE_TYPES = ("boolean", "integer", "string")
_LIST_TYPES = ("atomic", "set", "map")
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


def schema_faults(schema: Any, path: str) -> Faults:
    """Yield the faults of the schema of one version of a CustomResourceDefinition."""
    if not isinstance(schema, Mapping):
        yield required(path, "schemas are required")
        return
    yield from [*_misshapen(schema, path)] or _whole(schema, path)


def selectable_fault(schema: Any, steps: tuple[str, ...]) -> str:
    """Return why a field of a schema can't be selectable; empty if it can."""
    for step in steps:
        schema = part(schema, "properties").get(step) or {}
    if not schema:
        return "is an invalid path: does not refer to a valid field"
    return "" if schema.get("type") in _SELECTABLE_TYPES else _NOT_SELECTABLE


def _misshapen(schema: Schema, path: str) -> Faults:
    # Loading takes time, and only definitions need it.
    from jsonschema import Draft4Validator
    from jsonschema.exceptions import best_match

    # All items of a list are alike.
    properties = {**Draft4Validator.META_SCHEMA["properties"], "items": {"$ref": "#"}}
    validator = Draft4Validator({**Draft4Validator.META_SCHEMA, "properties": properties})
    for incomplete in validator.iter_errors(schema):
        error = best_match([incomplete])
        if error is not None and error.validator == "type" and error.absolute_path[-1] != "type":
            place, is_key = path, False
            for step in error.absolute_path:
                place += f"[{step}]" if is_key or isinstance(step, int) else f".{step}"
                is_key = step == "properties" and not is_key
            yield FieldError(place, error.instance, error.message)


def _whole(schema: Schema, path: str) -> Faults:
    kind = schema.get("type")
    if not kind:
        yield required(f"{path}.type", "must not be empty at the root")
    elif kind != "object":
        yield FieldError(f"{path}.type", kind, "must be object at the root")
    if schema.get("nullable"):
        yield checks.forbidden(f"{path}.nullable", "nullable cannot be true at the root")
    yield from _metadata(schema, path)
    yield from _schema(schema, path)


def _schema(schema: Schema, path: str) -> Faults:
    # Loading takes time, and only definitions need it.
    from podium.apiserver.custom_resources.draft_4 import pattern_fault

    kind = schema.get("type")
    if kind is not None and kind not in _SCHEMA_TYPES:
        yield unsupported(f"{path}.type", kind, _SCHEMA_TYPES)
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
        yield required(f"{path}.items", "must be specified")
    yield from _extensions(schema, path)
    parts = [
        *((f"{path}.properties[{name}]", one) for name, one in part(schema, "properties").items()),
        *((f"{path}.{name}", schema.get(name)) for name in ("items", "additionalProperties")),
    ]
    for where, inner in parts:
        if inner is None or isinstance(inner, bool):
            continue
        if not any(inner.get(one) for one in ("type", INT_OR_STRING, PRESERVES)):
            yield required(f"{where}.type", _UNTYPED)
        yield from _schema(inner, where)


def _extensions(schema: Schema, path: str) -> Faults:
    if schema.get(EMBEDDED):
        yield from _metadata(schema, path)
        if not schema.get("properties") and not schema.get(PRESERVES):
            yield required(f"{path}.properties", _NO_FIELDS)
    if not schema.get(INT_OR_STRING):
        for name in _PARTS:
            for index, entry in enumerate(entries(schema, name)):
                if entry.get("type"):
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


def _map_keys(schema: Schema, path: str) -> Faults:
    keys = [key for key in entries(schema, _MAP_KEYS) if isinstance(key, str)]
    items, where = part(schema, "items"), f"{path}.{_MAP_KEYS}"
    properties = part(items, "properties")
    if not keys:
        yield required(where, f"must not be empty if {_LIST_TYPE} is map")
    elif not all(key in properties for key in keys):
        yield FieldError(where, keys, "entries must all be names of item properties")
    for key in keys:
        is_needed = key not in properties or key in entries(items, "required")
        if not is_needed and properties[key].get("default") is None:
            yield required(f"{path}.items.properties[{key}].default", _NO_KEY)


def _metadata(schema: Schema, path: str) -> Faults:
    metadata = part(schema, "properties", "metadata")
    is_open = part(metadata, "properties").keys() <= _NAMES
    if metadata.keys() - {"type", "properties", "default"} or not is_open:
        yield checks.forbidden(f"{path}.properties[metadata]", _NAMES_ALONE)
