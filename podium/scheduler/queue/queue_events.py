"""Cluster events split into single actions, with their names in metrics."""

from functools import cache
from typing import Any

import msgspec

from podium.api.objects import Object, annotations, entries, labels, spec_of, status_of
from podium.api.resources import pod_requests
from podium.api.values.quantity import ceil_milli, nanos
from podium.scheduler.framework.cluster_events import Action, ClusterEvent, EventResource
from podium.scheduler.snapshot.pod_classes import holds_alike

NOTHING = Action(0)
_NOTHING: Object = {}


def events_of_pod_update(old: Object, new: Object) -> Action:
    """Return the actions that an update of a pod consists of; `UPDATE_OTHER` if none is named."""
    actions = NOTHING
    if labels(old) != labels(new):
        actions |= Action.UPDATE_POD_LABEL
    # A resize counts once the kubelet has allocated it.
    if not holds_alike(old, new):
        before, after = pod_requests(old, use_status=True), pod_requests(new, use_status=True)
        if any(r not in after or ceil_milli(n) > ceil_milli(after[r]) for r, n in before.items()):
            actions |= Action.UPDATE_POD_SCALE_DOWN
    if old.get("spec") is not new.get("spec"):
        if _spec(old, "schedulingGates") and not _spec(new, "schedulingGates"):
            actions |= Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED
        # Tolerations can only be added.
        if len(_spec(old, "tolerations")) != len(_spec(new, "tolerations")):
            actions |= Action.UPDATE_POD_TOLERATION
    if _claims(old) != _claims(new):
        actions |= Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM
    return actions or Action.UPDATE_OTHER


def events_of_node_update(old: Object, new: Object) -> Action:
    """Return the actions that an update of a node consists of; 0 if none concerns pods."""
    actions = NOTHING
    if _allocatable(old) != _allocatable(new):
        actions |= Action.UPDATE_NODE_ALLOCATABLE
    if labels(old) != labels(new):
        actions |= Action.UPDATE_NODE_LABEL
    is_open_again = _spec(old, "unschedulable") and not _spec(new, "unschedulable")
    if _spec(old, "taints") != _spec(new, "taints") or is_open_again:
        actions |= Action.UPDATE_NODE_TAINT
    if _conditions(old) != _conditions(new):
        actions |= Action.UPDATE_NODE_CONDITION
    if annotations(old) != annotations(new):
        actions |= Action.UPDATE_NODE_ANNOTATION
    if _status(old, "declaredFeatures") != _status(new, "declaredFeatures"):
        actions |= Action.UPDATE_NODE_DECLARED_FEATURE
    return actions


def _claims(pod: Object) -> tuple[object, object]:
    status = pod.get("status") or _NOTHING
    statuses = status.get("resourceClaimStatuses") or ()
    named = [(claim.get("name"), claim.get("resourceClaimName")) for claim in statuses]
    extended = status.get("extendedResourceClaimStatus")
    if not extended:
        return named, None
    return named, (extended.get("resourceClaimName"), entries(extended, "requestMappings"))


def _allocatable(node: Object) -> dict[str, int]:
    amounts = _status(node, "allocatable") or {}
    return {name: nanos(amount) for name, amount in amounts.items()}


def _conditions(node: Object) -> dict[str, str]:
    conditions = _status(node, "conditions") or ()
    return {condition.get("type"): condition.get("status") for condition in conditions}


def _spec(obj: Object, field: str) -> Any:
    return spec_of(obj).get(field) or []


def _status(obj: Object, field: str) -> Any:
    return status_of(obj).get(field) or None


EVERYTHING = ClusterEvent(EventResource.WILDCARD, Action.ALL)


class QueueEvent(msgspec.Struct, frozen=True, eq=False):
    """A cluster event with a single action; equal events are the same object."""

    event: ClusterEvent
    label: str
    """The `event` label of `scheduler_queue_incoming_pods_total`."""
    helps_all: bool = False
    """Whether all pods are retried, whichever plugins rejected them."""


# No event has helped a pod for long; it is retried in case a hint was wrong.
UNSCHEDULABLE_TIMEOUT = QueueEvent(EVERYTHING, "UnschedulableTimeout", helps_all=True)
# A caller of `activate` wants a pod to be retried.
FORCE_ACTIVATE = QueueEvent(EVERYTHING, "ForceActivate", helps_all=True)

# How metrics spell resources that aren't spelt like their kind.
_SPELT: dict[EventResource, str] = {
    EventResource.UNSCHEDULED_POD: "UnschedulablePod",
    EventResource.STORAGE_CLASS: "storage.k8s.io/StorageClass",
    EventResource.CSI_NODE: "storage.k8s.io/CSINode",
    EventResource.CSI_DRIVER: "storage.k8s.io/CSIDriver",
    EventResource.CSI_STORAGE_CAPACITY: "storage.k8s.io/CSIStorageCapacity",
    EventResource.VOLUME_ATTACHMENT: "storage.k8s.io/VolumeAttachment",
    EventResource.RESOURCE_CLAIM: "resource.k8s.io/ResourceClaim",
    EventResource.RESOURCE_SLICE: "resource.k8s.io/ResourceSlice",
    EventResource.DEVICE_CLASS: "resource.k8s.io/DeviceClass",
}


@cache
def single_events(event: ClusterEvent) -> tuple[QueueEvent, ...]:
    """Split an event into single actions; updates without a named action are `UPDATE_OTHER`."""
    if event.resource is EventResource.WILDCARD:
        return (QueueEvent(event, "*All", helps_all=True),)
    resource = _SPELT.get(event.resource, event.resource)
    action = event.action
    if action & Action.UPDATE_OTHER:
        action = action & ~Action.UPDATE | Action.UPDATE_OTHER
    events = []
    for single in action:
        is_general = single is Action.UPDATE_OTHER
        spelt = "Update" if is_general else str(single.name).title().replace("_", "")
        events.append(QueueEvent(ClusterEvent(event.resource, single), f"{resource}{spelt}"))
    return tuple(events)
