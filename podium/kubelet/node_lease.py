"""The Lease of a node, which its kubelet renews."""

from collections.abc import Iterator

import msgspec

from podium.api.node_heartbeats import (
    CONTINUOUS,
    ENDED,
    LEASE_NAMESPACE,
    RENEW_INTERVAL_S,
    WRITTEN,
    last_renewal_s,
    node_lease,
)
from podium.api.objects import Object
from podium.machines.effects import Create, Effect, Patch

# Whether the Lease exists, by the reason of a refusal.
_EXISTS = {"NotFound": False, "AlreadyExists": True}


class NodeLease(msgspec.Struct):
    """The state of a node's Lease as its kubelet knows it.

    Attributes:
        exists: whether the Lease exists; None if that isn't known, as after a restart.
        due_s: when it is to be renewed.
    """

    exists: bool | None = None
    heartbeats: str = ""
    due_s: float = 0.0

    def announce(
        self, node: Object, started_s: float, *, is_down: bool, now_s: float
    ) -> Iterator[Effect]:
        """Annotate whether heartbeats go on, if that has changed and the node was ever up."""
        heartbeats = ENDED if is_down else CONTINUOUS
        if heartbeats == self.heartbeats or (is_down and self.exists is False):
            return
        self.heartbeats = heartbeats
        renewed_s = last_renewal_s(started_s, now_s) if is_down else now_s
        obj = node_lease(node, renewed_s, heartbeats)
        yield Create(kind="Lease", obj=obj) if not (self.exists or is_down) else _patch(obj)

    def renew(self, node: Object, now_s: float) -> Iterator[Effect]:
        """Renew the Lease, if that is due; a failure makes it due."""
        if self.heartbeats and now_s < self.due_s:
            return
        self.heartbeats, self.due_s = WRITTEN, now_s + RENEW_INTERVAL_S
        obj = node_lease(node, now_s, WRITTEN)
        yield _patch(obj) if self.exists else Create(kind="Lease", obj=obj)

    def refused(self, reason: str) -> None:
        """Note that a write was refused for a reason of the API."""
        self.heartbeats = ""
        self.exists = _EXISTS.get(reason, self.exists)


def _patch(lease: Object) -> Patch:
    metadata = lease["metadata"]
    body = {"metadata": {"annotations": metadata["annotations"]}, "spec": lease["spec"]}
    return Patch(kind="Lease", namespace=LEASE_NAMESPACE, name=metadata["name"], body=body)
