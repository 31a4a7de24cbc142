"""Queueing hints: which events are worth a retry (QueueingHintFn, isPodWorthRequeuing, v1.36)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import chain
from typing import NamedTuple

import msgspec

from podium.api.objects import Object
from podium.scheduler.framework.cluster_events import (
    Action,
    ClusterEvent,
    EnqueueExtensions,
    EventHint,
    EventResource,
    Hint,
)
from podium.scheduler.framework.interface import (
    CycleError,
    Plugin,
    PreEnqueuePlugin,
    QueueSortPlugin,
)
from podium.scheduler.framework.pipeline import Pipeline
from podium.scheduler.queue.in_flight import InFlightEvent
from podium.scheduler.queue.queue_events import EVERYTHING, QueueEvent
from podium.scheduler.queue.queued_pod import QueuedPod, Rejection
from podium.scheduler.snapshot.pod_info import PodInfo

ANY_EVENT = (EventHint(EVERYTHING),)
_TAINT_UPDATE = ClusterEvent(EventResource.NODE, Action.UPDATE_NODE_TAINT)
_NODE_ADDITION = ClusterEvent(EventResource.NODE, Action.ADD)
_NOTHING: Mapping[str, tuple[EventHint, ...]] = {}


class QueueProfile(msgspec.Struct, frozen=True):
    """The part of a profile that the queue needs.

    `hints` has, by plugin, the events that it registered for. Pods that were rejected by a plugin
    without an entry are retried after every event that any plugin registered for.
    """

    queue_sort: QueueSortPlugin
    pre_enqueue: tuple[PreEnqueuePlugin, ...] = ()
    hints: Mapping[str, tuple[EventHint, ...]] = msgspec.field(default_factory=dict)

    @classmethod
    def of(
        cls, pipeline: Pipeline, more: Mapping[str, tuple[EventHint, ...]] = _NOTHING
    ) -> "QueueProfile":
        """Collect the events of the plugins of a pipeline that can reject pods, as Bind can't.

        `more` has the events of other parts of the scheduler that reject pods, by name.
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
    """Return the events that a plugin registers for, with those that v1.36 adds.

    A plugin that registers for additions of nodes is also registered for updates of taints, without
    a hint (buildQueueingHintMap): kube-scheduler once missed nodes that became ready.
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


class Strategy(IntEnum):
    """What to do with a pod after an event."""

    SKIP = 0
    """Leave the pod where it is: the event can't help it."""
    AFTER_BACKOFF = 1
    """Retry the pod once its backoff is over."""
    IMMEDIATELY = 2
    """Retry the pod at once: what a pending plugin was waiting for has happened."""


class HintQuestions(NamedTuple):
    """The hints to call for an event, for pods that were rejected by certain plugins.

    Each hint has the strategy to follow if it returns True; hints of pending plugins come first.
    None stands for a plugin without a hint.
    """

    hints: tuple[tuple[Hint | None, Strategy], ...]
    by_pod: bool = False

    def answer(self, pod: PodInfo, old: Object | None, new: Object | None) -> Strategy:
        """Return the strategy for a pod after an event, and unless `by_pod` for its class."""
        for hint, strategy in self.hints:
            try:
                if hint is None or hint(pod, old, new):
                    return strategy
            except CycleError:
                # If a hint fails, the pod is retried, as in v1.36.
                return strategy
        return Strategy.SKIP


NO_HINTS = HintQuestions(())
NO_QUESTION = HintQuestions(((None, Strategy.AFTER_BACKOFF),))


class QueueingHints:
    """The queueing hints of all profiles."""

    def __init__(self, profiles: Mapping[str, QueueProfile]) -> None:
        self._profiles = profiles
        self._interesting: dict[QueueEvent, bool] = {}
        self._questions: dict[tuple[Rejection, QueueEvent], HintQuestions] = {}

    def interest(self, what: QueueEvent) -> bool:
        known = self._interesting.get(what)
        if known is None:
            known = self._interesting[what] = what.helps_all or any(
                entry.event.matches(what.event)
                for profile in self._profiles.values()
                for entries in profile.hints.values()
                for entry in entries
            )
        return known

    def questions(self, rejection: Rejection, what: QueueEvent) -> HintQuestions:
        """Return the hints to call for pods with this rejection; none if the event can't help.

        If no plugin rejected them, any event may help. If a plugin gates them, only events help
        that this plugin registered for.
        """
        key = rejection, what
        known = self._questions.get(key)
        if known is None:
            name, unschedulable, pending, gate = rejection
            if what.helps_all:
                known = NO_QUESTION
            elif gate and not self._hints(name, {gate}, what):
                known = NO_HINTS
            elif not (unschedulable or pending):
                known = NO_QUESTION
            else:
                first = self._hints(name, pending, what)
                others = self._hints(name, unschedulable - pending, what)
                at_once = [(entry.hint, Strategy.IMMEDIATELY) for entry in first]
                later = [(entry.hint, Strategy.AFTER_BACKOFF) for entry in others]
                by_pod = any(entry.by_pod for entry in (*first, *others))
                known = HintQuestions((*at_once, *later), by_pod)
            self._questions[key] = known
        return known

    def after_attempt(self, queued: QueuedPod, events: Sequence[InFlightEvent] | None) -> Strategy:
        """Return the strategy after an attempt with these events; None means they weren't kept."""
        if events is None or not queued.is_rejected:
            return Strategy.AFTER_BACKOFF
        rejection, pod = queued.rejection, queued.pod
        best = Strategy.IMMEDIATELY if queued.pending_plugins else Strategy.AFTER_BACKOFF
        strategy = Strategy.SKIP
        for what, old, new, *_ in events:
            strategy = max(strategy, self.questions(rejection, what).answer(pod, old, new))
            if strategy is best:
                break
        return strategy

    def _hints(
        self, scheduler_name: str, plugins: Collection[str], what: QueueEvent
    ) -> tuple[EventHint, ...]:
        registered = self._profiles[scheduler_name].hints
        return tuple(
            entry
            for plugin in sorted(plugins)
            for entry in registered.get(plugin, ANY_EVENT)
            if entry.event.matches(what.event)
        )
