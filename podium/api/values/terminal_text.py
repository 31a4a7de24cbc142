"""Untrusted text on a terminal: control characters are shown rather than obeyed."""

import re

# All of C0 and C1 but tabs and line ends, delete, marks of writing direction, separators of lines
# and halves of characters, as names of files may have.
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def escaped(text: str) -> str:
    r"""Escape the control characters of a text, such as `\u001b` for an escape character.

    Strings of JSON, and quoted ones of YAML, keep their values.
    """
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def steers(text: str) -> bool:
    """Return whether a text has control characters."""
    return _STEERING.search(text) is not None


def escaped_json(data: bytes) -> bytes:
    """Escape the control characters of JSON, which keeps its values."""
    return data if data.isascii() else escaped(data.decode()).encode()
