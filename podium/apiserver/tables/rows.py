"""Objects as rows of a `Table` (meta.k8s.io/v1)."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from podium.apiserver.tables.columns import Object
from podium.apiserver.tables.kinds import COLUMNS

META_API_VERSION = "meta.k8s.io/v1"

_FINISHED_PODS: Mapping[str, list[dict[str, str]]] = {
    phase: [{"type": "Completed", "status": "True", "reason": phase, "message": message}]
    for phase, message in (
        ("Succeeded", "The pod has completed successfully."),
        ("Failed", "The pod failed."),
    )
}


class Include(StrEnum):
    """How much of its object a row carries along."""

    NONE = "None"
    METADATA = "Metadata"
    OBJECT = "Object"


def partial_metadata(obj: Object) -> dict[str, Any]:
    """The object without all but its metadata: a `PartialObjectMetadata`."""
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": META_API_VERSION,
        "metadata": obj.get("metadata") or {},
    }


def rows(
    kind: str, objects: Iterable[Object], now_s: float, include: Include = Include.METADATA
) -> list[dict[str, Any]]:
    """A row an object.

    Args:
        kind: the objects' kind.
        objects: as they are to be shown, should the rows carry them along.
        now_s: the time that ages are told as of, in seconds since the epoch.
        include: how much of each object goes along.
    """
    columns = COLUMNS[kind]
    made = []
    for obj in objects:
        row: dict[str, Any] = {"cells": [column.read(obj, now_s) for column in columns]}
        conditions = _conditions(kind, obj)
        if conditions:
            row["conditions"] = conditions
        if include is Include.OBJECT:
            row["object"] = obj
        elif include is Include.METADATA:
            row["object"] = partial_metadata(obj)
        else:
            row["object"] = None
        made.append(row)
    return made


def table(
    kind: str,
    objects: Iterable[Object],
    now_s: float,
    *,
    metadata: Object,
    include: Include = Include.METADATA,
    headers: bool = True,
) -> dict[str, Any]:
    """A `Table` with a row an object.

    Args:
        kind: the objects' kind.
        objects: as they are to be shown, should the rows carry them along.
        now_s: the time that ages are told as of, in seconds since the epoch.
        metadata: the list's: resourceVersion, continue, remainingItemCount.
        include: how much of each object goes along.
        headers: whether the columns are described; a stream of tables does so only once.
    """
    definitions = [column.definition() for column in COLUMNS[kind]] if headers else []
    return {
        "kind": "Table",
        "apiVersion": META_API_VERSION,
        "metadata": metadata,
        "columnDefinitions": definitions,
        "rows": rows(kind, objects, now_s, include),
    }


def _conditions(kind: str, obj: Object) -> list[dict[str, str]]:
    if kind != "Pod":
        return []
    return _FINISHED_PODS.get((obj.get("status") or {}).get("phase", ""), [])
