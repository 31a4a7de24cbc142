"""Discovery: which groups, versions and resources there are, for clients that know none of them.

There are two forms: documents a level, for the groups, for each group and for each version; and
one document for all, `APIGroupDiscoveryList`, for clients that accept it.
"""

import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.release import MAJOR, MINOR, PATCH, __version__
from podium.apiserver.registry import BUILT_IN, Registry
from podium.apiserver.requests import routes
from podium.apiserver.schema.struct_types import METRICS, REVIEWS

Document = dict[str, Any]

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
"""The media type of the one document for all."""

ROOTS = (["api"], ["apis"])
"""The paths that have such a document, split at their slashes."""


def document(segments: Sequence[str], host: str, kinds: Registry = BUILT_IN) -> Document | None:
    """What a split path within `/api` or `/apis` announces; None for one that announces nothing."""
    match segments:
        case ["api"]:
            addresses = [{"clientCIDR": "0.0.0.0/0", "serverAddress": host}] if host else []
            return {
                "kind": "APIVersions",
                "versions": list(kinds.groups[""]),
                "serverAddressByClientCIDRs": addresses,
            }
        case ["apis"]:
            groups = [_group(group, kinds) for group in kinds.groups if group]
            return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
        case ["apis", group] if group in kinds.groups:
            return {"kind": "APIGroup", "apiVersion": "v1", **_group(group, kinds)}
        case ["api", version] if ("", version) in kinds.by_plural:
            # Alone among these documents, those of the core group don't tell their version.
            return {"kind": "APIResourceList", **_resource_list("", version, kinds)}
        case ["apis", group, version] if group and (group, version) in kinds.by_plural:
            listed = _resource_list(group, version, kinds)
            return {"kind": "APIResourceList", "apiVersion": "v1", **listed}
    return None


def aggregated(root: Sequence[str], kinds: Registry = BUILT_IN) -> Document:
    """The one document for all below one of the `ROOTS`."""
    items = []
    for group in kinds.groups:
        if bool(group) is (root[0] == "apis"):
            versions = [
                {
                    "version": version,
                    "resources": _with_subresources(group, version, kinds),
                    "freshness": "Current",
                }
                for version in kinds.groups[group]
            ]
            items.append({"metadata": {"name": group} if group else {}, "versions": versions})
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    }


def storage_version_hash(kind: Kind) -> str:
    """Hash of the version that a kind is stored in; clients compare it."""
    version = kind.stored_api_version.rpartition("/")[2]
    stored = f"{kind.group}/{version}/{kind.name}"
    return b64encode(hashlib.sha256(stored.encode()).digest()[:8]).decode()


def _group(group: str, kinds: Registry) -> Document:
    versions = [
        {"groupVersion": routes.api_version(group, version), "version": version}
        for version in kinds.groups[group]
    ]
    return {"name": group, "versions": versions, "preferredVersion": versions[0]}


def _resource_list(group: str, version: str, kinds: Registry) -> Document:
    resources: list[Document] = []

    def announce(kind: Kind, name: str, singular: str, subresource: str, **more: Any) -> None:
        other, other_version, taken = routes.SUBRESOURCE_KINDS.get(subresource, ("", "", kind.name))
        elsewhere = {"group": other, "version": other_version} if other else {}
        known = {"name": name, "singularName": singular, "namespaced": kind.namespaced}
        verbs = list(routes.verbs(kind, subresource))
        resources.append({**known, **elsewhere, "kind": taken, "verbs": verbs, **more})

    if (group, version) == ("", "v1"):
        announce(KINDS["Pod"], routes.BINDINGS, "binding", "binding")
    for kind in kinds.by_plural[group, version].values():
        more: Document = {}
        for field, names in zip(_NICKNAMES, (kind.short_names, kind.categories), strict=True):
            more |= {field: [*names]} if names else {}
        if kind.key not in {**REVIEWS, **METRICS}:
            more["storageVersionHash"] = storage_version_hash(kind)
        announce(kind, kind.plural, kind.singular, "", **more)
        for subresource in kind.subresources:
            announce(kind, f"{kind.plural}/{subresource}", "", subresource)
    resources.sort(key=lambda resource: resource["name"])
    return {"groupVersion": routes.api_version(group, version), "resources": resources}


_NICKNAMES = ("shortNames", "categories")


def _with_subresources(group: str, version: str, kinds: Registry) -> list[Document]:
    found: dict[str, Document] = {}
    for one in _resource_list(group, version, kinds)["resources"]:
        name, _, subresource = one["name"].partition("/")
        kind = {"group": group, "version": version, "kind": one["kind"]}
        kind |= {field: one[field] for field in kind if field in one}
        told = {"responseKind": kind, "verbs": one["verbs"]}
        if subresource:
            beside = found[name].setdefault("subresources", [])
            beside.append({"subresource": subresource, **told})
        else:
            nicknames = {field: one[field] for field in _NICKNAMES if field in one}
            scope = "Namespaced" if one["namespaced"] else "Cluster"
            singular = {"scope": scope, "singularResource": one["singularName"]}
            found[name] = {"resource": name, **told, **singular, **nicknames}
    return [*found.values()]


# Whoever answers at all is alive.
_CHECK = "ping"
_READY = "readyz"
_HEALTH = ("healthz", "livez", _READY)


def version() -> dict[str, Any]:
    """The `Info` that `kubectl version` prints: Kubernetes' version, with Podium's as its build."""
    git_version = f"v{MAJOR}.{MINOR}.{PATCH}+podium.{__version__}"
    # Clients expect all of the fields; there is no Go and no platform to tell of.
    unknown = ("gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform")
    known = {"major": MAJOR, "minor": MINOR, "gitVersion": git_version}
    return {**known, **dict.fromkeys(unknown, "")}


def health(
    segments: Sequence[str], checks: Mapping[str, str], *, verbose: bool
) -> tuple[int, str] | None:
    """The code and text about the health that a split path asks for; None for other paths.

    `checks` says by name what is wrong, or nothing; they are listed if one fails or on request.
    """
    if not segments or segments[0] not in _HEALTH:
        return None
    question, one = segments[0], "/".join(segments[1:])
    found = {_CHECK: "", **(checks if question == _READY else {})}
    if one:
        if one not in found:
            return None
        return (500, f"internal server error: {found[one]}\n") if found[one] else (200, "ok")
    fails = any(found.values())
    if not fails and not verbose:
        return 200, "ok"
    lines = [f"[-]{name} failed: {why}" if why else f"[+]{name} ok" for name, why in found.items()]
    lines.append(f"{question} check {'failed' if fails else 'passed'}\n")
    return 500 if fails else 200, "\n".join(lines)


def index(kinds: Registry = BUILT_IN) -> dict[str, Any]:
    """The paths of all documents that describe the API."""
    groups = [f"/apis/{group}" for group in kinds.groups if group]
    versions = [routes.path_of(*group_version) for group_version in kinds.by_plural]
    own = [f"/{question}" for question in _HEALTH] + ["/openapi/v2", "/openapi/v3", "/version"]
    return {"paths": sorted({"/api", "/apis", *groups, *versions, *own})}
