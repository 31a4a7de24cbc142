"""Generated names and hashes like those of Kubernetes, but derived from SHA-256.

So plans are repeatable. A real cluster would generate other names.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

# Without vowels, and without digits that look like them, no words come out.
ALPHABET = "bcdfghjklmnpqrstvwxz2456789"

SUFFIX_LENGTH = 5
HASH_LENGTH = 10
NAME_LENGTH_MAX = 63


def template_hash(template: Any) -> str:
    """Return a hash of a template, ten characters long, computed from its JSON."""
    return _characters(json.dumps(template, sort_keys=True), HASH_LENGTH)


def generated_names(base: str, identity: str, is_taken: Callable[[str], bool]) -> Iterator[str]:
    """Yield endless free names that depend on `identity` and begin with `base`, cut if too long."""
    stem = base[: NAME_LENGTH_MAX - SUFFIX_LENGTH]
    for number in count():
        name = stem + _characters(f"{identity}/{number}", SUFFIX_LENGTH)
        if not is_taken(name):
            yield name


def _characters(text: str, length: int) -> str:
    number = int.from_bytes(hashlib.sha256(text.encode()).digest())
    characters = []
    for _ in range(length):
        number, digit = divmod(number, len(ALPHABET))
        characters.append(ALPHABET[digit])
    return "".join(characters)
