"""The types of the fields of all kinds, and how they are merged, as data.

The files in `data/`, in a notation of their own (`notation`), are read struct by struct, when they
are first needed. Decoding checks objects by them, and patches and server-side apply merge by them.

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
