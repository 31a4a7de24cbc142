"""From effects to requests of the API: method, path and body."""

from typing import Any
from urllib.parse import quote

import msgspec

from podium.api.kinds.builtin_kinds import ALL_KINDS, KINDS, Kind
from podium.api.objects import Object
from podium.machines.effects import Bind, Create, Delete, Effect, Evict, Patch, Replace

JSON = "application/json"
STRATEGIC = "application/strategic-merge-patch+json"


class Call(msgspec.Struct, frozen=True):
    """A request to an API server."""

    method: str
    path: str
    body: Object
    media_type: str = JSON


def call_of(effect: Effect) -> Call:
    """The request that an effect is; raises KeyError if it is no call, or of an unknown kind."""
    match effect:
        case Create(obj=obj):
            kind = KINDS[effect.kind]
            version = str(obj.get("apiVersion") or kind.api_version)
            namespace = obj["metadata"].get("namespace", "")
            named = {"apiVersion": version, "kind": kind.name, **obj}
            return Call("POST", collection_path(kind, namespace, version), named)
        case Replace(obj=obj):
            kind, metadata = KINDS[effect.kind], obj["metadata"]
            namespace = metadata.get("namespace", "")
            path = object_path(kind, namespace, metadata["name"], effect.subresource)
            named = {"apiVersion": kind.api_version, "kind": kind.name, **obj}
            return Call("PUT", path, named)
        case Patch(namespace=namespace, name=name):
            path = object_path(ALL_KINDS[effect.kind], namespace, name, effect.subresource)
            return Call("PATCH", path, effect.body, STRATEGIC)
        case Delete(namespace=namespace, name=name):
            options: dict[str, Any] = {"apiVersion": "v1", "kind": "DeleteOptions"}
            if effect.grace_period_s is not None:
                options["gracePeriodSeconds"] = effect.grace_period_s
            preconditions = {"uid": effect.uid, "resourceVersion": effect.resource_version}
            if said := {field: value for field, value in preconditions.items() if value}:
                options["preconditions"] = said
            if effect.propagation:
                options["propagationPolicy"] = effect.propagation
            return Call("DELETE", object_path(KINDS[effect.kind], namespace, name), options)
        case Bind(namespace=namespace, name=name):
            path = object_path(KINDS["Pod"], namespace, name, "binding")
            return Call("POST", path, effect.binding)
        case Evict(namespace=namespace, name=name):
            path = object_path(KINDS["Pod"], namespace, name, "eviction")
            return Call("POST", path, effect.eviction)
    raise KeyError(type(effect))


def collection_path(kind: Kind, namespace: str = "", api_version: str = "") -> str:
    """Path of the objects of a kind, in a namespace or in all.

    Args:
        namespace: empty for all, and for kinds that stand in none.
        api_version: in which of its groups and versions; empty for the usual one.
    """
    version = api_version or kind.api_version
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    place = f"/namespaces/{quote(namespace, safe='')}" if kind.namespaced and namespace else ""
    return f"{root}{place}/{kind.plural}"


def object_path(kind: Kind, namespace: str, name: str, subresource: str = "") -> str:
    """Path of an object, or of its subresource."""
    path = f"{collection_path(kind, namespace)}/{quote(name, safe='')}"
    return f"{path}/{subresource}" if subresource else path
