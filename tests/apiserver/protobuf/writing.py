"""Writes what Podium only reads: fields of Protobuf messages."""

from podium.apiserver.protobuf.wire import DELIMITED, VARINT


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def delimited(number: int, value: bytes) -> bytes:
    """A field of bytes, a text or a message."""
    return varint(number << 3 | DELIMITED) + varint(len(value)) + value


def switch(number: int, *, value: bool) -> bytes:
    return varint(number << 3 | VARINT) + varint(value)
