"""Escaping of untrusted text, so that a terminal doesn't interpret its control characters."""

import re

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
