"""The types of the fields of all kinds, as data: what may stand where, and how it is merged.

The files in `data/` say it, in a notation of their own (`notation`); they are read group by group
and struct by struct, when they are first needed. Decoding checks objects by them, and patches and
server-side apply merge by them.

Source: the OpenAPI document that Kubernetes v1.36 publishes.
"""

from podium.apiserver.schema.model import SCALARS, Field, ListOf, MapOf, Scalar, Struct, Type
from podium.apiserver.schema.struct_types import meta_struct, struct_of

__all__ = [
    "SCALARS",
    "Field",
    "ListOf",
    "MapOf",
    "Scalar",
    "Struct",
    "Type",
    "meta_struct",
    "struct_of",
]
