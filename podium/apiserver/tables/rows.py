"""Objects as rows of a `Table` (meta.k8s.io/v1)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from podium.api.objects import Object, status_of
from podium.apiserver.tables.columns import Cell
from podium.apiserver.tables.kinds import Columns
from podium.apiserver.tables.pods import POD

_FINISHED_PODS: Mapping[str, list[dict[str, str]]] = {
    phase: [{"type": "Completed", "status": "True", "reason": phase, "message": message}]
    for phase, message in (
        ("Succeeded", "The pod has completed successfully."),
        ("Failed", "The pod failed."),
    )
}


def partial_metadata(obj: Object, api_version: str) -> dict[str, Any]:
    """The object without all but its metadata: a `PartialObjectMetadata`.

    Args:
        obj: any object.
        api_version: a version of meta.k8s.io, such as `meta.k8s.io/v1`.
    """
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": api_version,
        "metadata": obj.get("metadata") or {},
    }


def definitions(columns: Columns) -> list[dict[str, Cell]]:
    """What the columns of a kind's table are."""
    return [column.definition() for column in columns]


def rows(
    columns: Columns,
    objects: Iterable[Object],
    now_s: float,
    carry: Callable[[Object], Object | None] = lambda _: None,
) -> list[dict[str, Any]]:
    """A row an object.

    Args:
        columns: of the objects' kind.
        objects: in the order of the rows.
        now_s: the time that ages are told as of, in seconds since the epoch.
        carry: what of each object its row carries along.
    """
    made = []
    for obj in objects:
        row: dict[str, Any] = {"cells": [column.read(obj, now_s) for column in columns]}
        conditions = _conditions(obj) if columns is POD else ()
        if conditions:
            row["conditions"] = conditions
        row["object"] = carry(obj)
        made.append(row)
    return made


def _conditions(obj: Object) -> list[dict[str, str]]:
    return _FINISHED_PODS.get(status_of(obj).get("phase", ""), [])
