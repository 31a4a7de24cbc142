"""What the queue needs to know of a profile: order, gates, and who registered for which events."""

from collections.abc import Iterator, Mapping
from itertools import chain

import msgspec

from podium.scheduler.framework.cluster_events import (
    Action,
    ClusterEvent,
    EnqueueExtensions,
    EventHint,
    EventResource,
)
from podium.scheduler.framework.interface import Plugin, PreEnqueuePlugin, QueueSortPlugin
from podium.scheduler.framework.pipeline import Pipeline
from podium.scheduler.queue.queue_events import EVERYTHING

ANY_EVENT = (EventHint(EVERYTHING),)
_TAINT_UPDATE = ClusterEvent(EventResource.NODE, Action.UPDATE_NODE_TAINT)
_NODE_ADDITION = ClusterEvent(EventResource.NODE, Action.ADD)
_NOTHING: Mapping[str, tuple[EventHint, ...]] = {}


class QueueProfile(msgspec.Struct, frozen=True):
    """What the queue needs to know of a profile.

    Attributes:
        hints: the events that each plugin registered for. A plugin that isn't in here is asked
            again after every event that anybody registered for.
    """

    queue_sort: QueueSortPlugin
    pre_enqueue: tuple[PreEnqueuePlugin, ...] = ()
    hints: Mapping[str, tuple[EventHint, ...]] = msgspec.field(default_factory=dict)

    @classmethod
    def of(
        cls, pipeline: Pipeline, more: Mapping[str, tuple[EventHint, ...]] = _NOTHING
    ) -> "QueueProfile":
        """Ask the plugins of all extension points at which pods are rejected.

        Bind isn't among them: there something goes wrong, or nothing. `more` has the events of who
        rejects pods besides.
        """
        rejecting: Iterator[Plugin] = chain(
            pipeline.pre_enqueue,
            pipeline.pre_filter,
            pipeline.filter,
            pipeline.post_filter,
            pipeline.reserve,
            pipeline.permit,
            pipeline.pre_bind,
            pipeline.pre_bind_calls,
        )
        hints = {plugin.name: registered_events(plugin) for plugin in rejecting}
        return cls(pipeline.queue_sort, pipeline.pre_enqueue, {**hints, **more})


def registered_events(plugin: Plugin) -> tuple[EventHint, ...]:
    """The events for which a plugin is registered, in effect.

    Whoever registers for additions of nodes is registered for updates of taints as well, without
    a hint (buildQueueingHintMap of v1.36): kube-scheduler once missed the addition of nodes that
    weren't ready yet, and their taints go when they are.
    """
    if not isinstance(plugin, EnqueueExtensions):
        return ANY_EVENT
    events = tuple(plugin.events_to_register())
    if _registers(events, _NODE_ADDITION) and not _registers(events, _TAINT_UPDATE):
        return (*events, EventHint(_TAINT_UPDATE))
    return events


def _registers(events: tuple[EventHint, ...], wanted: ClusterEvent) -> bool:
    return any(
        entry.event.resource is wanted.resource and entry.event.action & wanted.action
        for entry in events
    )
