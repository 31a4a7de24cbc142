"""The scheduling queue: pods and events are put in, and the next pod to schedule is popped."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count

from podium.api.objects import Object
from podium.scheduler.framework.cluster_events import ClusterEvent, EventResource
from podium.scheduler.queue.backoff import NEVER, WINDOW_S, BackoffQueue
from podium.scheduler.queue.heap import Key, PodHeap
from podium.scheduler.queue.hints import QueueingHints, QueueProfile, Strategy
from podium.scheduler.queue.in_flight import InFlight, InFlightEvent
from podium.scheduler.queue.queue_events import (
    FORCE_ACTIVATE,
    UNSCHEDULABLE_TIMEOUT,
    events_of_pod_update,
    single_events,
)
from podium.scheduler.queue.queued_pod import QueuedPod, QueueName
from podium.scheduler.queue.unschedulable import Unschedulable
from podium.scheduler.snapshot.pod_info import PodInfo

# How long a pod waits for an event before it is retried anyway.
MAX_IN_UNSCHEDULABLE_S = 300.0
# Seconds between flushes of unschedulable pods, at whole multiples since the epoch.
LEFTOVER_TICK_S = 30

ADDED = "UnschedulablePodAdd"
ATTEMPT_FAILED = "ScheduleAttemptFailure"
BACKOFF_COMPLETE = "BackoffComplete"
POPPED_EARLY = "PopFromBackoffQ"


class SchedulingQueue:
    """PriorityQueue of v1.36, without threads, clock and lock.

    Each uid has one pod, which is in one `QueueName` at a time. A popped pod is in flight until
    `done` or `fail`. As time passes, pods only move when `flush` or `pop` is called. With
    `pop_from_backoff`, rejected pods may be popped before their backoff is over if no pod is active
    (SchedulerPopFromBackoffQ).
    """

    def __init__(
        self,
        profiles: Mapping[str, QueueProfile],
        *,
        initial_backoff_s: float = 1.0,
        max_backoff_s: float = 10.0,
        pop_from_backoff: bool = True,
    ) -> None:
        self.incoming: Counter[tuple[str, str]] = Counter()
        """`scheduler_queue_incoming_pods_total` by its labels `queue` and `event`."""
        self._profiles = profiles
        self._hints = QueueingHints(profiles)
        self._pop_from_backoff = pop_from_backoff
        self._pods: dict[str, QueuedPod] = {}
        self._active = PodHeap()
        self._backoff = BackoffQueue(initial_backoff_s, max_backoff_s, in_windows=pop_from_backoff)
        self._unschedulable = Unschedulable()
        self._in_flight = InFlight()
        self._turns = count()
        self._flushed_s: float = -math.inf

    def __contains__(self, uid: str) -> bool:
        return uid in self._pods

    def __len__(self) -> int:
        return len(self._pods)

    def __iter__(self) -> Iterator[QueuedPod]:
        return iter(self._pods.values())

    def place_of(self, uid: str) -> QueueName | None:
        queued = self._pods.get(uid)
        return queued.place if queued else None

    def counts(self) -> dict[QueueName, int]:
        """Return `scheduler_pending_pods` by queue, and the number of pods in flight."""
        return {
            QueueName.ACTIVE: len(self._active),
            QueueName.BACKOFF: len(self._backoff),
            QueueName.UNSCHEDULABLE: len(self._unschedulable) - self._unschedulable.gated,
            QueueName.GATED: self._unschedulable.gated,
            QueueName.IN_FLIGHT: len(self._in_flight),
        }

    def events_in_flight(self) -> Counter[str]:
        """Return `scheduler_inflight_events`: the number of events kept, by label."""
        return self._in_flight.counts()

    def add(
        self,
        pod: PodInfo,
        scheduler_name: str,
        now_s: float,
        *,
        rejected_since_s: float | None = None,
    ) -> None:
        """Add a pod to be scheduled; raises ValueError if the queue has a pod with this uid.

        `rejected_since_s` is since when an earlier scheduler has rejected it after each backoff.
        The first rejection by this scheduler then neither counts nor has a backoff.
        """
        if pod.uid in self._pods:
            raise ValueError(f"{pod.key} is in the queue already")
        queued = QueuedPod(pod, scheduler_name, now_s, next(self._turns), flush_from_s=now_s)
        if rejected_since_s is not None:
            queued.was_rejected = True
            queued.unschedulable_count = self._backoff.failures_within(now_s - rejected_since_s)
        self._pods[pod.uid] = queued
        self._to_active(queued, ADDED, now_s)

    def update(self, old: PodInfo, new: PodInfo, now_s: float) -> None:
        queued = self._pods.get(new.uid)
        if queued is None:
            return
        action = events_of_pod_update(old.obj, new.obj)
        changes = single_events(ClusterEvent(EventResource.UNSCHEDULED_POD, action))
        if queued.place is QueueName.IN_FLIGHT:
            queued.pod = new
            for what in changes:
                self._in_flight.record(InFlightEvent(what, old.obj, new.obj, new.uid))
            return
        self._take_out(queued)
        queued.pod = new
        if queued.place is QueueName.ACTIVE:
            self._active.push(queued, self._sort_key(queued))
        elif queued.place is QueueName.BACKOFF:
            self._backoff.push(queued, self._sort_key(queued))
        else:
            self._unschedulable.add(queued)
            for what in changes:
                # The plugin that gates the pod is called when the pod is requeued.
                questions = self._hints.questions(queued.rejection._replace(gate=""), what)
                strategy = questions.answer(new, old.obj, new.obj)
                if strategy is not Strategy.SKIP:
                    self._unschedulable.remove(queued)
                    if self._requeue(queued, strategy, what.label, now_s):
                        return

    def delete(self, uid: str) -> None:
        queued = self._pods.pop(uid, None)
        if queued is not None:
            self._take_out(queued)
            queued.place = QueueName.DELETED

    def pop(self, now_s: float) -> QueuedPod | None:
        """Pop the next pod, if any; it is in flight until `done` or `fail`."""
        if now_s >= self._flushed_s + WINDOW_S:
            self.flush(now_s)
        queued = self._active.pop()
        if queued is None and self._pop_from_backoff and (queued := self._backoff.pop()):
            self.incoming[QueueName.ACTIVE, POPPED_EARLY] += 1
        if queued is not None:
            queued.begin()
            self._in_flight.begin(queued.uid)
        return queued

    def take(self, uid: str) -> QueuedPod | None:
        """Pop a certain pod; None if it is gated, in flight or not in the queue."""
        queued = self._pods.get(uid)
        if queued is None or queued.place in (QueueName.IN_FLIGHT, QueueName.GATED):
            return None
        self._take_out(queued)
        queued.begin()
        self._in_flight.begin(uid)
        return queued

    def has_next(self) -> bool:
        return len(self._active) > 0 or (self._pop_from_backoff and self._backoff.can_pop())

    def done(self, uid: str) -> None:
        """Remove a pod in flight that can't become unschedulable any more."""
        if self.place_of(uid) is QueueName.IN_FLIGHT:
            self._in_flight.end(uid)
            self._pods.pop(uid).place = QueueName.DONE

    def fail(
        self,
        queued: QueuedPod,
        plugins: Iterable[str] = (),
        *,
        pending_plugins: Iterable[str] = (),
        now_s: float,
    ) -> None:
        """Requeue a pod after a failed attempt (AddUnschedulableIfNotPresent of v1.36).

        Events during the attempt are checked by hints. A pod that fails after `done` is retried
        after its backoff. A pod that was deleted or requeued meanwhile is left as it is.

        Args:
            queued: the popped pod; its `pod` may have been replaced by a newer version.
            plugins: the plugins that rejected it; without any the failure is an error.
            pending_plugins: the plugins that wait for something outside the scheduler.
        """
        uid = queued.uid
        happened = None
        if queued.place is QueueName.IN_FLIGHT:
            happened = self._in_flight.end(uid)
        elif queued.place is not QueueName.DONE or uid in self._pods:
            return
        self._pods[uid] = queued
        queued.unschedulable_plugins = frozenset(plugins)
        queued.pending_plugins = frozenset(pending_plugins)
        is_known = queued.was_rejected and queued.is_rejected
        queued.was_rejected = False
        if queued.is_rejected:
            queued.unschedulable_count += not is_known
            queued.consecutive_errors = 0
        else:
            queued.consecutive_errors += 1
        queued.added_at_s = queued.flush_from_s = now_s
        queued.turn = next(self._turns)
        queued.backoff_until_s = NEVER if is_known else self._backoff.until_s(queued)
        self._requeue(queued, self._hints.after_attempt(queued, happened), ATTEMPT_FAILED, now_s)

    def activate(self, uids: Iterable[str], now_s: float) -> None:
        """Make pods active unless they are gated; pods in flight are retried afterwards."""
        for uid in uids:
            queued = self._pods.get(uid)
            if queued is None or queued.place is QueueName.ACTIVE:
                continue
            if queued.place is QueueName.IN_FLIGHT:
                self._in_flight.record(InFlightEvent(FORCE_ACTIVATE, None, queued.pod.obj, uid))
                continue
            self._take_out(queued)
            queued.woken_by = FORCE_ACTIVATE.label
            was_let_in = queued.place is QueueName.BACKOFF and self._pop_from_backoff
            self._to_active(queued, FORCE_ACTIVATE.label, now_s, let_in=was_let_in)

    def event(
        self,
        event: ClusterEvent,
        old: Object | None,
        new: Object | None,
        now_s: float,
        *,
        among: Callable[[PodInfo], bool] | None = None,
        except_uid: str = "",
    ) -> int:
        """Requeue pods after an event in the cluster (MoveAllToActiveOrBackoffQueue, v1.36).

        Updates of pods in the queue have to be passed to `update` instead.

        Args:
            among: returns False for waiting pods to leave out; called with one pod of each class.
            except_uid: uid of a pod to leave out: what it gives up itself can't help it.

        Returns:
            The number of pods that became active or wait for their backoff to end.
        """
        moved = 0
        if not (self._unschedulable or self._in_flight):
            return moved
        for what in single_events(event):
            if self._hints.interest(what):
                happened = InFlightEvent(what, old, new, except_uid=except_uid)
                for queued, strategy in self._unschedulable.helped(self._hints, happened, among):
                    if self._stays_gated(queued):
                        self.incoming[QueueName.UNSCHEDULABLE, what.label] += 1
                        continue
                    self._unschedulable.remove(queued)
                    moved += self._requeue(queued, strategy, what.label, now_s)
                self._in_flight.record(happened)
        return moved

    def flush(self, now_s: float) -> None:
        """Requeue pods whose backoff is over, and those that have waited too long for an event.

        Backoffs end at whole seconds, the wait for an event at whole half minutes.
        """
        self._flushed_s = math.floor(now_s)
        for queued in self._backoff.completed(self._flushed_s):
            self._to_active(queued, BACKOFF_COMPLETE, now_s, let_in=self._pop_from_backoff)
        tick_s = now_s // LEFTOVER_TICK_S * LEFTOVER_TICK_S
        leftovers = self._unschedulable.take_older(tick_s - MAX_IN_UNSCHEDULABLE_S)
        for queued in leftovers:
            queued.flush_from_s = tick_s
            self._requeue(queued, Strategy.AFTER_BACKOFF, UNSCHEDULABLE_TIMEOUT.label, now_s)
        if leftovers:
            self._in_flight.record(InFlightEvent(UNSCHEDULABLE_TIMEOUT, None, None))

    def next_wakeup_s(self) -> float | None:
        backoff_s = self._backoff.next_flush_s()
        oldest = self._unschedulable.oldest()
        if oldest is None:
            return backoff_s
        leftovers_s = self._leftover_s(oldest)
        return leftovers_s if backoff_s is None else min(backoff_s, leftovers_s)

    def waiting_for_events(self) -> Iterator[tuple[QueuedPod, float]]:
        """Return the pods that wait for events, each with the epoch seconds of its next retry."""
        for queued in self._pods.values():
            if queued.place is QueueName.UNSCHEDULABLE:
                yield queued, self._leftover_s(queued)

    def _leftover_s(self, queued: QueuedPod) -> float:
        overdue_s = queued.flush_from_s + MAX_IN_UNSCHEDULABLE_S
        return (overdue_s // LEFTOVER_TICK_S + 1) * LEFTOVER_TICK_S

    def _requeue(self, queued: QueuedPod, strategy: Strategy, label: str, now_s: float) -> bool:
        """Put a pod into a queue by a strategy; return True if it is active or in backoff."""
        if strategy is Strategy.SKIP:
            self._to_unschedulable(queued, label)
            return False
        queued.woken_by = label
        if strategy is Strategy.IMMEDIATELY or not self._backoff.is_backing_off(queued, now_s):
            return self._to_active(queued, label, now_s)
        # PreEnqueue runs here if pods may be popped early, and otherwise after the backoff.
        if self._pop_from_backoff and not self._is_let_in(queued):
            self._to_unschedulable(queued, label)
            return False
        queued.place = QueueName.BACKOFF
        self._backoff.push(queued, self._sort_key(queued))
        self.incoming[QueueName.BACKOFF, label] += 1
        return True

    def _to_active(
        self, queued: QueuedPod, label: str, now_s: float, *, let_in: bool = False
    ) -> bool:
        if not (let_in or self._is_let_in(queued)):
            self._to_unschedulable(queued, label)
            return False
        if queued.initial_attempt_s is None:
            queued.initial_attempt_s = now_s
        queued.place = QueueName.ACTIVE
        self._active.push(queued, self._sort_key(queued))
        self.incoming[QueueName.ACTIVE, label] += 1
        return True

    def _to_unschedulable(self, queued: QueuedPod, label: str) -> None:
        self._unschedulable.add(queued)
        self.incoming[QueueName.UNSCHEDULABLE, label] += 1

    def _stays_gated(self, queued: QueuedPod) -> bool:
        """Return whether the PreEnqueue plugin that gated a pod would gate it again."""
        gate = queued.gated_by
        if gate is None or not self._pop_from_backoff:
            return False
        plugins = self._profiles[queued.scheduler_name].pre_enqueue
        asked = next((plugin for plugin in plugins if plugin.name == gate.plugin), None)
        return asked is not None and not asked.pre_enqueue(queued.pod).is_success

    def _is_let_in(self, queued: QueuedPod) -> bool:
        """Run PreEnqueue plugins, first the one that gated the pod; return whether all succeed."""
        plugins = self._profiles[queued.scheduler_name].pre_enqueue
        if queued.gated_by:
            gate = queued.gated_by.plugin
            plugins = tuple(sorted(plugins, key=lambda plugin: plugin.name != gate))
        for plugin in plugins:
            status = plugin.pre_enqueue(queued.pod)
            if not status.is_success:
                queued.gated_by = status.by(plugin.name)
                queued.unschedulable_plugins |= {plugin.name}
                return False
        queued.gated_by = None
        return True

    def _sort_key(self, queued: QueuedPod) -> Key:
        queue_sort = self._profiles[queued.scheduler_name].queue_sort
        return queue_sort.sort_key(queued.pod, queued.added_at_s)

    def _take_out(self, queued: QueuedPod) -> None:
        if queued.place is QueueName.ACTIVE:
            self._active.discard(queued)
        elif queued.place is QueueName.BACKOFF:
            self._backoff.discard(queued)
        elif queued.place is QueueName.IN_FLIGHT:
            self._in_flight.end(queued.uid)
        else:
            self._unschedulable.remove(queued)
