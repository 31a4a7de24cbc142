"""The served OpenAPI, as the fuzzer walks it: operations, and the schemas of what they take."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from podium.apiserver.requests import Request, handle
from podium.apiserver.server import ApiServer
from podium.apiserver.store.store import Store

Schema = Mapping[str, Any]

NO_SCHEMA: Schema = {}


@dataclass(frozen=True)
class Operation:
    """What can be asked for.

    Attributes:
        method: such as `GET`, in capitals.
        path: with its parameters in braces.
        kind: the kind it is about, such as `Pod`.
        api_version: as in the path.
        body: the schema of what it takes; empty if it takes nothing.
        parameters: the names of those of its query.
    """

    method: str
    path: str
    kind: str
    api_version: str
    body: Schema
    parameters: tuple[str, ...]

    @property
    def subresource(self) -> str:
        """Such as `status`; empty for the object itself, and for collections."""
        return self.path.partition("{name}/")[2]

    @property
    def is_about_one(self) -> bool:
        return "{name}" in self.path


@cache
def operations() -> tuple[Operation, ...]:
    """All that are served, in the order of the documents."""
    return tuple(one for document in _documents() for one in _operations(document))


@cache
def schema_of(api_version: str, kind: str) -> Schema:
    """The schema of a kind; empty if there is none."""
    group, _, version = api_version.rpartition("/")
    wanted = {"group": group, "kind": kind, "version": version}
    for document in _documents():
        for schema in document["components"]["schemas"].values():
            if wanted in schema.get("x-kubernetes-group-version-kind", ()):
                return schema
    return NO_SCHEMA


def resolved(schema: Schema) -> Schema:
    """What a reference leads to."""
    for one in schema.get("allOf", ()):
        schema = one
    name = schema.get("$ref", "").rpartition("/")[2]
    return _schemas()[name] if name else schema


def type_of(schema: Schema) -> str:
    """`object`, `map`, `array`, or what a leaf is: `quantity`, `time` and so on."""
    if "properties" in schema:
        return "object"
    if "additionalProperties" in schema:
        return "map"
    if "oneOf" in schema:
        return schema.get("format", "quantity")
    return {"date-time": "time", "byte": "byte"}.get(schema.get("format", ""), "") or str(
        schema.get("type", "any")
    )


@cache
def _schemas() -> dict[str, Schema]:
    return {k: v for document in _documents() for k, v in document["components"]["schemas"].items()}


@cache
def _documents() -> tuple[dict[str, Any], ...]:
    server = ApiServer(Store(), Random(0))

    def read(path: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(handle(server, Request("GET", path), 0.0).content())
        return found

    return tuple(read(f"/openapi/v3/{one}") for one in sorted(read("/openapi/v3")["paths"]))


def _operations(document: dict[str, Any]) -> Iterator[Operation]:
    for path, methods in document["paths"].items():
        for method, told in methods.items():
            if "x-kubernetes-group-version-kind" not in told:
                continue
            kind = told["x-kubernetes-group-version-kind"]
            taken = [*told.get("requestBody", {}).get("content", {}).values()]
            yield Operation(
                method=method.upper(),
                path=path,
                kind=kind["kind"],
                api_version="v1" if path.startswith("/api/") else "/".join(path.split("/")[2:4]),
                body=taken[0]["schema"] if taken else NO_SCHEMA,
                parameters=tuple(one["name"] for one in told.get("parameters", ())),
            )
