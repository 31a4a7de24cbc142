"""What decoding gives, and how strict it may be about fields."""

from dataclasses import dataclass
from typing import Any

STRICT = "Strict"
"""Unknown and repeated fields are refused."""

WARN = "Warn"
"""The client is warned of them."""

IGNORE = "Ignore"
"""They are taken as they are."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """What was read.

    Attributes:
        obj: the object, with its apiVersion and kind; unknown fields are kept in it.
        warnings: what the client is to be told all the same.
    """

    obj: Any
    warnings: tuple[str, ...] = ()
