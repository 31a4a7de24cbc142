"""Protobuf's wire format, and conversion of messages into objects as in JSON.

Source: https://protobuf.dev/programming-guides/encoding
"""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from podium.api.kinds.builtin_kinds import Kind
from podium.api.values.times import EARLIEST_NS, LATEST_NS, NANOS_PER_SECOND, format_time
from podium.apiserver.schema.model import ListOf, MapOf, Scalar, Struct, Type
from podium.apiserver.schema.struct_types import DELETE_OPTIONS, struct_of

Value = int | bytes
"""The value of a field: a number, or bytes, which may be a text or another message."""


class MalformedMessageError(ValueError):
    """Bytes aren't a valid Protobuf message."""


VARINT, FIXED64, DELIMITED, FIXED32 = 0, 1, 2, 5
_FIXED_LENGTHS = {FIXED64: 8, FIXED32: 4}
_VARINT_BITS_MAX = 70


def fields(message: bytes) -> Iterator[tuple[int, Value]]:
    """Yield the numbers and values of a message's fields; raises MalformedMessageError."""
    at = 0
    while at < len(message):
        key, at = _read_varint(message, at)
        number, wire_type = key >> 3, key & 7
        if wire_type == VARINT:
            value, at = _read_varint(message, at)
            yield number, value
            continue
        if wire_type == DELIMITED:
            length, at = _read_varint(message, at)
        elif wire_type in _FIXED_LENGTHS:
            length = _FIXED_LENGTHS[wire_type]
        else:
            raise MalformedMessageError(f"proto: illegal wireType {wire_type}")
        if at + length > len(message):
            raise MalformedMessageError("unexpected EOF")
        yield number, message[at : at + length]
        at += length


def delimited(number: int, value: bytes) -> bytes:
    """Encode a length-delimited field: bytes, a string or a message."""
    key = number << 3 | DELIMITED
    return b"".join((_varint(key), _varint(len(value)), value))


def as_bytes(value: Value) -> bytes:
    """Return the value of a field that has to be bytes; raises MalformedMessageError."""
    if isinstance(value, int):
        raise MalformedMessageError("proto: wrong wireType")
    return value


