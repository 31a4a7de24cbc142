"""Writes what Podium only reads: numbers in Protobuf messages."""

from podium.apiserver.protobuf.messages import VARINT, _varint


def switch(number: int, *, value: bool) -> bytes:
    return _varint(number << 3 | VARINT) + _varint(value)
