"""The OpenAPI documents of versions 2 and 3: the verbs at each path, and the schemas.

Each is generated at the first request and cached.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import msgspec

from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.apiserver.decoding.bodies import PatchType
from podium.apiserver.protobuf.messages import delimited
from podium.apiserver.refusals import not_acceptable
from podium.apiserver.registry import BUILT_IN, Registry
from podium.apiserver.requests import routes
from podium.apiserver.requests.discovery import version
from podium.apiserver.requests.messages import Request, Response
from podium.apiserver.requests.negotiation import JSON, YAML, parse_media_types
from podium.apiserver.requests.openapi import schemas
from podium.apiserver.requests.openapi.schemas import V2, V3, Dialect, Schema
from podium.apiserver.requests.query_options import Parameters
from podium.apiserver.schema.custom import struct_for
from podium.apiserver.schema.model import Struct
from podium.apiserver.schema.struct_types import meta_struct

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
"""The query parameters of each action, besides `pretty`."""

_TYPES = {
    **dict.fromkeys(("limit", "timeoutSeconds", "gracePeriodSeconds"), "integer"),
    **dict.fromkeys(("allowWatchBookmarks", "sendInitialEvents", "watch"), "boolean"),
    **dict.fromkeys(("orphanDependents", "force"), "boolean"),
}

Item = dict[str, Any]

_NAMESPACE, _NAME = "namespace", "name"
# Actions that aren't named by their method, which another action is.
_OTHER_ACTIONS = ("list", "deletecollection")
_WORDS = {"get": "read", "post": "create", "put": "replace", "deletecollection": "deleteCollection"}


def paths(kinds: Registry, dialect: schemas.Dialect, group: str, version: str) -> dict[str, Item]:
    """Return the operations of a group and version, by path."""
    items: dict[str, Item] = {}
    for kind in kinds.by_plural[group, version].values():
        collection = f"{routes.path_of(group, version)}/{kind.plural}"
        places: list[tuple[str, str, Mapping[str, str]]] = []
        if kind.namespaced:
            if "list" in routes.verbs(kind):
                places.append((collection, "", routes.EVERYWHERE_VERBS))
            within = f"namespaces/{{{_NAMESPACE}}}"
            collection = f"{routes.path_of(group, version)}/{within}/{kind.plural}"
        places.append((collection, "", routes.COLLECTION_VERBS))
        if "get" in routes.verbs(kind):
            item = f"{collection}/{{{_NAME}}}"
            places.append((item, "", routes.ITEM_VERBS))
            places += (
                (f"{item}/{subresource}", subresource, routes.SUBRESOURCE_VERBS)
                for subresource in sorted(kind.subresources)
            )
        for path, subresource, methods in places:
            items[path] = _item(dialect, kind, (group, version), path, subresource, methods)
    return items


def _item(
    dialect: schemas.Dialect,
    kind: Kind,
    group_version: tuple[str, str],
    path: str,
    subresource: str,
    methods: Mapping[str, str],
) -> Item:
    group, version = group_version
    struct, tag = struct_for(kind, routes.api_version(group, version)), (group, version, kind.name)
    if taken := routes.SUBRESOURCE_KINDS.get(subresource):
        struct, tag = struct_for(taken), (taken.group, taken.version, taken.name)
    names = [name for name in (_NAME, _NAMESPACE) if f"{{{name}}}" in path]
    # The parts of an operation id besides the action are unique to the path.
    scope = "namespaced" if _NAMESPACE in names else ""
    everywhere = "ForAllNamespaces" if kind.namespaced and not scope else ""
    words = [group.partition(".")[0] or "core", version, scope, kind.name, subresource, everywhere]
    identity = "".join(word[:1].upper() + word[1:] for word in words)
    item: Item = {}
    for method, verb in methods.items():
        if verb in routes.verbs(kind, subresource):
            action = verb if verb in _OTHER_ACTIONS else method.lower()
            item[method.lower()] = {
                "operationId": f"{_WORDS.get(action, action)}{identity}",
                "x-kubernetes-action": action,
                "x-kubernetes-group-version-kind": schemas.tag(*tag),
                **_operation(dialect, kind, struct, action),
            }
    parts = [dialect.parameter(name, "path", "string") for name in names]
    return {**item, "parameters": [{**part, "required": True} for part in parts]}


def _operation(dialect: schemas.Dialect, kind: Kind, struct: Struct, action: str) -> Item:
    names = sorted(("pretty", *OPTIONS[action]))
    parameters = [dialect.parameter(name, "query", _TYPES.get(name, "string")) for name in names]
    deletes = action in ("delete", "deletecollection")
    sent: Item | None = None
    if deletes:
        sent = dialect.reference(schemas.schema_name(meta_struct("DeleteOptions")))
    elif action == "patch":
        sent = {"type": "object"}
    elif action not in ("get", "list"):
        sent = dialect.reference(schemas.schema_name(struct))
    answered = schemas.list_name(struct) if action == "list" else schemas.schema_name(struct)
    answer = dialect.reference(schemas.STATUS if deletes else answered)
    if not dialect.has_alternatives:
        if sent is not None:
            parameters.append({"name": "body", "in": "body", "schema": sent})
        responses = {"200": {"description": "OK", "schema": answer}}
        return {"responses": responses, "parameters": parameters}
    content = {media_type: {"schema": answer} for media_type in (JSON, YAML)}
    responses = {"200": {"description": "OK", "content": content}}
    if sent is None:
        return {"responses": responses, "parameters": parameters}
    is_custom = isinstance(kind, CustomKind)
    patches = [each for each in PatchType if not (is_custom and each == PatchType.STRATEGIC)]
    types = patches if action == "patch" else ["*/*"]
    body = {"content": {media_type: {"schema": sent} for media_type in types}}
    return {"requestBody": body, "responses": responses, "parameters": parameters}


GroupVersion = tuple[str, str]
_Encode = Callable[[Any], bytes]


class OpenApiDocument:
    """An encoded document, and its SHA-256 for the address and the ETag."""

    def __init__(self, content: bytes, media_type: str = JSON) -> None:
        self.content = content
        self.media_type = media_type
        self.digest = hashlib.sha256(content).hexdigest().upper()


_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
# kubectl's Accept header has an `@` in the name.
_PROTOBUFS = (_PROTOBUF, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
_SWAGGER, _INFORMATION, _DEFINITIONS = 1, 2, 9
_TITLE, _VERSION = 1, 2
_KEY, _VALUE = 1, 2
_ANY_YAML = 2
_EXTENSION = 31

_INFO = {"title": "Podium", "version": version()["gitVersion"]}


@lru_cache(maxsize=8)
def version_2(kinds: Registry) -> OpenApiDocument:
    """Return the OpenAPI 2 document."""
    items = {path: item for gv in kinds.by_plural for path, item in paths(kinds, V2, *gv).items()}
    definitions = _schemas(kinds, V2, kinds.by_plural)
    head = {"swagger": "2.0", "info": _INFO, "paths": items}
    return OpenApiDocument(msgspec.json.encode({**head, "definitions": definitions}))


@lru_cache(maxsize=8)
def version_2_protobuf(kinds: Registry) -> OpenApiDocument:
    """Return the schemas of OpenAPI 2 in Protobuf, as defined in gnostic's OpenAPIv2.proto.

    kubectl only reads this form of version 2, to validate a `List` and kinds that can't be patched,
    such as a SubjectAccessReview. For operations kubectl reads OpenAPI 3.
    """
    about = delimited(_TITLE, _text(_INFO["title"])) + delimited(_VERSION, _text(_INFO["version"]))
    definitions = _by_name(_schemas(kinds, V2, kinds.by_plural))
    parts = ((_SWAGGER, b"2.0"), (_INFORMATION, about), (_DEFINITIONS, definitions))
    return OpenApiDocument(b"".join(delimited(*part) for part in parts), _PROTOBUF)


def _text(value: str) -> bytes:
    return value.encode()


def _named(name: str, value: bytes) -> bytes:
    return delimited(_KEY, _text(name)) + delimited(_VALUE, value)


def _by_name(by_name: Mapping[str, Schema]) -> bytes:
    return b"".join(delimited(1, _named(name, _schema(schema))) for name, schema in by_name.items())


def _schema(schema: Schema) -> bytes:
    parts = []
    for name, value in schema.items():
        if name.startswith("x-"):
            # Any value as YAML, which JSON is as well.
            extension = delimited(_ANY_YAML, _text(json.dumps(value)))
            parts.append(delimited(_EXTENSION, _named(name, extension)))
        elif name in _FIELDS:
            number, encode = _FIELDS[name]
            values = value if isinstance(value, list) else [value]
            parts += [delimited(number, encode(part)) for part in values]
    return b"".join(parts)


def _only(encode: _Encode) -> _Encode:
    return lambda value: delimited(1, encode(value))


_FIELDS: Mapping[str, tuple[int, _Encode]] = {
    "$ref": (1, _text),
    "format": (2, _text),
    "required": (19, _text),
    "additionalProperties": (21, _only(_schema)),
    "type": (22, _only(_text)),
    "items": (23, _only(_schema)),
    "properties": (25, _by_name),
}


@lru_cache(maxsize=256)
def version_3(kinds: Registry, group_version: GroupVersion) -> OpenApiDocument:
    """Return the OpenAPI 3 document of a group and version; raises KeyError."""
    built_in = BUILT_IN.by_plural.get(group_version)
    if kinds is not BUILT_IN and kinds.by_plural[group_version] == built_in:
        # All registries share the documents of built-in groups.
        return version_3(BUILT_IN, group_version)
    head = {"openapi": "3.0.0", "info": _INFO, "paths": paths(kinds, V3, *group_version)}
    components = {"schemas": _schemas(kinds, V3, [group_version])}
    return OpenApiDocument(msgspec.json.encode({**head, "components": components}))


@lru_cache(maxsize=8)
def index(kinds: Registry) -> OpenApiDocument:
    """Return the index of OpenAPI 3 documents, whose addresses change with their content."""
    addresses = {}
    for group_version in kinds.by_plural:
        path, digest = routes.path_of(*group_version), version_3(kinds, group_version).digest
        addresses[path[1:]] = {"serverRelativeURL": f"/openapi/v3{path}?hash={digest}"}
    return OpenApiDocument(msgspec.json.encode({"paths": addresses}))


def _schemas(
    kinds: Registry, dialect: Dialect, wanted: Iterable[GroupVersion]
) -> dict[str, Schema]:
    listed: list[Struct] = []
    others = [meta_struct("DeleteOptions")]
    for group_version in wanted:
        for kind in kinds.by_plural[group_version].values():
            struct = struct_for(kind, routes.api_version(*group_version))
            (listed if "list" in routes.verbs(kind) else others).append(struct)
            taken = filter(None, map(routes.SUBRESOURCE_KINDS.get, kind.subresources))
            others += map(struct_for, taken)
    return schemas.schemas(dialect, listed, others, _tags(kinds))


@lru_cache(maxsize=8)
def _tags(kinds: Registry) -> dict[str, list[dict[str, str]]]:
    options = meta_struct("DeleteOptions")
    tags = {schemas.schema_name(options): [schemas.tag("", "v1", options.name)]}
    for group_version, by_plural in kinds.by_plural.items():
        for kind in by_plural.values():
            struct = struct_for(kind, routes.api_version(*group_version))
            tags[schemas.schema_name(struct)] = [schemas.tag(*group_version, kind.name)]
    for taken in routes.SUBRESOURCE_KINDS.values():
        name = schemas.schema_name(struct_for(taken))
        tags[name] = [schemas.tag(taken.group, taken.version, taken.name)]
    return tags


# Under an address with its digest, a document never changes.
_FOR_EVER = "public, immutable, max-age=31536000"


def answer(
    kinds: Registry, request: Request, segments: Sequence[str], parameters: Parameters
) -> Response | None:
    """Return the response with a document; None for other paths; raises RefusedError (406)."""
    forms: dict[str, Callable[[Registry], OpenApiDocument]] = {
        JSON: version_2,
        **dict.fromkeys(_PROTOBUFS, version_2_protobuf),
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
    spoken = next((form for each in wanted for form in forms if each.covers(form)), None)
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
