"""The status and the Lease of a node in the words of the kubelet v1.36."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from podium.api.conditions import set_condition
from podium.api.nodes import (
    CONTINUOUS,
    ENDED,
    LEASE_NAMESPACE,
    PRESSURES,
    RENEW_INTERVAL_S,
    WRITTEN,
    last_renewal_s,
    node_lease,
)
from podium.api.objects import Object, annotations, conditions_of, labels, name, part, status_of
from podium.api.values.times import timestamp
from podium.kubelet.eviction.signals import PRESSURE_CONDITIONS
from podium.machines.effects import Create, Effect, Patch, patch_of, status_patch_of

_SIMULATED = "Simulated"
_HEALTHY = {**dict.fromkeys(PRESSURES, "False"), "Ready": "True"}
_TEXTS = {
    (kind, status): (f"KubeletHas{reason}", f"kubelet has {message}")
    for kind, one in PRESSURE_CONDITIONS.items()
    for status, (reason, message) in (("True", one.present), ("False", one.absent))
} | {
    ("Ready", "True"): ("KubeletReady", "kubelet is posting ready status"),
    ("Ready", "False"): ("KubeletNotReady", "container runtime is down"),
}


def changed_conditions(
    node: Object, unhealthy: Mapping[str, str], now_s: float
) -> Iterator[dict[str, Any]]:
    """Yield the wanted conditions that differ from those in the node's status."""
    known: Sequence[Object] = conditions_of(node)
    statuses = {one.get("type") or "": one.get("status") for one in known}
    over = {one.get("type") or "": "False" for one in known if one.get("reason") == _SIMULATED}
    for kind, status in {**over, **_HEALTHY, **unhealthy}.items():
        if statuses.get(kind) == status:
            continue
        reason, message = _TEXTS.get((kind, status), (_SIMULATED, "set by podium.dev/conditions"))
        condition = {"type": kind, "status": status, "reason": reason, "message": message}
        condition["lastHeartbeatTime"] = timestamp(now_s)
        yield set_condition(None, condition, now_s)


_COMPARED = ("capacity", "allocatable", "addresses", "daemonEndpoints")


def status_patch(
    node: Object,
    conditions: Mapping[str, str],
    now_s: float,
    *,
    host_ip: str = "",
    wanted: Object | None = None,
    not_ready: str = "",
) -> Patch | None:
    """Return the patch that brings a node's status up to date; None if nothing changes.

    `wanted` is the status of a host; a simulated node only gets addresses. `not_ready` replaces the
    default message of a node that isn't ready.
    """
    known, wanted = status_of(node), wanted or {}
    status: dict[str, Any] = {
        field: wanted[field]
        for field in _COMPARED
        if field in wanted and known.get(field) != wanted[field]
    }
    info = part(known, "nodeInfo")
    if any(info.get(key) != value for key, value in part(wanted, "nodeInfo").items()):
        status["nodeInfo"] = wanted["nodeInfo"]
    if changed := [*changed_conditions(node, conditions, now_s)]:
        for one in changed if not_ready else ():
            if (one["type"], one["status"]) == ("Ready", "False"):
                one["message"] = not_ready
        status["conditions"] = changed
        if not (wanted or known.get("addresses")):
            status["addresses"] = addresses(name(node), host_ip)
    return status_patch_of("Node", node, status) if status else None


def addresses(node_name: str, host_ip: str) -> list[Object]:
    """Return the addresses in the status of a node."""
    return [{"type": "InternalIP", "address": host_ip}, {"type": "Hostname", "address": node_name}]


def metadata_patch(node: Object, wanted: Object) -> Patch | None:
    """Return the patch that adds missing labels and annotations to a registered Node, if any."""
    lacking = {
        field: dict(needed(wanted).items() - needed(node).items())
        for field, needed in (("labels", labels), ("annotations", annotations))
    }
    lacking = {field: pairs for field, pairs in lacking.items() if pairs}
    return patch_of("Node", node, {"metadata": lacking}) if lacking else None


# Whether the Lease exists, by the reason of a refusal.
_EXISTS = {"NotFound": False, "AlreadyExists": True}


class NodeLease(msgspec.Struct):
    """A kubelet's knowledge of its node's Lease, and the renewals of the Lease."""

    exists: bool | None = None
    """Whether the Lease exists; None if unknown, as after a restart."""
    heartbeats: str = ""
    due_s: float = 0.0
    """Time of the next renewal."""

    def announce(
        self, node: Object, started_s: float, *, is_down: bool, now_s: float
    ) -> Iterator[Effect]:
        """Annotate the Lease when the heartbeats end or continue, instead of renewing it."""
        heartbeats = ENDED if is_down else CONTINUOUS
        if heartbeats == self.heartbeats or (is_down and self.exists is False):
            return
        self.heartbeats = heartbeats
        renewed_s = last_renewal_s(started_s, now_s) if is_down else now_s
        obj = node_lease(node, renewed_s, heartbeats)
        yield Create(kind="Lease", obj=obj) if not (self.exists or is_down) else _patch(obj)

    def renew(self, node: Object, now_s: float) -> Iterator[Effect]:
        """Renew the Lease if the renewal is due; after a refusal it is due again."""
        if self.heartbeats and now_s < self.due_s:
            return
        self.heartbeats, self.due_s = WRITTEN, now_s + RENEW_INTERVAL_S
        obj = node_lease(node, now_s, WRITTEN)
        yield _patch(obj) if self.exists else Create(kind="Lease", obj=obj)

    def refused(self, reason: str) -> None:
        """Note that the API server refused a write of the Lease, with the reason of its Status."""
        self.heartbeats = ""
        self.exists = _EXISTS.get(reason, self.exists)


def _patch(lease: Object) -> Patch:
    metadata = lease["metadata"]
    body = {"metadata": {"annotations": metadata["annotations"]}, "spec": lease["spec"]}
    return Patch(kind="Lease", namespace=LEASE_NAMESPACE, name=metadata["name"], body=body)
