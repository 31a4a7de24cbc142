"""Conversion of decoded values to objects of their kind."""

from typing import Any

import msgspec

from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.apiserver.decoding import custom_objects
from podium.apiserver.decoding.type_checker import Checker
from podium.apiserver.schema.custom import struct_for

STRICT = "Strict"
"""Unknown and repeated fields are refused."""

WARN = "Warn"
"""The client is warned about unknown and repeated fields."""


class DecodedObject(msgspec.Struct, frozen=True):
    """An object from a request's body, without unknown fields, and warnings for the client."""

    obj: Any
    warnings: tuple[str, ...] = ()


def typed(kind: Kind, value: Any, api_version: str = "") -> tuple[Any, tuple[str, ...]]:
    """Return an object in its stored form, and messages on unknown fields; raises DecodingError."""
    if isinstance(kind, CustomKind):
        return custom_objects.read(kind, value)
    checker = Checker()
    return checker.check(value, struct_for(kind, api_version)), checker.strict
