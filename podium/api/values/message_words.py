"""Helpers for messages: counted nouns, shortened lists, suggested names."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def count(number: int, singular: str, plural: str = "") -> str:
    """Format a number with its noun: `1 pod`, `2 pods`."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def listed(names: Sequence[str], most: int) -> str:
    """Join the first `most` names, and count the rest: `a, b and 3 more`."""
    return " ".join([", ".join(names[:most]), *and_more(len(names) - most)])


def and_more(number: int) -> list[str]:
    """Return the last entry of a shortened list, such as `["and 3 more"]`; `[]` for 0."""
    return [f"and {number} more"] if number > 0 else []


def likely_meant(name: str, known: Iterable[str]) -> str:
    """Return `; is web meant?` for a known name similar to `name`; empty if none is similar."""
    near = get_close_matches(name, [*known], 1)
    return f"; is {near[0]} meant?" if near else ""
