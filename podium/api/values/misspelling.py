"""Names that were likely meant where a reference leads nowhere."""

from collections.abc import Iterable
from difflib import get_close_matches


def likely_meant(name: str, known: Iterable[str]) -> str:
    """`; is web meant?`, with the known name that is most like another; empty if none is.

    Args:
        name: one that isn't known.
        known: those that are.
    """
    near = get_close_matches(name, [*known], 1)
    return f"; is {near[0]} meant?" if near else ""
