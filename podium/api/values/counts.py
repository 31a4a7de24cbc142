"""Numbers of things in words."""

from collections.abc import Sequence


def count(number: int, singular: str, plural: str = "") -> str:
    """`1 pod`, `2 pods`."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def listed(names: Sequence[str], most: int) -> str:
    """`a, b and 3 more`: the first `most` of the names, and how many there are besides."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
