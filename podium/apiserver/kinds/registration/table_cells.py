"""What a table is made of: columns, each with a name and the place where its cell stands.

The columns, their order and their cells are those that kube-apiserver v1.36 answers with when it
is asked for a `Table` (meta.k8s.io/v1).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import msgspec

from podium.api.objects import Object, name
from podium.api.selectors.labels import SelectorError, equality_selector, label_selector
from podium.apiserver.kinds.registration.ages import since
from podium.apiserver.schema.json_paths import found_at, steps

Cell = str | int | bool | None
Read = Callable[[Object, float], Cell]
"""Computes a cell: takes the object and the time, in seconds since the epoch."""

NONE = "<none>"
UNSET = "<unset>"
_IN_TEMPLATE = ".spec.template.spec.containers[*]"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a kind's table.

    Attributes:
        name: its heading, before kubectl puts it in capitals.
        source: where the cell stands, as a JSONPath such as `.spec.nodeName`, or what computes it.
        type: as in OpenAPI: `string`, `integer`, `boolean` or `date`.
        default: the cell if nothing stands there, or an empty text.
        priority: 0, or 1 for a column that kubectl shows with `-o wide` only.
        format: `name` for the column that holds the object's name.
        is_raw: whether the cell is what stands there, whatever the type says.
    """

    name: str
    source: str | Read
    description: str
    type: str = "string"
    default: Cell = ""
    priority: int = 0
    format: str = ""
    is_raw: bool = False

    def read(self, obj: Object, now_s: float) -> Cell:
        """The cell of an object."""
        if not isinstance(self.source, str):
            return self.source(obj, now_s)
        found = _found(obj, self.source)
        if found in (None, "") and found is not False:
            return self.default
        if self.is_raw:
            raw: Cell = found
            return raw
        match self.type:
            case "integer" if isinstance(found, int | float):
                return int(found)
            case "boolean" if isinstance(found, bool):
                return found
            case "date":
                return since(found, now_s)
        return found if isinstance(found, str) else msgspec.json.encode(found).decode()

    def definition(self) -> dict[str, Cell]:
        """The `TableColumnDefinition` (meta/v1)."""
        return {
            "name": self.name,
            "type": self.type,
            "format": self.format,
            "description": self.description,
            "priority": self.priority,
        }


Columns = tuple[Column, ...]

wide = partial(Column, priority=1)
"""A column that kubectl shows with `-o wide` only."""

number = partial(Column, type="integer", default=0)
raw = partial(Column, default=0, is_raw=True)
flag = partial(Column, type="boolean", default=False)


@lru_cache(maxsize=1024)
def _steps(path: str) -> tuple[str, ...] | None:
    try:
        return steps(path)
    except ValueError:
        return None


def _found(obj: Object, path: str) -> Any:
    names = _steps(path)
    if names is None:
        return next(iter(found_at(obj, path)), None)
    found: Any = obj
    for key in names:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def count(path: str) -> Read:
    """Counts the entries of a list or map."""
    return lambda obj, _now_s: len(_found(obj, path) or ())


def joined(path: str, default: str = "") -> Read:
    """Lists all texts that a JSONPath leads to."""
    return lambda obj, _now_s: ",".join(map(str, found_at(obj, path))) or default


def labels_at(path: str) -> Read:
    """Reads labels as `a=b,c=d`, sorted; `<none>` for none."""
    return lambda obj, _now_s: str(equality_selector(_found(obj, path))) or NONE


def selector_text(selector: Object | None) -> str:
    """A LabelSelector in the short form; `<none>` for an empty, `<error>` for a broken one."""
    try:
        return str(label_selector(selector)) or NONE
    except SelectorError:
        return "<error>"


NAME = Column("Name", lambda obj, _: name(obj), "Name of the object.", format="name")
AGE = Column(
    "Age",
    lambda obj, now_s: since(_found(obj, ".metadata.creationTimestamp"), now_s),
    "Time since the object was created.",
)
CREATED = Column("Created At", ".metadata.creationTimestamp", "When it was created.")
CONTAINERS = wide(
    "Containers", joined(f"{_IN_TEMPLATE}.name"), "Names of the template's containers."
)
IMAGES = wide("Images", joined(f"{_IN_TEMPLATE}.image"), "Images of the template's containers.")
SELECTOR = wide(
    "Selector",
    lambda obj, _: selector_text(_found(obj, ".spec.selector")),
    "Which pods belong to the object.",
)
