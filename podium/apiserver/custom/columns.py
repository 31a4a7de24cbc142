"""The columns that definitions give their kinds."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from podium.api.custom_kinds import CustomKind
from podium.api.objects import Object
from podium.apiserver.custom.json_paths import found_at
from podium.apiserver.tables.columns import AGE, NAME, Cell, Column, Read
from podium.apiserver.tables.durations import since


@lru_cache(maxsize=256)
def custom_columns(kind: CustomKind) -> tuple[Column, ...]:
    """The columns of a kind; its name and age if the definition has none."""
    columns = kind.definition.get("additionalPrinterColumns")
    if not columns:
        return (NAME, AGE)
    return (NAME, *map(_column, columns))


def _column(declared: Mapping[str, Any]) -> Column:
    kind = declared["type"]
    return Column(
        declared["name"],
        _reader(declared["jsonPath"], kind),
        declared.get("description")
        or f"Custom resource definition column (in JSONPath format): {declared['jsonPath']}",
        type=kind,
        priority=declared.get("priority") or 0,
        format=declared.get("format") or "",
    )


def _reader(path: str, kind: str) -> Read:
    def read(obj: Object, now_s: float) -> Cell:
        found = found_at(obj, path)
        return _cell(found[0], kind, now_s) if found and found[0] is not None else None

    return read


def _cell(value: Any, kind: str, now_s: float) -> Cell:
    match kind:
        case "integer" if isinstance(value, int | float):
            return int(value)
        case "boolean" if isinstance(value, bool):
            return value
        case "date":
            return since(value, now_s)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
