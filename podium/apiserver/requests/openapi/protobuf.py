"""The schemas of OpenAPI 2 in Protobuf, by the messages of gnostic's OpenAPIv2.proto.

kubectl takes them in no other form, and judges by them what no server judges as it comes: a `List`,
and kinds that can't be patched, such as a SubjectAccessReview. For operations it asks OpenAPI 3.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from podium.apiserver.protobuf.wire import delimited
from podium.apiserver.requests.openapi.schemas import Schema

MEDIA_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
ASKED_FOR = (MEDIA_TYPE, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
"""As kubectl accepts it: it writes an `@`."""

_Encode = Callable[[Any], bytes]

_SWAGGER, _INFO, _DEFINITIONS = 1, 2, 9
_TITLE, _VERSION = 1, 2
_NAME, _VALUE = 1, 2
_ANY_YAML = 2
_EXTENSION = 31


def document(info: Mapping[str, str], definitions: Mapping[str, Schema]) -> bytes:
    """A document of schemas."""
    about = delimited(_TITLE, _text(info["title"])) + delimited(_VERSION, _text(info["version"]))
    parts = delimited(_SWAGGER, b"2.0"), delimited(_INFO, about)
    return b"".join((*parts, delimited(_DEFINITIONS, _by_name(definitions))))


def _text(value: str) -> bytes:
    return value.encode()


def _named(name: str, value: bytes) -> bytes:
    return delimited(_NAME, _text(name)) + delimited(_VALUE, value)


def _by_name(schemas: Mapping[str, Schema]) -> bytes:
    return b"".join(delimited(1, _named(name, _schema(one))) for name, one in schemas.items())


def _schema(schema: Schema) -> bytes:
    parts = []
    for name, value in schema.items():
        if name.startswith("x-"):
            # Any value as YAML, which JSON is as well.
            found = delimited(_ANY_YAML, _text(json.dumps(value)))
            parts.append(delimited(_EXTENSION, _named(name, found)))
        elif name in _FIELDS:
            number, encode = _FIELDS[name]
            values = value if isinstance(value, list) else [value]
            parts += [delimited(number, encode(one)) for one in values]
    return b"".join(parts)


def _only(encode: _Encode) -> _Encode:
    return lambda value: delimited(1, encode(value))


_FIELDS: Mapping[str, tuple[int, _Encode]] = {
    "$ref": (1, _text),
    "format": (2, _text),
    "required": (19, _text),
    "additionalProperties": (21, _only(_schema)),
    "type": (22, _only(_text)),
    "items": (23, _only(_schema)),
    "properties": (25, _by_name),
}
