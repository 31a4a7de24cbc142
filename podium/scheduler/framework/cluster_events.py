"""Events in a cluster as the scheduling queue sees them, and how plugins register for them.

A plugin that rejects pods registers the events that may make them schedulable, each with an
optional hint that looks closer (EnqueueExtensions and QueueingHintFn of v1.36). Hints are called
once per class of pods. A hint that can't decide returns True or raises `CycleError`, which counts
as True. Registrations and hints are v1.36's, and miss what it misses (`docs/queueing-hints.md`).
"""

from collections.abc import Callable, Sequence
from enum import IntFlag, StrEnum, auto
from typing import Protocol, runtime_checkable

import msgspec

from podium.api.objects import Object, name, namespace
from podium.api.volumes.claims_and_volumes import claim_uses
from podium.scheduler.snapshot.pod_info import PodInfo


class EventResource(StrEnum):
    """The resource of a cluster event, named as upstream names it."""

    ASSIGNED_POD = "AssignedPod"
    """A pod on a node, as opposed to the waiting pod."""
    UNSCHEDULED_POD = "UnscheduledPod"
    """The waiting pod itself."""
    NODE = "Node"
    PERSISTENT_VOLUME = "PersistentVolume"
    PERSISTENT_VOLUME_CLAIM = "PersistentVolumeClaim"
    STORAGE_CLASS = "StorageClass"
    CSI_NODE = "CSINode"
    CSI_DRIVER = "CSIDriver"
    CSI_STORAGE_CAPACITY = "CSIStorageCapacity"
    VOLUME_ATTACHMENT = "VolumeAttachment"
    RESOURCE_CLAIM = "ResourceClaim"
    RESOURCE_SLICE = "ResourceSlice"
    DEVICE_CLASS = "DeviceClass"
    WILDCARD = "*"


class Action(IntFlag):
    """What an event does to a resource; an event can combine several actions."""

    ADD = auto()
    DELETE = auto()
    UPDATE_NODE_ALLOCATABLE = auto()
    UPDATE_NODE_LABEL = auto()
    UPDATE_NODE_TAINT = auto()
    UPDATE_NODE_CONDITION = auto()
    UPDATE_NODE_ANNOTATION = auto()
    UPDATE_NODE_DECLARED_FEATURE = auto()
    UPDATE_POD_LABEL = auto()
    UPDATE_POD_SCALE_DOWN = auto()
    UPDATE_POD_TOLERATION = auto()
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED = auto()
    UPDATE_POD_GENERATED_RESOURCE_CLAIM = auto()
    UPDATE_OTHER = auto()
    UPDATE = (
        UPDATE_NODE_ALLOCATABLE
        | UPDATE_NODE_LABEL
        | UPDATE_NODE_TAINT
        | UPDATE_NODE_CONDITION
        | UPDATE_NODE_ANNOTATION
        | UPDATE_NODE_DECLARED_FEATURE
        | UPDATE_POD_LABEL
        | UPDATE_POD_SCALE_DOWN
        | UPDATE_POD_TOLERATION
        | UPDATE_POD_SCHEDULING_GATES_ELIMINATED
        | UPDATE_POD_GENERATED_RESOURCE_CLAIM
        | UPDATE_OTHER
    )
    ALL = ADD | DELETE | UPDATE


class ClusterEvent(msgspec.Struct, frozen=True):
    """An event that happened, or a pattern of events to register for."""

    resource: EventResource
    action: Action

    def matches(self, happened: "ClusterEvent") -> bool:
        return bool(self.action & happened.action) and (
            self.resource in (happened.resource, EventResource.WILDCARD)
            or happened.resource is EventResource.WILDCARD
        )


ASSIGNED_POD_DELETED = ClusterEvent(EventResource.ASSIGNED_POD, Action.DELETE)
"""A pod left its node, or no longer counts on the node where it was assumed or nominated."""

Hint = Callable[[PodInfo, Object | None, Object | None], bool]
"""Called with a waiting pod, the old and the new object; returns whether the pod may fit now.

The result must be equal for all pods of a class, unless the resource is UNSCHEDULED_POD or the hint
is registered `by_pod`.
"""


class EventHint(msgspec.Struct, frozen=True):
    """An event that a plugin registers for; without a hint, the event may help all its pods."""

    event: ClusterEvent
    hint: Hint | None = None
    by_pod: bool = False
    """Whether the hint has to be called for each pod, as it depends on more than the class."""


@runtime_checkable
class EnqueueExtensions(Protocol):
    """A plugin that lists the events which may make the pods schedulable that it rejected.

    Pods that are rejected by any other plugin are retried after every event.
    """

    name: str

    def events_to_register(self) -> Sequence[EventHint]: ...


AfterChange = Callable[[PodInfo, Object | None, Object], bool]
AfterRemoval = Callable[[PodInfo, Object], bool]


def after_change(
    resource: EventResource,
    action: Action,
    hint: AfterChange | None = None,
    *,
    by_pod: bool = False,
) -> EventHint:
    """Register for additions and updates; the hint gets None for the old object of an addition."""
    event = ClusterEvent(resource, action)
    if hint is None:
        return EventHint(event)
    return EventHint(event, lambda pod, old, new: new is None or hint(pod, old, new), by_pod)


def after_removal(resource: EventResource, hint: AfterRemoval | None = None) -> EventHint:
    """Register for deletions; the hint gets the waiting pod and the deleted object."""
    event = ClusterEvent(resource, Action.DELETE)
    if hint is None:
        return EventHint(event)
    return EventHint(event, lambda pod, old, new: old is None or hint(pod, old))


def after_difference(
    resource: EventResource, action: Action, read: Callable[[Object], object]
) -> EventHint:
    """Register for additions, and for updates that change what `read` returns."""
    return after_change(
        resource, action, lambda pod, old, new: old is None or read(old) != read(new)
    )


def claim_is_used(pod: PodInfo, old: Object | None, new: Object) -> bool:
    """Return whether a pod uses a PersistentVolumeClaim that was added or changed."""
    return pod.namespace == namespace(new) and name(new) in {
        use.claim_name for use in claim_uses(pod.obj)
    }


def claim_is_named(pod: PodInfo, old: Object | None, new: Object) -> bool:
    """Return whether a volume of a pod, but no ephemeral one, names a changed claim."""
    return pod.namespace == namespace(new) and name(new) in {
        use.claim_name for use in claim_uses(pod.obj) if not use.is_ephemeral
    }
