"""Requests at random: any operation that is served, about what there is, mostly almost right."""

from collections.abc import Sequence
from random import Random
from typing import Any, Protocol
from urllib.parse import quote

import yaml

from podium.api.kinds.builtin_kinds import KINDS
from tests.apiserver.requests.samples import sample
from tests.fuzz import odd
from tests.fuzz.asked import Asked
from tests.fuzz.mutating import Mutator
from tests.fuzz.patching import patch_body
from tests.fuzz.queries import query
from tests.fuzz.schemas import NO_SCHEMA, Operation, operations, schema_of
from tests.objects import Obj

ACCEPTS = (
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "application/yaml",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
    "application/vnd.kubernetes.protobuf,application/json", "application/vnd.kubernetes.protobuf",
    "text/html", "*/*", ";;q=x,", "application/json;q=nan", "application/json;stream=watch", "é",
)  # fmt: skip
CONTENT_TYPES = (
    "application/yaml", "application/vnd.kubernetes.protobuf", "text/plain", "", ";;", "*/*",
    "application/json; charset=utf-16", "application/strategic-merge-patch+json",
)  # fmt: skip
BODIES = (
    b"", b"null", b"[]", b"{", b"\xff\xfe{\x00}\x00", b"k8s\x00", b"k8s\x00\xff\xff\xff\xff\xff",
    b"- a", b"&a [*a]", b"a: &a [x, x]\nb: *a\n", b'"text"', b"[" * 200_000, b'{"a":' * 20_000,
    b"\xef\xbb\xbf{}", b"{}{}", b"---\n---\n", b"\x00", b"9" * 5_000, b"!!python/object:os.x {}",
)  # fmt: skip
NAMESPACES = ("default",) * 12 + ("other",) * 3 + ("kube-system", "missing", "A_b", "%20", "..")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE")
PODS_EXTRA = ("attach", "exec", "portforward", "proxy", "ephemeralcontainers", "log", "nonsense")


class Shelves(Protocol):
    """What there is to ask about."""

    def of_kind(self, kind: str) -> Sequence[Obj]:
        """The objects of a kind."""
        ...

    def any(self) -> Obj:
        """Any object."""
        ...


