"""Nodes: their taints, cordons, allocatable resources and heartbeats.

A toleration with the alpha operator `Gt` or `Lt` tolerates nothing.

A kubelet renews its Lease every `RENEW_INTERVAL_S`; a controller counts from the last renewal that
it has seen. A thousand simulated nodes would write a hundred Leases a second. So a simulated agent
annotates its Lease instead:

- `podium.dev/heartbeats: continuous`: the Lease always counts as just renewed.
- `podium.dev/heartbeats: ended`: the last renewal was at `spec.renewTime`, which may be earlier
  than this write, as renewals weren't written.
- `podium.dev/heartbeats: written`, or no such annotation: an ordinary Lease. Each change of
  `spec.renewTime` is a heartbeat at the time at which it is seen.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from podium.api.objects import Object, annotations, spec_of, status_of
from podium.api.values.times import MICROSECOND_DIGITS, NANOS_PER_SECOND, epoch_s, format_time

MEMORY_PRESSURE, DISK_PRESSURE, PID_PRESSURE = "MemoryPressure", "DiskPressure", "PIDPressure"

PRESSURES = (MEMORY_PRESSURE, DISK_PRESSURE, PID_PRESSURE)
_NOTHING: Object = {}


def taints_of(node: Object) -> Sequence[Object]:
    """Return the node's taints."""
    return spec_of(node).get("taints") or []


def taint_text(taint: Object) -> str:
    """Return a taint as kubectl writes it: `key=value:Effect`, or `key:Effect` without a value."""
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint.get('key')}{value}:{taint.get('effect')}"


def is_cordoned(node: Object) -> bool:
    """Return whether the node is cordoned (`spec.unschedulable`)."""
    return bool(spec_of(node).get("unschedulable"))


def allocatable_of(node: Object) -> Mapping[str, str]:
    """Return the node's allocatable resources: quantities by resource name."""
    return status_of(node).get("allocatable") or _NOTHING


NO_SCHEDULE = "NoSchedule"
PREFER_NO_SCHEDULE = "PreferNoSchedule"
NO_EXECUTE = "NoExecute"


def tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    """Return whether one toleration tolerates one taint.

    An empty effect means any effect, an empty key any key, an empty operator `Equal`.
    """
    if (effect := toleration.get("effect")) and effect != taint.get("effect"):
        return False
    if (key := toleration.get("key")) and key != taint.get("key"):
        return False
    match toleration.get("operator") or "Equal":
        case "Equal":
            return (toleration.get("value") or "") == (taint.get("value") or "")
        case "Exists":
            return True
    return False


def tolerations_tolerate(
    tolerations: Iterable[Mapping[str, Any]] | None, taint: Mapping[str, Any]
) -> bool:
    """Return whether any of the tolerations tolerates the taint."""
    return any(tolerates(toleration, taint) for toleration in tolerations or ())


def untolerated(
    taints: Iterable[Mapping[str, Any]] | None,
    tolerations: Collection[Mapping[str, Any]] | None,
    effects: Collection[str],
) -> Mapping[str, Any] | None:
    """Return the first taint of one of these effects that no toleration tolerates, if any."""
    for taint in taints or ():
        if taint.get("effect") in effects and not tolerations_tolerate(tolerations, taint):
            return taint
    return None


def untolerated_taints(
    node: Object, tolerations: Collection[Mapping[str, Any]] | None
) -> Iterator[Mapping[str, Any]]:
    """Yield the taints of a node that keep away pods with these tolerations."""
    for taint in taints_of(node):
        if untolerated((taint,), tolerations, (NO_SCHEDULE, NO_EXECUTE)) is not None:
            yield taint


LEASE_NAMESPACE = "kube-node-lease"
LEASE_DURATION_S = 40
RENEW_INTERVAL_S = 10.0

HEARTBEATS = "podium.dev/heartbeats"
CONTINUOUS = "continuous"
ENDED = "ended"
WRITTEN = "written"


def is_continuous(lease: Object) -> bool:
    """Return whether a Lease always counts as just renewed."""
    return annotations(lease).get(HEARTBEATS) == CONTINUOUS


def last_heartbeat_s(lease: Object, seen_s: float, now_s: float) -> float:
    """Return the time of a Lease's last heartbeat; its `renewTime` was first seen at `seen_s`."""
    match annotations(lease).get(HEARTBEATS):
        case "continuous":
            return now_s
        case "ended":
            return epoch_s(lease["spec"]["renewTime"])
    return seen_s


def last_renewal_s(started_s: float, stopped_s: float) -> float:
    """Return the time of an agent's last renewal if it renews every `RENEW_INTERVAL_S`."""
    return started_s + (stopped_s - started_s) // RENEW_INTERVAL_S * RENEW_INTERVAL_S


def node_lease(node: Object, renewed_s: float, heartbeats: str) -> dict[str, Any]:
    """Return the Lease of a simulated node's agent, with its heartbeats and its last renewal."""
    metadata = node["metadata"]
    owner = {
        "apiVersion": "v1",
        "kind": "Node",
        "name": metadata["name"],
        "uid": metadata.get("uid") or "",
    }
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {
            "name": metadata["name"],
            "namespace": LEASE_NAMESPACE,
            "annotations": {HEARTBEATS: heartbeats},
            "ownerReferences": [owner],
        },
        "spec": {
            "holderIdentity": metadata["name"],
            "leaseDurationSeconds": LEASE_DURATION_S,
            "renewTime": format_time(round(renewed_s * NANOS_PER_SECOND), MICROSECOND_DIGITS),
        },
    }
