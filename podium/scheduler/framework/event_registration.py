"""How plugins register for the events that may help the pods they reject.

A hint is asked about an object that came or changed, or about one that went. A hint that can't
tell says yes or raises `CycleError`, which counts as yes: a retry too many does no harm.

Registrations and hints are those of v1.36, gaps included: kube-scheduler leaves some pods asleep
that would fit, and tries them when they have waited for five minutes. `docs/queueing-hints.md`
lists them all.
"""

from collections.abc import Callable

from podium.api.objects import Object, name, namespace
from podium.api.volumes.claims_and_volumes import claim_uses
from podium.scheduler.framework.cluster_events import Action, ClusterEvent, EventHint, EventResource
from podium.scheduler.snapshot.pod_classes import PodClass, PodClasses
from podium.scheduler.snapshot.pod_info import PodInfo

AfterChange = Callable[[PodInfo, Object | None, Object], bool]
AfterRemoval = Callable[[PodInfo, Object], bool]


def after_change(
    resource: EventResource, action: Action, hint: AfterChange | None = None
) -> EventHint:
    """Register for additions and updates.

    Args:
        hint: asked with the pod that waits, the object before (None if it is new), and after;
            without a hint every such event may help.
    """
    event = ClusterEvent(resource, action)
    if hint is None:
        return EventHint(event)
    return EventHint(event, lambda pod, old, new: new is None or hint(pod, old, new))


def after_removal(resource: EventResource, hint: AfterRemoval | None = None) -> EventHint:
    """Register for deletions; a hint is asked with the pod that waits, and what is gone."""
    event = ClusterEvent(resource, Action.DELETE)
    if hint is None:
        return EventHint(event)
    return EventHint(event, lambda pod, old, new: old is None or hint(pod, old))


def after_difference(
    resource: EventResource, action: Action, read: Callable[[Object], object]
) -> EventHint:
    """Register for additions, and for updates that change what `read` finds in the object."""
    return after_change(
        resource, action, lambda pod, old, new: old is None or read(old) != read(new)
    )


def class_on_node(classes: PodClasses, pod: Object | None) -> PodClass | None:
    """The class of a pod on a node, before or after an event; None if there is no pod."""
    return None if pod is None else classes.on_node(pod)


def claim_is_used(pod: PodInfo, old: Object | None, new: Object) -> bool:
    """A hint about claims: whether the pod uses the one that has come or changed."""
    return pod.namespace == namespace(new) and any(
        use.claim_name == name(new) for use in claim_uses(pod.obj)
    )


def claim_is_named(pod: PodInfo, old: Object | None, new: Object) -> bool:
    """A hint about claims: whether the pod's volumes name it; those of ephemeral volumes don't."""
    return pod.namespace == namespace(new) and any(
        use.claim_name == name(new) for use in claim_uses(pod.obj) if not use.is_ephemeral
    )
