"""Values as objects of their kind."""

from typing import Any

from podium.api.custom_kinds import CustomKind
from podium.api.kinds import Kind
from podium.apiserver.custom import objects
from podium.apiserver.decoding.checking import Checker
from podium.apiserver.schema.kinds import struct_for


def typed(kind: Kind, value: Any, api_version: str = "") -> tuple[Any, tuple[str, ...]]:
    """A value as an object of a kind.

    Args:
        kind: of the object.
        value: as it was read.
        api_version: where the kind is served in several; empty for its own.

    Returns:
        The object as it is stored, and its unknown and repeated fields, such as
        `unknown field "spec.x"`, in order.

    Raises:
        Fault: it can't be one.
    """
    if isinstance(kind, CustomKind):
        return objects.read(kind, value)
    checker = Checker()
    return checker.check(value, struct_for(kind, api_version)), checker.strict
