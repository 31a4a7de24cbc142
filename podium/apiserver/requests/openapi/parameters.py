"""The options of operations, as OpenAPI tells them."""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.apiserver.requests.openapi.schemas import Dialect

_SELECTION = ("continue", "fieldSelector", "labelSelector", "limit")
_VERSIONS = ("resourceVersion", "resourceVersionMatch")
_WATCH = ("allowWatchBookmarks", "sendInitialEvents", "timeoutSeconds", "watch")
_WRITE = ("dryRun", "fieldManager", "fieldValidation")
_DELETION = ("dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy")

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "get": (),
    "list": (*_SELECTION, *_VERSIONS, *_WATCH),
    "post": _WRITE,
    "put": _WRITE,
    "patch": (*_WRITE, "force"),
    "delete": _DELETION,
    "deletecollection": (*_DELETION, *_SELECTION, *_VERSIONS),
}
"""The options of each action, besides `pretty`."""

_TYPES = {
    "limit": "integer",
    "timeoutSeconds": "integer",
    "gracePeriodSeconds": "integer",
    "allowWatchBookmarks": "boolean",
    "sendInitialEvents": "boolean",
    "watch": "boolean",
    "orphanDependents": "boolean",
    "force": "boolean",
}


def query_parameters(dialect: Dialect, action: str) -> list[dict[str, Any]]:
    """The options of an action."""
    names = sorted(("pretty", *OPTIONS[action]))
    return [_parameter(dialect, name, "query", _TYPES.get(name, "string")) for name in names]


def path_parameters(dialect: Dialect, names: Sequence[str]) -> list[dict[str, Any]]:
    """The parts of a path that stand in braces."""
    return [{**_parameter(dialect, name, "path", "string"), "required": True} for name in names]


def _parameter(dialect: Dialect, name: str, place: str, kind: str) -> dict[str, Any]:
    typed = {"schema": {"type": kind}} if dialect.has_alternatives else {"type": kind}
    return {"name": name, "in": place, **typed}
