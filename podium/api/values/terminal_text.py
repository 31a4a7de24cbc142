"""Texts of others on a terminal: what would steer it is shown in place of being done."""

import re

# All of C0 and C1 but tabs and line ends, delete, marks of writing direction, separators of lines
# and halves of characters, as names of files may have.
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def escaped(text: str) -> str:
    r"""A text that does nothing to a terminal: `\u001b` in place of an escape character.

    Strings in JSON, and quoted ones in YAML, stay what they are.
    """
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def steers(text: str) -> bool:
    """Whether a text would do something to a terminal."""
    return _STEERING.search(text) is not None


def escaped_json(data: bytes) -> bytes:
    """JSON that does nothing to a terminal, and means the same."""
    return data if data.isascii() else escaped(data.decode()).encode()
