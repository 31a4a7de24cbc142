"""Tells a cluster of its node: registers it, renews its Lease, and keeps its status true."""

from collections.abc import Iterator, Mapping
from typing import Any

from podium.api.meta import name, uid
from podium.control.effects import Create, Effect, Patch
from podium.control.events import Outcome
from podium.control.heartbeats import LEASE_NAMESPACE, RENEW_INTERVAL_S, WRITTEN, node_lease
from podium.node.node_conditions import changed_conditions
from podium.node.real.registration import missing_metadata

Object = Mapping[str, Any]

_AGAIN_S = 1.0
_NEVER = float("inf")
_COMPARED = ("capacity", "allocatable", "addresses")


class Herald:
    """One node's.

    Attributes:
        node: as last seen; None if it isn't registered.
        unhealthy: statuses by type of the conditions that aren't as on a healthy node.

    Args:
        wanted: the Node, as it is to be registered.
    """

    def __init__(self, wanted: Object) -> None:
        self.node: Object | None = None
        self.unhealthy: Mapping[str, str] = {}
        self._wanted = wanted
        self._was_registered = False
        self._lease_exists = True
        self._due_s: dict[str, float] = dict.fromkeys(("node", "lease"), 0.0)

    def next_s(self) -> float:
        """When there is something to tell again, at the latest."""
        return self._due_s["node"] if self.node is None else min(self._due_s.values())

    def see(self, node: Object | None) -> None:
        """Take in how the Node is now; what others have changed is put right in a while."""
        self._was_registered |= node is not None
        is_same = node is not None and self.node is not None and uid(node) == uid(self.node)
        self.node = node
        if not is_same:
            self.changed()

    def changed(self) -> None:
        """Conditions have changed."""
        if self._due_s["node"] != _NEVER:
            self._due_s["node"] = 0.0

    def tell(self, now_s: float) -> Iterator[Effect]:
        """What is to be told now."""
        if self._due_s["node"] <= now_s:
            yield from self._tell_node(now_s)
        if self.node is not None and self._due_s["lease"] <= now_s:
            self._due_s["lease"] = _NEVER
            yield self._renewal(self.node, now_s)

    def outcome(self, what: str, outcome: Outcome, now_s: float) -> None:
        """What became of it."""
        error = outcome.error
        if what == "node":
            if error is None and outcome.obj is not None:
                self.node, self._was_registered = outcome.obj, True
            # Also after a success: what the server doesn't take as it is isn't written for ever.
            self._due_s[what] = now_s + _AGAIN_S
            return
        wait_s = RENEW_INTERVAL_S if error is None else _AGAIN_S
        if error is not None and error.reason in _EXISTS:
            self._lease_exists, wait_s = _EXISTS[error.reason], 0.0
        self._due_s[what] = now_s + wait_s

    def is_told(self, now_s: float) -> bool:
        """Whether the status is as it should be."""
        return self._due_s["node"] != _NEVER and self._status_patch(now_s) is None

    def _tell_node(self, now_s: float) -> Iterator[Effect]:
        self._due_s["node"] = _NEVER
        if self.node is None and self._was_registered:
            # Whoever has deleted the Node doesn't want it to come back by itself.
            self._due_s["node"] = now_s + RENEW_INTERVAL_S
            return
        if self.node is None:
            yield Create(purpose="node", kind="Node", obj=self._wanted)
            return
        lacking = missing_metadata(self.node, self._wanted)
        if lacking:
            body = {"metadata": {"uid": uid(self.node), **lacking}}
            yield Patch(purpose="node", kind="Node", name=name(self.node), body=body)
            return
        patch = self._status_patch(now_s)
        if patch is not None:
            yield patch
        else:
            self._due_s["node"] = now_s + RENEW_INTERVAL_S

    def _status_patch(self, now_s: float) -> Patch | None:
        """What makes the status true; None if it is."""
        node = self.node
        if node is None:
            return None
        known, wanted = node.get("status") or {}, self._wanted["status"]
        status = {one: wanted[one] for one in _COMPARED if known.get(one) != wanted[one]}
        info = known.get("nodeInfo") or {}
        if any(info.get(key) != value for key, value in wanted["nodeInfo"].items()):
            status["nodeInfo"] = wanted["nodeInfo"]
        if conditions := [*changed_conditions(node, self.unhealthy, now_s)]:
            status["conditions"] = [*map(_worded, conditions)]
        if not status:
            return None
        body = {"metadata": {"uid": uid(node)}, "status": status}
        return Patch(purpose="node", kind="Node", name=name(node), subresource="status", body=body)

    def _renewal(self, node: Object, now_s: float) -> Effect:
        lease = node_lease(node, now_s, WRITTEN)
        if not self._lease_exists:
            return Create(purpose="lease", kind="Lease", obj=lease)
        body = {"spec": lease["spec"]}
        return Patch(
            purpose="lease", kind="Lease", namespace=LEASE_NAMESPACE, name=name(node), body=body
        )


def _worded(condition: Object) -> Object:
    if (condition["type"], condition["status"]) == ("Ready", "False"):
        return {**condition, "message": "node is shutting down"}
    return condition


# What a refusal tells of a Lease.
_EXISTS = {"NotFound": False, "AlreadyExists": True}
