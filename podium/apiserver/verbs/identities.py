"""What the server alone decides of a new object: its uid, its time, and its name if it has none."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

# Without vowels, so that no words come about, and without what looks alike.
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH = 5
_GENERATED_LENGTH_MAX = 63
_ATTEMPTS = 8


def new_uid(rng: Random) -> str:
    """A random UUID (version 4)."""
    bits = rng.getrandbits(128)
    digits = f"{bits:032x}"
    variant = "89ab"[bits >> 62 & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def generated_name(base: str, rng: Random, is_taken: Callable[[str], bool]) -> str:
    """A name for an object that only says how its name begins.

    Args:
        base: its `generateName`.
        rng: chooses the rest.
        is_taken: whether there is an object of a name; after some attempts a name is given all
            the same.
    """
    base = base[: _GENERATED_LENGTH_MAX - _SUFFIX_LENGTH]
    for _ in range(_ATTEMPTS):
        name = base + "".join(rng.choices(_ALPHABET, k=_SUFFIX_LENGTH))
        if not is_taken(name):
            break
    return name


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
