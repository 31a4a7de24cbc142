"""The documents: one of OpenAPI 2 for all, and one of OpenAPI 3 for each version of each group.

That of OpenAPI 2 is told in Protobuf, too, without its operations.

Each is made when it is first asked for, and stays as it is.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import msgspec

from podium.apiserver.refusals import not_acceptable
from podium.apiserver.registry import BUILT_IN, Registry
from podium.apiserver.requests.discovery import version
from podium.apiserver.requests.messages import Request, Response
from podium.apiserver.requests.negotiation import JSON, parse_media_types
from podium.apiserver.requests.openapi import protobuf
from podium.apiserver.requests.openapi.operations import paths
from podium.apiserver.requests.openapi.schemas import (
    V2,
    V3,
    Dialect,
    Schema,
    schema_name,
    schemas,
    tag,
)
from podium.apiserver.requests.query_options import Parameters
from podium.apiserver.requests.routes import SUBRESOURCE_KINDS, api_version, verbs
from podium.apiserver.schema import Struct, meta_struct, struct_of
from podium.apiserver.schema.custom import struct_for

GroupVersion = tuple[str, str]


@dataclass(frozen=True)
class OpenApiDocument:
    """A document as it is sent."""

    content: bytes
    media_type: str

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content, for the document's address and entity tag."""
        return hashlib.sha256(self.content).hexdigest().upper()


@lru_cache(maxsize=8)
def version_2(kinds: Registry) -> OpenApiDocument:
    """The document of OpenAPI 2."""
    found = {path: item for gv in kinds.by_plural for path, item in paths(kinds, V2, *gv).items()}
    head = {"swagger": "2.0", "info": _info(), "paths": found}
    return _document({**head, "definitions": _schemas(kinds, V2, kinds.by_plural)})


@lru_cache(maxsize=8)
def version_2_protobuf(kinds: Registry) -> OpenApiDocument:
    """The schemas of OpenAPI 2 in Protobuf."""
    definitions = _schemas(kinds, V2, kinds.by_plural)
    return OpenApiDocument(protobuf.document(_info(), definitions), protobuf.MEDIA_TYPE)


def version_3(kinds: Registry, group: str, api_group_version: str) -> OpenApiDocument:
    """The document of OpenAPI 3 for a version of a group; raises KeyError: it isn't served."""
    group_version = (group, api_group_version)
    if kinds.by_plural[group_version] == BUILT_IN.by_plural.get(group_version):
        # Other registries share what is built in.
        kinds = BUILT_IN
    return _version_3(kinds, group_version)


@lru_cache(maxsize=256)
def _version_3(kinds: Registry, group_version: GroupVersion) -> OpenApiDocument:
    head = {"openapi": "3.0.0", "info": _info(), "paths": paths(kinds, V3, *group_version)}
    return _document({**head, "components": {"schemas": _schemas(kinds, V3, [group_version])}})


@lru_cache(maxsize=8)
def index(kinds: Registry) -> OpenApiDocument:
    """Where the documents of OpenAPI 3 are, under addresses that change whenever they do."""
    found = {}
    for group_version in kinds.by_plural:
        at, digest = place(*group_version), version_3(kinds, *group_version).digest
        found[at] = {"serverRelativeURL": f"/openapi/v3/{at}?hash={digest}"}
    return _document({"paths": found})


def place(group: str, api_group_version: str) -> str:
    """Where a version of a group is served, such as `apis/apps/v1`."""
    return f"{'apis' if group else 'api'}/{api_version(group, api_group_version)}"


def _document(value: Any) -> OpenApiDocument:
    return OpenApiDocument(msgspec.json.encode(value), JSON)


def _info() -> dict[str, str]:
    return {"title": "Podium", "version": version()["gitVersion"]}


def _schemas(
    kinds: Registry, dialect: Dialect, wanted: Iterable[GroupVersion]
) -> dict[str, Schema]:
    listed: list[Struct] = []
    others = [meta_struct("DeleteOptions")]
    for group_version in wanted:
        for kind in kinds.by_plural[group_version].values():
            struct = struct_for(kind, api_version(*group_version))
            (listed if "list" in verbs(kind) else others).append(struct)
            taken = [SUBRESOURCE_KINDS.get(subresource) for subresource in kind.subresources]
            others += [_struct(*one) for one in taken if one is not None]
    return schemas(dialect, listed, others, _tags(kinds))


def _struct(group: str, api_group_version: str, kind: str) -> Struct:
    found = struct_of(api_version(group, api_group_version), kind)
    assert found is not None, kind
    return found


@lru_cache(maxsize=8)
def _tags(kinds: Registry) -> dict[str, list[dict[str, str]]]:
    served = [(gv, kind) for gv, found in kinds.by_plural.items() for kind in found.values()]
    found = {
        schema_name(struct_for(kind, api_version(*gv))): [tag(*gv, kind.name)]
        for gv, kind in served
    }
    taken = {schema_name(_struct(*one)): [tag(*one)] for one in SUBRESOURCE_KINDS.values()}
    options = meta_struct("DeleteOptions")
    return {**found, **taken, schema_name(options): [tag("", "v1", options.name)]}


# Under an address with its digest, a document never changes.
_FOR_EVER = "public, immutable, max-age=31536000"


def answer(
    kinds: Registry, request: Request, segments: Sequence[str], parameters: Parameters
) -> Response | None:
    """The answer to a request for a document, None at other paths; raises RefusedError: 406."""
    is_version_2 = False
    match segments:
        case ["openapi", "v2"]:
            document, is_version_2 = version_2(kinds), True
        case ["openapi", "v3"]:
            document = index(kinds)
        case ["openapi", "v3", "api", version] if ("", version) in kinds.by_plural:
            document = version_3(kinds, "", version)
        case ["openapi", "v3", "apis", group, version] if (group, version) in kinds.by_plural:
            document = version_3(kinds, group, version)
        case _:
            return None
    for wanted in parse_media_types(request.header("Accept") or "*/*"):
        if wanted.covers(JSON):
            break
        if is_version_2 and any(map(wanted.covers, protobuf.ASKED_FOR)):
            document = version_2_protobuf(kinds)
            break
    else:
        spoken = [JSON, *protobuf.ASKED_FOR] if is_version_2 else [JSON]
        raise not_acceptable(f"only the following media types are accepted: {', '.join(spoken)}")
    tag = f'"{document.digest}"'
    caching = _FOR_EVER if parameters.text("hash") == document.digest else "no-cache"
    headers = (
        ("Content-Type", document.media_type),
        ("ETag", tag),
        ("Cache-Control", caching),
        ("Vary", "Accept"),
    )
    if request.header("If-None-Match") == tag:
        return Response(304, b"", headers)
    return Response(200, document.content, headers)
