"""The operations of OpenAPI documents: the verbs at each path."""

from collections.abc import Mapping
from typing import Any

from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.apiserver.decoding import PatchType
from podium.apiserver.registry import Registry
from podium.apiserver.requests import routes
from podium.apiserver.requests.negotiation import JSON, YAML
from podium.apiserver.requests.openapi import schemas
from podium.apiserver.schema import Struct, meta_struct
from podium.apiserver.schema.custom import struct_for

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
