"""Problems of manifests with their places, and the error that lists them."""

import json
from collections.abc import Iterable

import msgspec

from podium.api.errors import PodiumError


class Source(msgspec.Struct, frozen=True):
    """The file, document and line of an object."""

    file: str
    document: int = 0
    """Number within the file, from 1; 0 for the file as a whole."""
    line: int = 0
    """Line of the document, or of a fault in its syntax, from 1; 0 if unknown."""
    item: str = ""
    """Position within a List object, such as `items[3]`; empty outside lists."""
    item_line: int = 0
    """Line of the item; 0 outside lists, if unknown, or if all items are in one line."""

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
    """A fault of a manifest."""

    source: Source
    object: str
    """`Kind namespace/name`, as far as known; empty for a fault of the text."""
    message: str
    """Begins with the field and the bad value, if a field is at fault."""
    is_warning: bool = False
    """Whether the object can be used nevertheless."""

    def __str__(self) -> str:
        return ": ".join(part for part in (str(self.source), self.object, self.message) if part)


class ManifestError(PodiumError):
    """All faults of all files, in order; `problems` has them one by one."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def shown(value: object, length_max: int = 60) -> str:
    """Format a value as JSON, cut off after `length_max` characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= length_max else text[: length_max - 1] + "…"


def describe(obj: object) -> str:
    """Return `Kind namespace/name` of a raw object, with a question mark for a missing part."""
    if not isinstance(obj, dict):
        return ""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    names = (metadata.get(field) for field in ("name", "generateName"))
    name = next((shown(text) for text in names if text not in (None, "")), "?").strip('"')
    kind, namespace = obj.get("kind") or "?", metadata.get("namespace")
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"
