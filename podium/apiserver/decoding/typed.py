"""Values as objects of their kind."""

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
"""The client is warned of them."""


class DecodedObject(msgspec.Struct, frozen=True):
    """An object as it was read from a body.

    Attributes:
        obj: the object, with its apiVersion and kind, without unknown fields.
    """

    obj: Any
    warnings: tuple[str, ...] = ()


def typed(kind: Kind, value: Any, api_version: str = "") -> tuple[Any, tuple[str, ...]]:
    """A value as an object of a kind.

    Args:
        api_version: where the kind is served in several; empty for its own.

    Returns:
        The object as it is stored, and its unknown and repeated fields, such as
        `unknown field "spec.x"`, in order.

    Raises:
        DecodingError: the value can't be an object of the kind.
    """
    if isinstance(kind, CustomKind):
        return custom_objects.read(kind, value)
    checker = Checker()
    return checker.check(value, struct_for(kind, api_version)), checker.strict
