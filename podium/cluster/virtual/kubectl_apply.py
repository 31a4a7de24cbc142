"""`kubectl apply` to a cluster in this process, server-side or client-side."""

import json

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import DEFAULT_NAMESPACE, Object, annotations, name
from podium.api.well_known import LAST_APPLIED
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding.bodies import PatchType
from podium.apiserver.decoding.type_checker import DecodingError
from podium.apiserver.decoding.typed import typed
from podium.apiserver.patching.strategic import make_patch
from podium.apiserver.refusals import bad_request
from podium.apiserver.server import PatchRequest, WriteOptions, Written
from podium.cluster.virtual.cluster import Cluster

# The API takes a node's status from its kubelet; a manifest says what the kubelet would report.
_APPLIED_WITH_STATUS = frozenset({"Node"})


def apply(cluster: Cluster, obj: Object, manager: str) -> Written:
    """Apply an object like `kubectl apply --server-side --force-conflicts`."""
    kind, place = _whereabouts(cluster, obj)
    request = PatchRequest(PatchType.APPLY, obj, _version(obj))
    options = WriteOptions(field_manager=manager, force=True)
    return cluster.server.patch(
        Attributes(kind, place, name(obj), cluster.driver.now_s, options=options), request
    )


def apply_manifest(cluster: Cluster, manifest: Object, last: Object | None = None) -> Written:
    """Apply a manifest as `kubectl apply` does; `last` replaces that in kubectl's annotation."""
    kind, place = _whereabouts(cluster, manifest)
    server, now_s = cluster.server, cluster.driver.now_s
    live = cluster.store.get(kind.key, place, name(manifest))
    if live is None:
        try:
            obj, _ = typed(kind, manifest, _version(manifest))
        except DecodingError as error:
            raise bad_request(str(error)) from None
        return Written(server.create(Attributes(kind, place, "", now_s), obj), created=True)
    before = last_applied(live) if last is None else last
    body = make_patch(kind, live, manifest, before, api_version=_version(manifest))
    parts = [("", {field: body[field] for field in body if field != "status"})]
    if kind.key in _APPLIED_WITH_STATUS and body.get("status"):
        parts.append(("status", {"status": body["status"]}))
    written = Written(live, created=False)
    for subresource, part in parts:
        if part:
            request = PatchRequest(PatchType.STRATEGIC, part, _version(manifest))
            written = server.patch(
                Attributes(kind, place, name(manifest), now_s, subresource), request
            )
    return written


def last_applied(live: Object) -> Object:
    """Return the manifest in kubectl's last-applied annotation; empty without one."""
    try:
        manifest = json.loads(annotations(live).get(LAST_APPLIED, "{}"))
    except ValueError:
        return {}
    return manifest if isinstance(manifest, dict) else {}


def _whereabouts(cluster: Cluster, obj: Object) -> tuple[Kind, str]:
    kind = cluster.server.kinds.of(obj)
    if kind is None:
        raise KeyError(f"there is no kind {obj.get('kind')}")
    namespace = str(obj["metadata"].get("namespace") or DEFAULT_NAMESPACE)
    return kind, namespace if kind.namespaced else ""


def _version(obj: Object) -> str:
    return str(obj.get("apiVersion") or "")
