"""Problems of manifests, with their places, and the error that lists them."""

import json
from collections.abc import Iterable

import msgspec

from podium.api.errors import PodiumError


class Source(msgspec.Struct, frozen=True):
    """The file, document and line of an object.

    Attributes:
        document: number within the file, from 1; 0 for the file as a whole.
        line: the file's line on which the document, or the fault in its syntax, begins, from 1;
            0 where it isn't known.
        item: position within a list, such as `items[3]`; empty outside lists.
        item_line: the file's line on which the item begins; 0 outside lists, and where it isn't
            known or is the same for all items.
    """

    file: str
    document: int = 0
    line: int = 0
    item: str = ""
    item_line: int = 0

    @property
    def place(self) -> tuple[int, str]:
        if self.item and not self.item_line:
            return self.line, self.item
        return self.item_line or self.line, ""

    def __str__(self) -> str:
        parts = [self.file]
        if self.document:
            line = f" (line {self.line})" if self.line else ""
            parts.append(f"document {self.document}{line}")
        if self.item:
            line = f" (line {self.item_line})" if self.item_line else ""
            parts.append(f"{self.item}{line}")
        return ", ".join(parts)


class Problem(msgspec.Struct, frozen=True):
    """One fault of one manifest.

    Attributes:
        object: `Kind namespace/name`, as far as known; empty for a fault of the text.
        message: what is wrong; begins with the field and the bad value where a field is at fault.
        is_warning: whether what was read can be used all the same.
    """

    source: Source
    object: str
    message: str
    is_warning: bool = False

    def __str__(self) -> str:
        return ": ".join(part for part in (str(self.source), self.object, self.message) if part)


class ManifestError(PodiumError):
    """All faults of all files that were to be read, in their order, as `problems`."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def shown(value: object, length_max: int = 60) -> str:
    """A value as JSON, cut off where it would be too long to read."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= length_max else text[: length_max - 1] + "…"


def describe(obj: object) -> str:
    """`Kind namespace/name` of a raw object, with a question mark for each missing part."""
    if not isinstance(obj, dict):
        return ""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    named = (metadata.get(field) for field in ("name", "generateName"))
    name = next((shown(one) for one in named if one not in (None, "")), "?").strip('"')
    kind, namespace = obj.get("kind") or "?", metadata.get("namespace")
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"
