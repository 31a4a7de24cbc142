"""Validation of custom objects by their structural schema, with kube-apiserver's messages.

Values are validated as JSON Schema draft 4, on which the schemas of OpenAPI 3.0 are based.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from podium.api.errors import ErrorKind, FieldError, quoted, unsupported
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.objects import Object, entries
from podium.apiserver.schema.custom import EMBEDDED, INT_OR_STRING
from podium.apiserver.validation.checks import Faults, duplicate, fields, required
from podium.apiserver.validation.metadata import object_meta

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
    found = {name: value for name, value in schema.items() if not name.startswith("x-")}
    kind = schema.get("type")
    if schema.get(INT_OR_STRING):
        found["type"] = ["integer", "string"]
    elif schema.get(EMBEDDED):
        found["required"] = [*entries(schema, "required"), "apiVersion", "kind"]
    if schema.get("nullable"):
        if found.get("type"):
            found["type"] = [*([kind] if isinstance(kind, str) else found["type"]), "null"]
        if "enum" in schema:
            found["enum"] = [*schema["enum"], None]
    if "properties" in schema:
        found["properties"] = {key: _draft_4(one) for key, one in schema["properties"].items()}
    for name in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(name), Mapping):
            found[name] = _draft_4(schema[name])
    for name in _PARTS:
        if name in schema:
            found[name] = [_draft_4(one) for one in schema[name]]
    return found


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
