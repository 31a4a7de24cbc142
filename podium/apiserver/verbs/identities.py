"""What the server alone decides of a new object: its uid, and what clients can't say."""

from collections.abc import Mapping
from random import Random
from typing import Any


def new_uid(rng: Random) -> str:
    """A random UUID (version 4)."""
    bits = rng.getrandbits(128)
    digits = f"{bits:032x}"
    variant = "89ab"[bits >> 62 & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


_SERVER_FIELDS = frozenset(
    {
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
        "managedFields",
    }
)


def without_server_fields(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """A new object's metadata without what clients can't say, and without empty fields."""
    return {
        field: value for field, value in metadata.items() if value and field not in _SERVER_FIELDS
    }
