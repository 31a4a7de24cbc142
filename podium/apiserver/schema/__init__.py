"""The types of the fields of all kinds, and how patches merge them, as data.

Decoding checks objects by them; patches and server-side apply merge by them.

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
