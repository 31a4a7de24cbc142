"""Words of messages: numbers of things, lists cut short, and names that were likely meant."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def count(number: int, singular: str, plural: str = "") -> str:
    """`1 pod`, `2 pods`."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def listed(names: Sequence[str], most: int) -> str:
    """`a, b and 3 more`: the first `most` of the names, and how many there are besides."""
    return " ".join([", ".join(names[:most]), *and_more(len(names) - most)])


def and_more(number: int) -> list[str]:
    """`["and 3 more"]`, what follows a list that leaves out three; `[]` if it leaves out none."""
    return [f"and {number} more"] if number > 0 else []


def likely_meant(name: str, known: Iterable[str]) -> str:
    """`; is web meant?`, with the known name that is most like `name`; empty if none is like it."""
    near = get_close_matches(name, [*known], 1)
    return f"; is {near[0]} meant?" if near else ""
