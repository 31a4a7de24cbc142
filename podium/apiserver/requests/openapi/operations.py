"""Operations: the verbs of each path, in the words of OpenAPI."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.apiserver.decoding import PatchType
from podium.apiserver.registry import Registry
from podium.apiserver.requests.negotiation import JSON, YAML
from podium.apiserver.requests.openapi.schemas import STATUS, Dialect, list_name, schema_name, tag
from podium.apiserver.requests.routes import (
    COLLECTION_VERBS,
    EVERYWHERE_VERBS,
    ITEM_VERBS,
    SUBRESOURCE_KINDS,
    SUBRESOURCE_VERBS,
    api_version,
    verbs,
)
from podium.apiserver.schema import Struct, meta_struct, struct_of
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


def _parameter(dialect: Dialect, name: str, place: str, kind: str) -> dict[str, Any]:
    typed = {"schema": {"type": kind}} if dialect.has_alternatives else {"type": kind}
    return {"name": name, "in": place, **typed}


Item = dict[str, Any]

_NAMESPACE, _NAME = "namespace", "name"
# Actions are called by their method, unless another one has it already.
_OTHER_ACTIONS = ("list", "deletecollection")
_WORDS = {"get": "read", "post": "create", "put": "replace", "deletecollection": "deleteCollection"}


class _Place(msgspec.Struct, frozen=True):
    dialect: Dialect
    kind: Kind
    group_version: tuple[str, str]
    path: str
    subresource: str = ""

    @property
    def taken(self) -> tuple[str, str, str]:
        """Group, version and kind of what goes in and comes out."""
        group, version = self.group_version
        return SUBRESOURCE_KINDS.get(self.subresource, (group, version, self.kind.name))

    @property
    def struct(self) -> Struct:
        """Its type."""
        if self.subresource not in SUBRESOURCE_KINDS:
            return struct_for(self.kind, api_version(*self.group_version))
        group, version, kind = self.taken
        found = struct_of(api_version(group, version), kind)
        assert found is not None
        return found

    @property
    def identity(self) -> str:
        """The part of operation ids that is unique to the path."""
        group, version = self.group_version
        words = [group.partition(".")[0] or "core", version]
        if f"{{{_NAMESPACE}}}" in self.path:
            words.append("namespaced")
        words += [self.kind.name, self.subresource]
        if self.kind.namespaced and "namespaced" not in words:
            words.append("ForAllNamespaces")
        return "".join(word[:1].upper() + word[1:] for word in words)


def paths(kinds: Registry, dialect: Dialect, group: str, version: str) -> dict[str, Item]:
    """What can be done at the paths of a group's version."""
    found: dict[str, Item] = {}
    for kind in kinds.by_plural[group, version].values():
        for place, methods in _places(dialect, kind, (group, version)):
            allowed = verbs(kind, place.subresource)
            item: Item = {}
            for method, verb in methods.items():
                if verb in allowed:
                    action = verb if verb in _OTHER_ACTIONS else method.lower()
                    item[method.lower()] = _operation(place, action)
            names = [name for name in (_NAME, _NAMESPACE) if f"{{{name}}}" in place.path]
            parts = [_parameter(dialect, name, "path", "string") for name in names]
            found[place.path] = {**item, "parameters": [{**one, "required": True} for one in parts]}
    return found


def _places(
    dialect: Dialect, kind: Kind, group_version: tuple[str, str]
) -> Iterator[tuple[_Place, Mapping[str, str]]]:
    group, _ = group_version
    root = f"/{'apis' if group else 'api'}/{api_version(*group_version)}"
    collection = f"{root}/{kind.plural}"
    if kind.namespaced:
        if "list" in verbs(kind):
            yield _Place(dialect, kind, group_version, collection), EVERYWHERE_VERBS
        collection = f"{root}/namespaces/{{{_NAMESPACE}}}/{kind.plural}"
    yield _Place(dialect, kind, group_version, collection), COLLECTION_VERBS
    if "get" not in verbs(kind):
        return
    one = f"{collection}/{{{_NAME}}}"
    yield _Place(dialect, kind, group_version, one), ITEM_VERBS
    for subresource in sorted(kind.subresources):
        path = f"{one}/{subresource}"
        yield _Place(dialect, kind, group_version, path, subresource), SUBRESOURCE_VERBS


def _operation(place: _Place, action: str) -> Item:
    dialect = place.dialect
    operation: Item = {
        "operationId": f"{_WORDS.get(action, action)}{place.identity}",
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": tag(*place.taken),
    }
    names = sorted(("pretty", *OPTIONS[action]))
    parameters = [_parameter(dialect, one, "query", _TYPES.get(one, "string")) for one in names]
    deletes = action in ("delete", "deletecollection")
    taken: Item | None = None
    if deletes:
        taken = dialect.reference(schema_name(meta_struct("DeleteOptions")))
    elif action == "patch":
        taken = {"type": "object"}
    elif action not in ("get", "list"):
        taken = dialect.reference(schema_name(place.struct))
    answered = list_name(place.struct) if action == "list" else schema_name(place.struct)
    given = dialect.reference(STATUS if deletes else answered)
    if dialect.has_alternatives:
        if taken is not None:
            is_custom = isinstance(place.kind, CustomKind)
            patches = [one for one in PatchType if not (is_custom and one == PatchType.STRATEGIC)]
            types = patches if action == "patch" else ["*/*"]
            operation["requestBody"] = {"content": {one: {"schema": taken} for one in types}}
        content = {one: {"schema": given} for one in (JSON, YAML)}
        operation["responses"] = {"200": {"description": "OK", "content": content}}
    else:
        if taken is not None:
            parameters.append({"name": "body", "in": "body", "schema": taken})
        operation["responses"] = {"200": {"description": "OK", "schema": given}}
    return {**operation, "parameters": parameters}
