"""The type of a kind's objects, wherever the kind comes from."""

from podium.api.custom_kinds import CustomKind
from podium.api.kinds import Kind
from podium.apiserver.schema.custom import custom_struct
from podium.apiserver.schema.model import Struct
from podium.apiserver.schema.registry import struct_of


def struct_for(kind: Kind, api_version: str = "") -> Struct:
    """The type of a kind's objects.

    Args:
        kind: of the objects, which is a kind of its own in each version of a definition.
        api_version: where a kind that is built in is served in several; empty for its own.
    """
    if isinstance(kind, CustomKind):
        return custom_struct(kind)
    found = struct_of(api_version or kind.api_version, kind.name)
    assert found is not None
    return found
