"""What the API writes of an object where there is nothing, as its type can't leave it out."""

from functools import cache
from typing import Any

from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.objects import Object, without
from podium.apiserver.schema import Field, Scalar, Struct, struct_of
from podium.apiserver.schema.model import ZEROS


@cache
def zeros(kind: Kind) -> Object:
    """The fields that all objects of a kind have, empty; who they are isn't among them."""
    struct = None if isinstance(kind, CustomKind) else struct_of(kind.api_version, kind.name)
    return {} if struct is None else without(_zeros(struct), "metadata")


def _zeros(struct: Struct) -> dict[str, Any]:
    return {name: _zero(field) for name, field in struct.fields.items() if field.told}


def _zero(field: Field) -> Any:
    of = field.type
    if isinstance(of, Struct):
        return None if field.keeps_zero else _zeros(of)
    return ZEROS.get(of.kind) if isinstance(of, Scalar) else None
