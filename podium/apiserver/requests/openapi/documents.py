"""The documents: one of OpenAPI 2 for all, and one of OpenAPI 3 for each version of each group.

Each is made when it is first asked for, and stays as it is.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import msgspec

from podium.apiserver.requests.negotiation import JSON
from podium.apiserver.requests.openapi.names import schema_name, tag
from podium.apiserver.requests.openapi.operations import paths
from podium.apiserver.requests.openapi.schemas import V2, V3, Dialect, Schema, schemas
from podium.apiserver.requests.probes import version
from podium.apiserver.requests.served import (
    KINDS_BY_PLURAL,
    SUBRESOURCE_KINDS,
    api_version,
    verbs,
)
from podium.apiserver.schema import Struct, meta_struct, struct_of

GroupVersion = tuple[str, str]


@dataclass(frozen=True)
class Document:
    """A document as it is sent.

    Attributes:
        content: of the body.
        media_type: which it is written in.
    """

    content: bytes
    media_type: str

    @cached_property
    def digest(self) -> str:
        """What tells it from any other document."""
        return hashlib.sha256(self.content).hexdigest().upper()


@cache
def version_2() -> Document:
    """The document of OpenAPI 2."""
    found = {path: item for gv in KINDS_BY_PLURAL for path, item in paths(V2, *gv).items()}
    head = {"swagger": "2.0", "info": _info(), "paths": found}
    return _document({**head, "definitions": _schemas(V2, KINDS_BY_PLURAL)})


@cache
def version_3(group: str, api_group_version: str) -> Document:
    """The document of OpenAPI 3 for a version of a group.

    Raises:
        KeyError: it isn't served.
    """
    group_version = (group, api_group_version)
    head = {"openapi": "3.0.0", "info": _info(), "paths": paths(V3, *group_version)}
    return _document({**head, "components": {"schemas": _schemas(V3, [group_version])}})


@cache
def index() -> Document:
    """Where the documents of OpenAPI 3 are, under addresses that change whenever they do."""
    return _document(
        {
            "paths": {
                place(*gv): {
                    "serverRelativeURL": f"/openapi/v3/{place(*gv)}?hash={version_3(*gv).digest}"
                }
                for gv in KINDS_BY_PLURAL
            }
        }
    )


def place(group: str, api_group_version: str) -> str:
    """Where a version of a group is served, such as `apis/apps/v1`."""
    return f"{'apis' if group else 'api'}/{api_version(group, api_group_version)}"


def _document(value: Any) -> Document:
    return Document(msgspec.json.encode(value), JSON)


def _info() -> dict[str, str]:
    return {"title": "Podium", "version": version()["gitVersion"]}


def _schemas(dialect: Dialect, wanted: Iterable[GroupVersion]) -> dict[str, Schema]:
    """The schemas of what is served in some groups and versions, and of bodies of requests."""
    listed: list[Struct] = []
    others = [meta_struct("DeleteOptions")]
    for group_version in wanted:
        for kind in KINDS_BY_PLURAL[group_version].values():
            struct = _struct(*group_version, kind.name)
            (listed if "list" in verbs(kind) else others).append(struct)
            taken = [SUBRESOURCE_KINDS.get(subresource) for subresource in kind.subresources]
            others += [_struct(*one) for one in taken if one is not None]
    return schemas(dialect, listed, others, _tags())


def _struct(group: str, api_group_version: str, kind: str) -> Struct:
    found = struct_of(api_version(group, api_group_version), kind)
    assert found is not None, kind
    return found


@cache
def _tags() -> dict[str, list[dict[str, str]]]:
    """Which kinds schemas are of, by their names."""
    served = [(*gv, kind.name) for gv, kinds in KINDS_BY_PLURAL.items() for kind in kinds.values()]
    found = {
        schema_name(_struct(*one)): [tag(*one)] for one in (*served, *SUBRESOURCE_KINDS.values())
    }
    options = meta_struct("DeleteOptions")
    return {**found, schema_name(options): [tag("", "v1", options.name)]}
