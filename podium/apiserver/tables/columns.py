"""What a table is made of: columns, each with a name and a way to read its cell off an object."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.api.labels import SelectorError, equality_selector, label_selector
from podium.api.objects import Object, name
from podium.apiserver.tables.durations import since

Cell = str | int | bool | None
Read = Callable[[Object, float], Cell]
"""Reads a cell: takes the object and the time, in seconds since the epoch."""

NONE = "<none>"
UNSET = "<unset>"
WIDE = 1


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a kind's table.

    Attributes:
        name: its heading, before kubectl puts it in capitals.
        read: makes the cell.
        description: what it tells.
        type: as in OpenAPI: `string`, `integer`, `boolean` or `date`.
        priority: 0, or `WIDE` for a column that kubectl shows with `-o wide` only.
        format: `name` for the column that holds the object's name.
    """

    name: str
    read: Read
    description: str
    type: str = "string"
    priority: int = 0
    format: str = ""

    def definition(self) -> dict[str, Cell]:
        """The `TableColumnDefinition` (meta/v1)."""
        return {
            "name": self.name,
            "type": self.type,
            "format": self.format,
            "description": self.description,
            "priority": self.priority,
        }


def at(obj: Object | None, *path: str) -> Any:
    """The value under nested keys; None if it, or what it would be in, is missing or null."""
    found: Any = obj
    for key in path:
        if found is None:
            return None
        found = found.get(key)
    return found


def field(*path: str, default: Cell = "") -> Read:
    """Reads a field as it stands; an absent one reads as `default`."""

    def read(obj: Object, _now_s: float) -> Cell:
        found = at(obj, *path)
        return default if found is None else found

    return read


def text(*path: str, default: str = "") -> Read:
    """Reads a field as text; an absent or empty one reads as `default`."""

    def read(obj: Object, _now_s: float) -> Cell:
        found = at(obj, *path)
        return default if found in (None, "") else str(found)

    return read


def count(*path: str) -> Read:
    """Counts the entries of a list or map."""

    def read(obj: Object, _now_s: float) -> Cell:
        return len(at(obj, *path) or ())

    return read


def fraction(part: tuple[str, ...], whole: tuple[str, ...]) -> Read:
    """Reads two numbers as `part/whole`; an absent one counts as 0."""

    def read(obj: Object, _now_s: float) -> Cell:
        return f"{at(obj, *part) or 0}/{at(obj, *whole) or 0}"

    return read


def labels_text(labels: Mapping[str, str] | None) -> str:
    """Labels as `a=b,c=d`, sorted; `<none>` for none."""
    return str(equality_selector(labels)) or NONE


def selector_text(selector: Object | None) -> str:
    """A LabelSelector in the short form; `<none>` for an empty, `<error>` for a broken one."""
    try:
        return str(label_selector(selector)) or NONE
    except SelectorError:
        return "<error>"


def _containers(key: str) -> Read:
    def read(obj: Object, _now_s: float) -> Cell:
        containers: Sequence[Object] = at(obj, "spec", "template", "spec", "containers") or ()
        return ",".join(str(container.get(key) or "") for container in containers)

    return read


NAME = Column("Name", lambda obj, _: name(obj), "Name of the object.", format="name")
AGE = Column(
    "Age",
    lambda obj, now_s: since(at(obj, "metadata", "creationTimestamp"), now_s),
    "Time since the object was created.",
)
CONTAINERS = Column(
    "Containers", _containers("name"), "Names of the template's containers.", priority=WIDE
)
IMAGES = Column(
    "Images", _containers("image"), "Images of the template's containers.", priority=WIDE
)
SELECTOR = Column(
    "Selector",
    lambda obj, _: selector_text(at(obj, "spec", "selector")),
    "Which pods belong to the object.",
    priority=WIDE,
)