def as_text(value: Value) -> str:
    """Return the value of a field that has to be a string; raises MalformedMessageError."""
    try:
        return as_bytes(value).decode()
    except UnicodeDecodeError:
        raise MalformedMessageError("proto: invalid UTF-8") from None


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, _VARINT_BITS_MAX, 7):
        if at >= len(message):
            raise MalformedMessageError("unexpected EOF")
        byte = message[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & 2**64 - 1, at
    raise MalformedMessageError("proto: integer overflow")


PREFIX = b"k8s\x00"
_DATA = files("podium.apiserver.protobuf") / "numbers.txt"

Numbers = Mapping[int, "str | Numbers"]
"""Field names by number; or, for a message whose fields are inlined, its own numbers."""


@cache
def numbers() -> Mapping[str, Numbers]:
    """Return the field numbers of all structs that can be decoded, by name (`core.Container`)."""
    every: dict[str, Numbers] = {}
    for block in _DATA.read_text(encoding="utf-8").split("\n\n"):
        struct, *words = block.split()
        own: dict[int, str | Numbers] = {}
        for word in words:
            name, _, path = word.partition("=")
            *outer, last = map(int, path.split("."))
            place = own
            for number in outer:
                inner = place.setdefault(number, {})
                assert isinstance(inner, dict)
                place = inner
            place[last] = name
        every[struct] = own
    return every


def numbers_of(struct: Struct) -> Numbers | None:
    """Return the field numbers of a struct; None if it can't be decoded from Protobuf."""
    return numbers().get(f"{struct.family}.{struct.name}")


Object = dict[str, Any]

_KEY, _VALUE = 1, 2
_SIGN_BIT, _OVERFLOW = 2**63, 2**64


def read_struct(struct: Struct, message: bytes) -> Object:
    """Decode a Protobuf message into an object; raises MalformedMessageError."""
    obj: Object = {}
    _fill(obj, struct, numbers_of(struct) or {}, message)
    return obj


def _fill(obj: Object, struct: Struct, numbers: Numbers, message: bytes) -> None:
    for number, value in fields(message):
        entry = numbers.get(number)
        if entry is None:
            raise MalformedMessageError(f"unknown field {number} of {struct.name}")
        if not isinstance(entry, str):
            _fill(obj, struct, entry, as_bytes(value))
            continue
        field = struct.fields[entry]
        of = field.type
        if isinstance(of, ListOf):
            obj.setdefault(entry, []).append(_read(of.items, value))
        elif isinstance(of, MapOf):
            parts = dict(fields(as_bytes(value)))
            key = as_text(parts.get(_KEY, b""))
            obj.setdefault(entry, {})[key] = _read(of.values, parts.get(_VALUE, b""))
        else:
            plain = _read(of, value)
            is_written = plain or isinstance(of, Struct) or field.required or field.keeps_zero
            if plain is not None and is_written:
                obj[entry] = plain


def _read(of: Type, value: Value) -> Any:
    match of:
        case Scalar(kind=kind):
            return _SCALARS[kind](value)
        case Struct():
            return read_struct(of, as_bytes(value))
        case ListOf():
            # A list in a map is a message with the list as its only field.
            return [_read(of.items, item) for _, item in fields(as_bytes(value))]
        case MapOf():
            raise MalformedMessageError("a map within a list or a map")


def _integer(value: Value) -> int:
    if isinstance(value, bytes):
        raise MalformedMessageError("proto: wrong wireType")
    return value - _OVERFLOW if value >= _SIGN_BIT else value


def _int_or_string(value: Value) -> int | str:
    kind, number, text = 1, 2, 3
    parts = dict(fields(as_bytes(value)))
    return as_text(parts.get(text, b"")) if parts.get(kind) else _integer(parts.get(number, 0))


def _time(value: Value) -> str | None:
    # The zero time is null in JSON.
    parts = dict(fields(as_bytes(value)))
    if not parts:
        return None
    nanos = _integer(parts.get(1, 0)) * NANOS_PER_SECOND + _integer(parts.get(2, 0))
    if not EARLIEST_NS <= nanos <= LATEST_NS:
        raise MalformedMessageError("a time out of range")
    return format_time(nanos)


def _raw(value: Value) -> Any:
    content = dict(fields(as_bytes(value))).get(1, b"")
    try:
        return json.loads(as_text(content)) if content else None
    except (ValueError, RecursionError):
        raise MalformedMessageError("a raw value that isn't JSON") from None


# No kind that is read has fields of other kinds.
_SCALARS: Mapping[str, Callable[[Value], Any]] = {
    "string": as_text,
    "bool": lambda value: bool(_integer(value)),
    "int32": _integer,
    "int64": _integer,
    "quantity": lambda value: as_text(dict(fields(as_bytes(value))).get(1, b"")),
    "intorstring": _int_or_string,
    "time": _time,
    "bytes": lambda value: b64encode(as_bytes(value)).decode(),
    "any": _raw,
}


_TYPE_META, _RAW = 1, 2
_API_VERSION, _KIND = 1, 2


def is_read(kind: Kind) -> bool:
    """Return whether objects of a kind can be decoded from Protobuf."""
    struct = struct_of(kind.api_version, kind.name)
    return struct is not None and numbers_of(struct) is not None


def read_protobuf(body: bytes) -> dict[str, Any]:
    """Decode a body, of unsupported kinds only the header; raises MalformedMessageError."""
    if not body.startswith(PREFIX):
        prefix = f"expected prefix [{' '.join(map(str, PREFIX))}]"
        raise MalformedMessageError(
            f"provided data does not appear to be a protobuf message, {prefix}"
        )
    if body == PREFIX:
        raise MalformedMessageError("empty body")
    envelope = dict(fields(body.removeprefix(PREFIX)))
    type_meta = dict(fields(as_bytes(envelope.get(_TYPE_META, b""))))
    api_version, kind = (
        as_text(type_meta.get(_API_VERSION, b"")),
        as_text(type_meta.get(_KIND, b"")),
    )
    header = {"apiVersion": api_version, "kind": kind}
    # Clients send options in the version of the object that they delete.
    version = DELETE_OPTIONS.api_version if kind == DELETE_OPTIONS.name else api_version
    struct = struct_of(version, kind)
    if struct is None or numbers_of(struct) is None:
        return header
    return {**read_struct(struct, as_bytes(envelope.get(_RAW, b""))), **header}
