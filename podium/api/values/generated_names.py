"""Names of made objects: like Kubernetes', but always the same for the same cause.

Kubernetes draws five characters at random and hashes templates with a hash of its own; here both
come from SHA-256, so that a plan names the same pods each time. They are not the names that a
real cluster would give.
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
    """Ten characters that tell templates apart; equal for templates that are equal as JSON."""
    return _characters(json.dumps(template, sort_keys=True), HASH_LENGTH)


def generated_names(base: str, identity: str, is_taken: Callable[[str], bool]) -> Iterator[str]:
    """Free names without end for an identity, with `base` (cut if too long) at the front."""
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
