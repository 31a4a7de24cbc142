"""The columns and rows of kinds' tables, as returned by kube-apiserver v1.36.

`columns.txt` has a block for each kind, by its key; a kind without a block has a name and an age.
Each line is a column, with heading, cell and description separated by two blanks:

    Node         .spec.nodeName wide default=<none>  the value at a JSONPath
    Completions  job_completions()                   the result of a function of `cells`
    Active       count(.status.active) integer       a function with an argument
    Selector                                         the column of this heading in the block `*`

kubectl only shows a `wide` column with `-o wide`; `default` is the cell of an object without a
value, otherwise 0 or false for an `integer` or a `boolean`; a `raw` cell is a value of any type.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib.resources import files
from typing import Any

import msgspec

from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.objects import Object
from podium.apiserver.kinds.tables import cells, pod_cells
from podium.apiserver.kinds.tables.ages import since

_DATA = files("podium.apiserver.kinds.tables") / "columns.txt"
_MODULES = {"": cells, "pods": pod_cells}
_EMPTY: Mapping[str, cells.Cell] = {"string": "", "integer": 0, "boolean": False, "date": ""}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a kind's table."""

    name: str
    """Heading, which kubectl prints in capitals."""
    source: str | cells.Read
    """JSONPath such as `.spec.nodeName`, or the function that computes the cell."""
    description: str
    type: str = "string"
    """`string`, `integer`, `boolean` or `date`."""
    default: cells.Cell = ""
    """Cell if the source has no value."""
    priority: int = 0
    """0, or 1 for a column that kubectl only shows with `-o wide`."""
    format: str = ""
    """`name` for the column of the object's name."""
    is_raw: bool = False
    """Whether the value isn't converted to `type`."""

    def read(self, obj: Object, now_s: float) -> cells.Cell:
        """Return the cell for an object."""
        if not isinstance(self.source, str):
            cell = self.source(obj, now_s)
            return self.default if cell in (None, "") else cell
        value = cells.value_at(obj, self.source)
        if value in (None, ""):
            return self.default
        if self.is_raw:
            raw: cells.Cell = value
            return raw
        match self.type:
            case "integer" if isinstance(value, int | float):
                return int(value)
            case "boolean" if isinstance(value, bool):
                return value
            case "date":
                return since(value, now_s)
        return value if isinstance(value, str) else msgspec.json.encode(value).decode()


Columns = tuple[Column, ...]


@lru_cache(maxsize=256)
def columns_of(kind: Kind) -> Columns:
    """Return the columns of a kind's table."""
    usual, lines = _usual(), _blocks().get(kind.key, ["Name", "Age"])
    if isinstance(kind, CustomKind):
        lines = ["Name", "Age"]
        if declared := kind.definition.get("additionalPrinterColumns"):
            return (usual["Name"], *map(_declared, declared))
    return tuple(usual.get(line.strip()) or _column(line) for line in lines)


@cache
def _blocks() -> Mapping[str, list[str]]:
    blocks = _DATA.read_text(encoding="utf-8").rstrip().split("\n\n")
    return {key: lines for key, *lines in (block.split("\n") for block in blocks)}


@cache
def _usual() -> Mapping[str, Column]:
    return {column.name: column for column in map(_column, _blocks()["*"])}


def _column(line: str) -> Column:
    name, cell, description = (part.strip() for part in line.split("  ") if part.strip())
    source, *words = cell.split(" ")
    options = dict(word.partition("=")[::2] for word in words)
    kind = next((word for word in options if word in _EMPTY), "string")
    default = options.get("default", 0 if "raw" in options else _EMPTY[kind])
    return Column(
        name,
        source if source.startswith(".") else _function(source),
        description,
        kind,
        {"true": True, "false": False}.get(str(default), default),
        priority=int("wide" in options),
        format=options.get("format", ""),
        is_raw="raw" in options,
    )


def _function(call: str) -> cells.Read:
    name, _, arguments = call.removesuffix(")").partition("(")
    module, _, name = name.rpartition(".")
    texts = arguments.split(",") if arguments else ()
    compute = None if module else cells.CELLS.get(name)
    return partial(compute or getattr(_MODULES[module], name), *texts)


def _declared(column: Object) -> Column:
    path = column["jsonPath"]
    return Column(
        column["name"],
        path,
        column.get("description")
        or f"Custom resource definition column (in JSONPath format): {path}",
        column["type"],
        default=None,
        priority=column.get("priority") or 0,
        format=column.get("format") or "",
    )


def row_of(kind: Kind, obj: Object, now_s: float) -> dict[str, Any]:
    """Return the row of a `Table` (meta.k8s.io/v1) for an object, with ages as of `now_s`."""
    row: dict[str, Any] = {"cells": [column.read(obj, now_s) for column in columns_of(kind)]}
    conditions = pod_cells.row_conditions(obj) if kind.key == "Pod" else []
    return {**row, "conditions": conditions} if conditions else row


def column_definitions(kind: Kind) -> list[dict[str, cells.Cell]]:
    """Return the `TableColumnDefinition`s (meta/v1) of a kind's table."""
    fields = ("name", "type", "format", "description", "priority")
    return [{field: getattr(column, field) for field in fields} for column in columns_of(kind)]
