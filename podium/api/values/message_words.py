"""Helpers for messages: counted nouns, shortened lists, suggested names, and escaped text."""

import re
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


# All of C0 and C1 but tabs and line ends, delete, marks of writing direction, separators of lines
# and halves of characters, as names of files may have.
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def escaped(text: str) -> str:
    r"""Escape the control characters of a text, such as `\u001b` for an escape character.

    JSON strings and double-quoted YAML strings keep their values.
    """
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def steers(text: str) -> bool:
    """Return whether a text has control characters to escape."""
    return _STEERING.search(text) is not None


def escaped_json(data: bytes) -> bytes:
    """Escape the control characters of a JSON text, without changing its value."""
    return data if data.isascii() else escaped(data.decode()).encode()