class Asker:
    """Makes requests up.

    Args:
        rng: chooses.
        shelves: what there is.
    """

    def __init__(self, rng: Random, shelves: Shelves) -> None:
        self._rng = rng
        self._shelves = shelves
        self._mutator = Mutator(rng, self._fragment)
        self._count = 0
        writes = [one for one in operations() if one.method != "GET"]
        # What makes a cluster work counts more than what only lies there.
        busy = [one for one in writes if one.kind in _BUSY_KINDS]
        self._choices = (operations(), writes, busy, busy)

    def next(self) -> Asked:
        """Another request."""
        rng = self._rng
        self._count += 1
        operation = rng.choice(rng.choice(self._choices))
        if operation.method == "DELETE" and rng.random() < 0.7:
            operation = rng.choice(self._choices[-1])
        stored = self._stored(operation)
        path = self._path(operation, stored)
        headers = {"Accept": rng.choice(ACCEPTS)} if rng.random() < 0.15 else {}
        body, content_type = self._body(operation, stored)
        if content_type:
            headers["Content-Type"] = content_type
        if rng.random() < 0.03:
            headers["Content-Type"] = rng.choice(CONTENT_TYPES)
        if rng.random() < 0.02:
            body = rng.choice(BODIES)
        method = operation.method if rng.random() < 0.99 else rng.choice(METHODS)
        needs = "fieldManager=fuzz" if "apply-patch" in content_type else ""
        return Asked(
            method=method,
            path=path + query(rng, operation.parameters, needs),
            headers=headers,
            body=body,
            touched=tuple(self._mutator.touched),
            pause_s=rng.choice((0.0, 0.0, 0.0, 0.5, 3.0, 40.0)) if rng.random() < 0.5 else 0.0,
        )

    def _stored(self, operation: Operation) -> Obj | None:
        objects = self._shelves.of_kind(operation.kind) if operation.kind in KINDS else ()
        if operation.kind in ("Scale", "Binding", "Eviction"):
            plural = operation.path.split("/{name}")[0].rpartition("/")[2]
            kind = next(one for one in KINDS.values() if one.plural == plural)
            objects = self._shelves.of_kind(kind.name)
        return self._rng.choice(objects) if objects else None

    def _path(self, operation: Operation, stored: Obj | None) -> str:
        rng = self._rng
        metadata = stored["metadata"] if stored and rng.random() < 0.96 else {}
        namespace = metadata.get("namespace") or rng.choice(NAMESPACES)
        if not operation.is_about_one and rng.random() < 0.5:
            namespace = rng.choice(NAMESPACES)
        name = metadata.get("name") or rng.choice(("a", "b", "missing", "%00", "x" * 300, "A_b"))
        path = operation.path.replace("{namespace}", quote(namespace, safe="%"))
        path = path.replace("{name}", quote(name, safe="%"))
        if operation.kind == "Pod" and rng.random() < 0.01:
            return f"{path}/{rng.choice(PODS_EXTRA)}"
        return path if rng.random() < 0.995 else path.replace("/v1", rng.choice(("/v2", "/", "")))

    def _body(self, operation: Operation, stored: Obj | None) -> tuple[bytes, str]:
        """What is sent, and as what."""
        rng, mutator = self._rng, self._mutator
        mutator.touched = []
        if operation.body is NO_SCHEMA or (operation.method == "DELETE" and rng.random() < 0.7):
            return b"", ""
        if operation.method == "PATCH":
            schema = schema_of(*_version_and_kind(operation))
            base = dict(stored or self._fresh(operation))
            return patch_body(rng, mutator, base, schema)
        count = rng.choice((0, 1, 1, 1, 2, 3))
        if operation.method == "POST" or stored is None or operation.kind in _TRAVELLERS:
            fresh = self._fresh(operation)
            if operation.kind in _TRAVELLERS and stored is not None:
                fresh["metadata"]["name"] = stored["metadata"]["name"]
            obj = mutator.mutated(fresh, operation.body, count)
        else:
            obj = mutator.mutated(stored, operation.body, max(count, 1))
            if rng.random() < 0.7 and isinstance(obj.get("metadata"), dict):
                obj["metadata"].pop("resourceVersion", None)
        if rng.random() < 0.05:
            text = yaml.safe_dump(obj, allow_unicode=True)
            return text.encode("utf-8", "surrogatepass"), "application/yaml"
        return odd.as_json(obj), "application/json"

    def _fresh(self, operation: Operation) -> Obj:
        """An object that isn't there, of what the operation takes."""
        rng, kind = self._rng, operation.kind
        match kind:
            case "Binding":
                return {"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "podium-1"}}
            case "Eviction":
                return {"metadata": {"name": "a"}, "deleteOptions": {"gracePeriodSeconds": 1}}
            case "Scale":
                return {"metadata": {"name": "web"}, "spec": {"replicas": rng.choice((0, 1, 5))}}
        if operation.method == "DELETE":
            policy = rng.choice(("Orphan", "Foreground", "Background"))
            return {"gracePeriodSeconds": rng.choice((0, 1, 30)), "propagationPolicy": policy}
        if kind not in KINDS:
            attributes = {"namespace": "default", "verb": "get", "resource": "pods"}
            return {"spec": {"resourceAttributes": attributes}}
        stored = self._shelves.of_kind(kind)
        base = rng.choice(stored) if stored and rng.random() < 0.7 else sample(kind)
        kept = {key: value for key, value in base.items() if key != "status"}
        metadata = {key: base["metadata"].get(key) for key in ("labels", "annotations")}
        metadata["name"] = f"{kind.lower()}-{self._count}"
        version = operation.api_version
        return {**kept, "apiVersion": version, "kind": kind, "metadata": metadata}

    def _fragment(self) -> Any:
        """A piece of some object."""
        rng = self._rng
        value: Any = self._shelves.any()
        for _ in range(rng.choice((1, 2, 3, 4, 5))):
            if isinstance(value, dict) and value:
                value = value[rng.choice(sorted(value))]
            elif isinstance(value, list) and value:
                value = rng.choice(value)
        return value


_TRAVELLERS = ("Binding", "Eviction", "Scale")
_BUSY_KINDS = frozenset(
    {
        "Pod", "Node", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "Service",
        "PodDisruptionBudget", "PersistentVolumeClaim", "PersistentVolume", "StorageClass",
        "ReplicationController", "PriorityClass", "ResourceQuota", "LimitRange", "Namespace",
        "CSINode", "Lease", "EndpointSlice", "Endpoints", "Binding", "Eviction", "Scale",
    }
)  # fmt: skip


def _version_and_kind(operation: Operation) -> tuple[str, str]:
    if operation.kind == "Scale":
        return "autoscaling/v1", "Scale"
    return operation.api_version, operation.kind
