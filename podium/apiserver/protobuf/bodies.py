"""Bodies of requests: a prefix, and an envelope that says what is in it."""

from typing import Any

from podium.apiserver.protobuf.messages import read_struct
from podium.apiserver.protobuf.wire import as_bytes, as_text, fields
from podium.apiserver.schema import struct_of
from podium.apiserver.schema.registry import DELETE_OPTIONS, EVICTION, REVIEWS

PREFIX = b"k8s\x00"
"""What bodies in Protobuf begin with."""

_READ = frozenset(
    {
        *REVIEWS,
        DELETE_OPTIONS.name,
        EVICTION.name,
        "ClusterRole",
        "ClusterRoleBinding",
        "ConfigMap",
        "CronJob",
        "Deployment",
        "HorizontalPodAutoscaler",
        "Ingress",
        "Job",
        "Namespace",
        "Pod",
        "PodDisruptionBudget",
        "PriorityClass",
        "ResourceQuota",
        "Role",
        "RoleBinding",
        "Secret",
        "Service",
        "ServiceAccount",
    }
)
_TYPE_META, _RAW = 1, 2
_API_VERSION, _KIND = 1, 2


def is_read(kind: str) -> bool:
    """Whether objects of a kind are read from Protobuf."""
    return kind in _READ


def read_protobuf(body: bytes) -> dict[str, Any]:
    """The object in a body; one of a kind that isn't read shows no more than its kind.

    Raises:
        MalformedMessage: the body holds no object.
    """
    envelope = dict(fields(body.removeprefix(PREFIX)))
    said = dict(fields(as_bytes(envelope.get(_TYPE_META, b""))))
    api_version, kind = as_text(said.get(_API_VERSION, b"")), as_text(said.get(_KIND, b""))
    header = {"apiVersion": api_version, "kind": kind}
    # Clients send options in the version of whatever they delete.
    version = DELETE_OPTIONS.api_version if kind == DELETE_OPTIONS.name else api_version
    struct = struct_of(version, kind)
    if struct is None or not is_read(kind):
        return header
    return {**read_struct(struct, as_bytes(envelope.get(_RAW, b""))), **header}
