"""Discovery: the served groups, versions and resources; also the health and version of the server.

Clients get one document per level, or everything aggregated in an `APIGroupDiscoveryList`.
"""

import hashlib
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.release import MAJOR, MINOR, PATCH, __version__
from podium.apiserver.registry import BUILT_IN, Registry
from podium.apiserver.requests import routes
from podium.apiserver.schema.struct_types import METRICS, REVIEWS

Document = dict[str, Any]

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
ROOTS = (["api"], ["apis"])
"""The split paths with aggregated discovery."""


def document(segments: Sequence[str], host: str, kinds: Registry = BUILT_IN) -> Document | None:
    """Return the discovery document at a split path below `/api` or `/apis`; None if none."""
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
            # Only this document has no apiVersion.
            return {"kind": "APIResourceList", **_resource_list("", version, kinds)}
        case ["apis", group, version] if group and (group, version) in kinds.by_plural:
            listed = _resource_list(group, version, kinds)
            return {"kind": "APIResourceList", "apiVersion": "v1", **listed}
    return None


def aggregated(root: Sequence[str], kinds: Registry = BUILT_IN) -> Document:
    """Return the aggregated discovery document of one of the `ROOTS`."""
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
    """Return the hash of a kind's storage version, by which clients detect changes."""
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
        taken = routes.SUBRESOURCE_KINDS.get(subresource, kind)
        is_elsewhere = taken is not kind and taken.group
        elsewhere = {"group": taken.group, "version": taken.version} if is_elsewhere else {}
        known = {"name": name, "singularName": singular, "namespaced": kind.namespaced}
        verbs = list(routes.verbs(kind, subresource))
        resources.append({**known, **elsewhere, "kind": taken.name, "verbs": verbs, **more})

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
    by_name: dict[str, Document] = {}
    for resource in _resource_list(group, version, kinds)["resources"]:
        name, _, subresource = resource["name"].partition("/")
        kind = {"group": group, "version": version, "kind": resource["kind"]}
        kind |= {field: resource[field] for field in kind if field in resource}
        common = {"responseKind": kind, "verbs": resource["verbs"]}
        if subresource:
            subresources = by_name[name].setdefault("subresources", [])
            subresources.append({"subresource": subresource, **common})
        else:
            nicknames = {field: resource[field] for field in _NICKNAMES if field in resource}
            scope = "Namespaced" if resource["namespaced"] else "Cluster"
            singular = {"scope": scope, "singularResource": resource["singularName"]}
            by_name[name] = {"resource": name, **common, **singular, **nicknames}
    return [*by_name.values()]


# The check that any answer passes.
_CHECK = "ping"
_HEALTHY, _READY = "healthz", "readyz"
_HEALTH = (_HEALTHY, "livez", _READY)


def version() -> dict[str, Any]:
    """Return the `Info` for `kubectl version`: Kubernetes' version, and Podium's as its build."""
    git_version = f"v{MAJOR}.{MINOR}.{PATCH}+podium.{__version__}"
    # Clients expect all of the fields.
    unknown = ("gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform")
    known = {"major": MAJOR, "minor": MINOR, "gitVersion": git_version}
    return {**known, **dict.fromkeys(unknown, "")}


def health(
    segments: Sequence[str],
    checks: Mapping[str, str],
    *,
    verbose: bool,
    of_health: Collection[str] = (),
) -> tuple[int, str] | None:
    """Return code and text of a health endpoint; None for other paths.

    Checks are listed if one fails or if `verbose` is set.

    Args:
        checks: the error of each check of `/readyz` by name, empty if it succeeds.
        of_health: the checks that `/healthz` has as well.
    """
    if not segments or segments[0] not in _HEALTH:
        return None
    endpoint, check = segments[0], "/".join(segments[1:])
    shown = {_READY: checks.keys(), _HEALTHY: of_health}.get(endpoint, ())
    results = {_CHECK: "", **{name: why for name, why in checks.items() if name in shown}}
    if check:
        if check not in results:
            return None
        why = results[check]
        return (500, f"internal server error: {why}\n") if why else (200, "ok")
    fails = any(results.values())
    if not fails and not verbose:
        return 200, "ok"
    lines = [
        f"[-]{name} failed: {why}" if why else f"[+]{name} ok" for name, why in results.items()
    ]
    lines.append(f"{endpoint} check {'failed' if fails else 'passed'}\n")
    return 500 if fails else 200, "\n".join(lines)


def index(kinds: Registry = BUILT_IN) -> dict[str, Any]:
    """Return the paths of the documents on discovery, OpenAPI, health and version."""
    groups = [f"/apis/{group}" for group in kinds.groups if group]
    versions = [routes.path_of(*group_version) for group_version in kinds.by_plural]
    own = [f"/{endpoint}" for endpoint in _HEALTH] + ["/openapi/v2", "/openapi/v3", "/version"]
    return {"paths": sorted({"/api", "/apis", *groups, *versions, *own})}
