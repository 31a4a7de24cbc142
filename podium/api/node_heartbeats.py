"""Heartbeats of nodes by their Leases, which simulated nodes needn't renew.

A kubelet renews its Lease every `RENEW_INTERVAL_S`; a controller counts from the last renewal that
it has seen. A thousand simulated nodes would write a hundred Leases a second. So a simulated agent
annotates its Lease instead:

- `podium.dev/heartbeats: continuous`: the Lease always counts as just renewed.
- `podium.dev/heartbeats: ended`: the last renewal was at `spec.renewTime`, which may be earlier
  than this write, as renewals weren't written.
- `podium.dev/heartbeats: written`, or no such annotation: an ordinary Lease. Each change of
  `spec.renewTime` is a heartbeat at the time at which it is seen.
"""

from typing import Any

from podium.api.objects import Object, annotations
from podium.api.values.times import MICROSECOND_DIGITS, NANOS_PER_SECOND, epoch_s, format_time

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
