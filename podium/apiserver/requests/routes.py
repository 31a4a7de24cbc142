"""Routing of a method and a path to a kind, object, subresource and verb."""

from collections.abc import Mapping, Sequence

import msgspec

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.apiserver.refusals import no_such_method, no_such_resource
from podium.apiserver.registry import BUILT_IN, Registry
from podium.apiserver.schema import struct_types

_ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
_EDITED = ("get", "patch", "update")
_VERBS_OF_SUBRESOURCES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("approval", "ephemeralcontainers", "resize", "scale", "status"), _EDITED),
    **dict.fromkeys(("binding", "eviction", "token"), ("create",)),
    "finalize": ("update",),
    "log": ("get",),
}
# Kinds with other verbs: namespaces can't be deleted as a collection.
_OTHER_VERBS: Mapping[str, tuple[str, ...]] = {
    "Namespace": tuple(verb for verb in _ALL_VERBS if verb != "deletecollection")
}

SUBRESOURCE_KINDS: Mapping[str, Kind] = {
    "binding": struct_types.BINDING,
    "eviction": struct_types.EVICTION,
    "scale": struct_types.SCALE,
    "token": struct_types.TOKEN_REQUEST,
}
"""The kinds of bodies by subresource, where the body isn't of the parent's kind."""

CONNECTIONS = ("attach", "exec", "portforward", "proxy")
"""Subresources for connections to containers, which are refused and not in discovery."""

CONNECTING = ("create", "get")
BINDINGS = "bindings"
"""The collection to which Bindings may be posted instead of the subresource."""


def verbs(kind: Kind, subresource: str = "") -> tuple[str, ...]:
    """Return the verbs of a kind or its subresource; empty for an unknown subresource."""
    if kind.key in struct_types.REVIEWS:
        return () if subresource else ("create",)
    if kind.key in struct_types.METRICS:
        return () if subresource else ("get", "list")
    if not subresource:
        return _OTHER_VERBS.get(kind.key, _ALL_VERBS)
    if kind.key == "Pod" and subresource in CONNECTIONS:
        return CONNECTING
    return _VERBS_OF_SUBRESOURCES[subresource] if subresource in kind.subresources else ()


def api_version(group: str, version: str) -> str:
    """Return the `apiVersion` of a group and version."""
    return f"{group}/{version}" if group else version


def path_of(group: str, version: str) -> str:
    """Return the path of a group and version, such as `/apis/apps/v1`."""
    return f"/{'apis' if group else 'api'}/{api_version(group, version)}"


_EDITING = {"GET": "get", "PUT": "update", "PATCH": "patch"}
ITEM_VERBS: Mapping[str, str] = {**_EDITING, "DELETE": "delete"}
SUBRESOURCE_VERBS: Mapping[str, str] = {**_EDITING, "POST": "create"}
COLLECTION_VERBS: Mapping[str, str] = {
    "GET": "list",
    "POST": "create",
    "DELETE": "deletecollection",
}
# Across namespaces, objects can only be read.
EVERYWHERE_VERBS: Mapping[str, str] = {"GET": "list"}


class RequestInfo(msgspec.Struct, frozen=True):
    """The target of a request."""

    kind: Kind
    group: str
    """Group in the path; a kind may be served in several groups."""
    version: str
    namespace: str = ""
    """Empty for cluster-scoped kinds and for all namespaces."""
    name: str = ""
    """Name of the object; empty for all objects."""
    subresource: str = ""
    """Such as `status`; empty for the object itself."""
    verb: str = ""

    @property
    def api_version(self) -> str:
        """The `apiVersion` of objects in the request and response."""
        return api_version(self.group, self.version)


def is_served(segments: Sequence[str], kinds: Registry = BUILT_IN) -> bool:
    """Return whether a split path begins with a served group."""
    match segments:
        case ["api", *_]:
            return True
        case ["apis", group, *_]:
            return group != "" and group in kinds.groups
    return False


def route(method: str, segments: Sequence[str], kinds: Registry = BUILT_IN) -> RequestInfo:
    """Return the target of a method and a split, decoded path; raises RefusedError (404 or 405)."""
    match segments:
        case ["api", version, *rest] if rest:
            group = ""
        case ["apis", group, version, *rest] if rest and group:
            pass
        case _:
            raise no_such_resource()
    plurals = kinds.by_plural.get((group, version), {})
    watches = rest[0] == "watch"
    match rest[1:] if watches else rest:
        case ["namespaces", namespace, last] if last == BINDINGS and plurals and not group:
            kind, tail = KINDS["Pod"], ["", "binding"]
        case ["namespaces", namespace, plural, *tail] if plural in plurals:
            kind = plurals[plural]
        case [plural, *tail] if plural in plurals:
            kind, namespace = plurals[plural], ""
        case _:
            raise no_such_resource()
    # An object of a namespaced kind can't be named without its namespace.
    if kind.namespaced != bool(namespace) and (tail or namespace):
        raise no_such_resource()
    connects = kind.key == "Pod" and len(tail) > 1 and tail[1] in CONNECTIONS
    if len(tail) > 2 and not connects:
        raise no_such_resource()
    name, subresource, *_ = (*tail, "", "")
    if subresource and subresource not in kind.subresources and not connects:
        raise no_such_resource()
    if subresource:
        by_method = SUBRESOURCE_VERBS
    elif name:
        by_method = ITEM_VERBS
    else:
        everywhere = kind.namespaced and not namespace
        by_method = EVERYWHERE_VERBS if everywhere else COLLECTION_VERBS
    verb = "watch" if watches else by_method.get(method, "")
    if verb not in verbs(kind, subresource) or (watches and method != "GET"):
        raise no_such_method()
    return RequestInfo(kind, group, version, namespace, name, subresource, verb)
