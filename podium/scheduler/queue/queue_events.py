"""Events as the queue takes them in: one action at a time, each with its name."""

from functools import cache

import msgspec

from podium.api.objects import Object
from podium.scheduler.framework.cluster_events import Action, ClusterEvent, EventResource
from podium.scheduler.queue.changes import events_of_pod_update

EVERYTHING = ClusterEvent(EventResource.WILDCARD, Action.ALL)


class QueueEvent(msgspec.Struct, frozen=True, eq=False):
    """One event as hints and metrics know it; the same event is always the same object.

    Attributes:
        label: the `event` label of `scheduler_queue_incoming_pods_total`.
        helps_all: whether pods are tried again whoever rejected them.
    """

    event: ClusterEvent
    label: str
    helps_all: bool = False


# Nothing has helped a pod for long; it is tried again lest a hint was wrong.
UNSCHEDULABLE_TIMEOUT = QueueEvent(EVERYTHING, "UnschedulableTimeout", helps_all=True)
# Somebody wants one pod to be tried.
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
def happenings(event: ClusterEvent) -> tuple[QueueEvent, ...]:
    """An event taken apart into single actions, to be looked at one after another.

    An update that is of no particular kind is a general one: only who registered for all updates
    hears of it.
    """
    if event.resource is EventResource.WILDCARD:
        return (QueueEvent(event, "*All", helps_all=True),)
    resource = _SPELT.get(event.resource, event.resource)
    action = event.action
    if action & Action.UPDATE_OTHER:
        action = action & ~Action.UPDATE | Action.UPDATE_OTHER
    found = []
    for single in action:
        is_general = single is Action.UPDATE_OTHER
        spelt = "Update" if is_general else str(single.name).title().replace("_", "")
        found.append(QueueEvent(ClusterEvent(event.resource, single), f"{resource}{spelt}"))
    return tuple(found)


def happenings_of_update(old: Object, new: Object) -> tuple[QueueEvent, ...]:
    """What an update of a pod that waits is to the pod itself."""
    return happenings(ClusterEvent(EventResource.UNSCHEDULED_POD, events_of_pod_update(old, new)))
