"""Heartbeats of nodes: what their Leases say, and how a simulation gets by without renewing them.

A kubelet renews its Lease every `RENEW_INTERVAL_S`; a controller counts from the last renewal that
it has seen. A thousand simulated nodes would write a hundred Leases a second without news. So a
simulated agent says once, by an annotation, that it goes on renewing, and takes the word back when
it falls silent:

- `podium.dev/heartbeats: continuous`: take the Lease as renewed whenever you look.
- `podium.dev/heartbeats: ended`: the last renewal was at `spec.renewTime`, which may be before this
  was written, as it was one of those that weren't. No more will come.
- `podium.dev/heartbeats: written`, or no such annotation: a Lease as others write it. Every change
  of `spec.renewTime` is a heartbeat at the moment in which it is seen.

An agent that comes back says `continuous` again. Node status is written only when it changes; its
`lastHeartbeatTime` is no heartbeat here.
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
    """Whether the holder goes on renewing the Lease without writing that down."""
    return annotations(lease).get(HEARTBEATS) == CONTINUOUS


def last_heartbeat_s(lease: Object, seen_s: float, now_s: float) -> float:
    """When the holder was last heard of, if its present `renewTime` was first seen at `seen_s`."""
    match annotations(lease).get(HEARTBEATS):
        case "continuous":
            return now_s
        case "ended":
            return epoch_s(lease["spec"]["renewTime"])
    return seen_s


def last_renewal_s(started_s: float, stopped_s: float) -> float:
    """The last renewal, of one every `RENEW_INTERVAL_S`, between an agent's start and its stop."""
    return started_s + (stopped_s - started_s) // RENEW_INTERVAL_S * RENEW_INTERVAL_S


def node_lease(node: Object, renewed_s: float, heartbeats: str) -> dict[str, Any]:
    """The Lease of a simulated node's agent.

    Args:
        renewed_s: when it was renewed last, in seconds since the epoch.
        heartbeats: `CONTINUOUS`, `ENDED` or `WRITTEN`; the last takes back what was said before.
    """
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
