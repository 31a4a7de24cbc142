"""The documents: one of OpenAPI 2 for all, and one of OpenAPI 3 for each version of each group.

Each is made when it is first asked for, and stays as it is.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial

import msgspec

from podium.apiserver.refusals import not_acceptable
from podium.apiserver.registry import BUILT_IN, Registry
from podium.apiserver.requests import routes
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
    subresource_struct,
    tag,
)
from podium.apiserver.requests.query_options import Parameters
from podium.apiserver.schema import Struct, meta_struct
from podium.apiserver.schema.custom import struct_for

GroupVersion = tuple[str, str]


class OpenApiDocument:
    """A document as it is sent, with its SHA-256, for its address and entity tag."""

    def __init__(self, content: bytes, media_type: str = JSON) -> None:
        self.content = content
        self.media_type = media_type
        self.digest = hashlib.sha256(content).hexdigest().upper()


_INFO = {"title": "Podium", "version": version()["gitVersion"]}


@lru_cache(maxsize=8)
def version_2(kinds: Registry) -> OpenApiDocument:
    """The document of OpenAPI 2."""
    found = {path: item for gv in kinds.by_plural for path, item in paths(kinds, V2, *gv).items()}
    definitions = _schemas(kinds, V2, kinds.by_plural)
    head = {"swagger": "2.0", "info": _INFO, "paths": found}
    return OpenApiDocument(msgspec.json.encode({**head, "definitions": definitions}))


@lru_cache(maxsize=8)
def version_2_protobuf(kinds: Registry) -> OpenApiDocument:
    """The schemas of OpenAPI 2 in Protobuf, without operations."""
    definitions = _schemas(kinds, V2, kinds.by_plural)
    return OpenApiDocument(protobuf.document(_INFO, definitions), protobuf.MEDIA_TYPE)


@lru_cache(maxsize=256)
def version_3(kinds: Registry, group_version: GroupVersion) -> OpenApiDocument:
    """The document of OpenAPI 3 for a version of a group; raises KeyError: it isn't served."""
    built_in = BUILT_IN.by_plural.get(group_version)
    if kinds is not BUILT_IN and kinds.by_plural[group_version] == built_in:
        # All registries share what is built in.
        return version_3(BUILT_IN, group_version)
    head = {"openapi": "3.0.0", "info": _INFO, "paths": paths(kinds, V3, *group_version)}
    components = {"schemas": _schemas(kinds, V3, [group_version])}
    return OpenApiDocument(msgspec.json.encode({**head, "components": components}))


@lru_cache(maxsize=8)
def index(kinds: Registry) -> OpenApiDocument:
    """Where the documents of OpenAPI 3 are, under addresses that change whenever they do."""
    found = {}
    for group_version in kinds.by_plural:
        path, digest = routes.path_of(*group_version), version_3(kinds, group_version).digest
        found[path[1:]] = {"serverRelativeURL": f"/openapi/v3{path}?hash={digest}"}
    return OpenApiDocument(msgspec.json.encode({"paths": found}))


def _schemas(
    kinds: Registry, dialect: Dialect, wanted: Iterable[GroupVersion]
) -> dict[str, Schema]:
    listed: list[Struct] = []
    others = [meta_struct("DeleteOptions")]
    for group_version in wanted:
        for kind in kinds.by_plural[group_version].values():
            struct = struct_for(kind, routes.api_version(*group_version))
            (listed if "list" in routes.verbs(kind) else others).append(struct)
            others += filter(None, map(subresource_struct, kind.subresources))
    return schemas(dialect, listed, others, _tags(kinds))


@lru_cache(maxsize=8)
def _tags(kinds: Registry) -> dict[str, list[dict[str, str]]]:
    options = meta_struct("DeleteOptions")
    tags = {schema_name(options): [tag("", "v1", options.name)]}
    for group_version, found in kinds.by_plural.items():
        for kind in found.values():
            struct = struct_for(kind, routes.api_version(*group_version))
            tags[schema_name(struct)] = [tag(*group_version, kind.name)]
    for subresource, taken in routes.SUBRESOURCE_KINDS.items():
        struct_taken = subresource_struct(subresource)
        if struct_taken is not None:
            tags[schema_name(struct_taken)] = [tag(*taken)]
    return tags


# Under an address with its digest, a document never changes.
_FOR_EVER = "public, immutable, max-age=31536000"


def answer(
    kinds: Registry, request: Request, segments: Sequence[str], parameters: Parameters
) -> Response | None:
    """The answer to a request for a document, None at other paths; raises RefusedError: 406."""
    forms: dict[str, Callable[[Registry], OpenApiDocument]] = {
        JSON: version_2,
        **dict.fromkeys(protobuf.ASKED_FOR, version_2_protobuf),
    }
    match segments:
        case ["openapi", "v2"]:
            pass
        case ["openapi", "v3"]:
            forms = {JSON: index}
        case ["openapi", "v3", "api", version] if ("", version) in kinds.by_plural:
            forms = {JSON: partial(version_3, group_version=("", version))}
        case ["openapi", "v3", "apis", group, version] if (group, version) in kinds.by_plural:
            forms = {JSON: partial(version_3, group_version=(group, version))}
        case _:
            return None
    wanted = parse_media_types(request.header("Accept") or "*/*")
    spoken = next((form for one in wanted for form in forms if one.covers(form)), None)
    if spoken is None:
        raise not_acceptable(f"only the following media types are accepted: {', '.join(forms)}")
    document = forms[spoken](kinds)
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
