"""Protobuf's wire format: messages as sequences of numbered fields.

Source: https://protobuf.dev/programming-guides/encoding
"""

from collections.abc import Iterator

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
    found = 0
    for shift in range(0, _VARINT_BITS_MAX, 7):
        if at >= len(message):
            raise MalformedMessageError("unexpected EOF")
        byte = message[at]
        at += 1
        found |= (byte & 0x7F) << shift
        if byte < 0x80:
            return found & 2**64 - 1, at
    raise MalformedMessageError("proto: integer overflow")
