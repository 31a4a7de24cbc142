"""The document of OpenAPI 2 in Protobuf, which kubectl up to 1.28 asks for and nothing else.

Source: the messages of gnostic's OpenAPIv2.proto.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from podium.apiserver.protobuf.wire import delimited, switch

Encode = Callable[[int, Any], bytes]
"""From a field's number and value to the field."""

Fields = Mapping[str, tuple[int, Encode]]
"""The numbers of a message's fields, by their names in JSON, and how their values are written."""

_NO_EXTENSIONS = 0
_SCHEMA_EXTENSIONS, _OPERATION_EXTENSIONS = 31, 13


def document(value: Mapping[str, Any]) -> bytes:
    """A document, as it stands in JSON."""
    return _message(value, _DOCUMENT)


def _message(value: Mapping[str, Any], known: Fields, extensions: int = _NO_EXTENSIONS) -> bytes:
    """A message; the entries of a list are fields of one number.

    Args:
        value: as in JSON.
        known: its fields.
        extensions: the number of the fields that hold what begins with `x-`.
    """
    parts = []
    for name, item in value.items():
        if name.startswith("x-"):
            parts.append(_named(_any)(extensions, {name: item}))
            continue
        number, encode = known[name]
        parts += [encode(number, one) for one in (item if isinstance(item, list) else [item])]
    return b"".join(parts)


def _text(number: int, value: str) -> bytes:
    return delimited(number, value.encode())


def _switch(number: int, value: bool) -> bytes:
    return switch(number, value=value)


def _within(*numbers: int, encode: Encode) -> Encode:
    """What stands within messages that have one field only."""
    *outer, inner = numbers

    def encode_within(number: int, value: Any) -> bytes:
        found = encode(inner, value)
        for one in (*reversed(outer), number):
            found = delimited(one, found)
        return found

    return encode_within


def _of(known: Callable[[], Fields], extensions: int = _NO_EXTENSIONS) -> Encode:
    """A message of certain fields, which are looked up late, as messages hold one another."""
    return lambda number, value: delimited(number, _message(value, known(), extensions))


def _named(encode: Encode) -> Encode:
    """The entries of a map: messages of a name and a value."""

    def encode_named(number: int, value: Mapping[str, Any]) -> bytes:
        return b"".join(
            delimited(number, _text(1, name) + encode(2, one)) for name, one in value.items()
        )

    return encode_named


def _any(number: int, value: Any) -> bytes:
    """Any value, as YAML, which JSON is as well."""
    return delimited(number, _text(2, json.dumps(value)))


def _parameter(number: int, value: Mapping[str, Any]) -> bytes:
    within = _PARAMETERS[value["in"]]
    return within(number, value)


_SCHEMA_OF: Encode = _of(lambda: _SCHEMA, _SCHEMA_EXTENSIONS)
_SCHEMA: Fields = {
    "$ref": (1, _text),
    "format": (2, _text),
    "description": (4, _text),
    "default": (5, _any),
    "required": (19, _text),
    "additionalProperties": (21, _within(1, encode=_SCHEMA_OF)),
    "type": (22, _within(1, encode=_text)),
    "items": (23, _within(1, encode=_SCHEMA_OF)),
    "properties": (25, _within(1, encode=_named(_SCHEMA_OF))),
}
_BODY: Fields = {"name": (2, _text), "in": (3, _text), "schema": (5, _SCHEMA_OF)}
_QUERY: Fields = {"in": (2, _text), "name": (4, _text), "type": (6, _text)}
_PATH: Fields = {"required": (1, _switch), "in": (2, _text), "name": (4, _text), "type": (5, _text)}
# A parameter is in the body or not; if not, it is in a header, a form, the query or the path.
_PARAMETERS: Mapping[str, Encode] = {
    "body": _within(1, 1, encode=_of(lambda: _BODY)),
    "query": _within(1, 2, 3, encode=_of(lambda: _QUERY)),
    "path": _within(1, 2, 4, encode=_of(lambda: _PATH)),
}
_RESPONSE: Fields = {"description": (1, _text), "schema": (2, _within(1, encode=_SCHEMA_OF))}
_OPERATION: Fields = {
    "operationId": (5, _text),
    "parameters": (8, _parameter),
    "responses": (9, _within(1, encode=_named(_within(1, encode=_of(lambda: _RESPONSE))))),
}
_OPERATION_OF = _of(lambda: _OPERATION, _OPERATION_EXTENSIONS)
_ITEM: Fields = {
    "get": (2, _OPERATION_OF),
    "put": (3, _OPERATION_OF),
    "post": (4, _OPERATION_OF),
    "delete": (5, _OPERATION_OF),
    "patch": (8, _OPERATION_OF),
    "parameters": (9, _parameter),
}
_DOCUMENT: Fields = {
    "swagger": (1, _text),
    "info": (2, _of(lambda: {"title": (1, _text), "version": (2, _text)})),
    "paths": (8, _within(2, encode=_named(_of(lambda: _ITEM)))),
    "definitions": (9, _within(1, encode=_named(_SCHEMA_OF))),
}
