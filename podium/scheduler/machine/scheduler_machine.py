"""The scheduler as a state machine: events in, effects out, one decision per wake-up."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from podium.api.objects import is_terminating, uid
from podium.api.pods import node_name_of
from podium.machines.effects import Effect
from podium.machines.events import Change, Event, FirstList, Outcome, Synced, Woken
from podium.machines.machine import Machine
from podium.scheduler.config.document import KubeSchedulerConfiguration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.framework.cycle.diagnosis import (
    failure_message,
    pending_plugins,
    rejecting_plugins,
)
from podium.scheduler.framework.cycle.scheduling_cycle import NO_NODES, Timing
from podium.scheduler.framework.interface import PostFilterResult
from podium.scheduler.machine.api_dispatcher import APIDispatcher, PodCall
from podium.scheduler.machine.binding_cycle import BindingCycles, PreBindCall
from podium.scheduler.machine.context import (
    DEFAULT_FEATURES,
    ERROR,
    KEEP,
    UNSCHEDULABLE,
    Failure,
    Features,
    SchedulerContext,
    handle_scheduling_failure,
)
from podium.scheduler.machine.event_handlers import KINDS, EventHandlers, OtherNominations
from podium.scheduler.machine.eviction_guard import EvictionGuard
from podium.scheduler.machine.gangs import GANG_SCHEDULING, GangScheduler
from podium.scheduler.machine.preemption_executor import PreemptionExecutor, VictimCall
from podium.scheduler.metrics import Metric, NoMetrics
from podium.scheduler.preemption.policies.livelock import LivelockGuard
from podium.scheduler.queue.hints import QueueProfile
from podium.scheduler.queue.queued_pod import QueuedPod
from podium.scheduler.queue.scheduling_queue import SchedulingQueue
from podium.scheduler.scheduler import Scheduler, without_preemption
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo

TRIES_AT_ONE_MOMENT_MAX = 8
"""After this many attempts to schedule one pod at one time, the scheduler rests for `REST_S`."""
REST_S = 1.0


class MissedWakeup(NamedTuple):
    """A pod that waits for an event although it fits a node; it is retried at `retry_at_s`."""

    pod: PodInfo
    node_name: str
    retry_at_s: float


class SchedulerMachine(Machine):
    """The scheduler of one configuration; it decides about pods after others have acted."""

    wakes_last = takes_lists = True

    def __init__(
        self,
        configuration: KubeSchedulerConfiguration | None = None,
        options: SchedulerOptions | None = None,
        *,
        features: Features = DEFAULT_FEATURES,
        rng: Random | None = None,
        metrics: NoMetrics | None = None,
        takes_over: bool = False,
    ) -> None:
        """Create a scheduler without any objects.

        Args:
            configuration: profiles, plugins and backoffs; by default those of v1.36.
            rng: chooses where a limited search for candidates starts; None searches all.
            takes_over: whether an earlier scheduler has set conditions of initially listed pods.
        """
        self.scheduler = Scheduler(configuration, options, rng=rng)
        self.name = next(iter(self.scheduler.pipelines))
        self.metrics = metrics or NoMetrics()
        options = options or SchedulerOptions()
        # Only pods of its gang requeue a pod that waits for them, but no events.
        unmoved = {GANG_SCHEDULING: ()} if options.gangs else {}
        profiles = {
            name: QueueProfile.of(pipeline, unmoved)
            for name, pipeline in self.scheduler.pipelines.items()
        }
        backoffs = configuration or KubeSchedulerConfiguration()
        self.queue = SchedulingQueue(
            profiles,
            initial_backoff_s=backoffs.pod_initial_backoff_seconds,
            max_backoff_s=backoffs.pod_max_backoff_seconds,
            pop_from_backoff=features.scheduler_pop_from_backoff_q,
        )
        self.context = SchedulerContext(
            self.scheduler, self.queue, APIDispatcher(), self.metrics, features
        )
        timing = Timing(
            self.metrics.stopwatch, partial(self.metrics.observe, Metric.EXTENSION_POINT_DURATION)
        )
        self.bindings = BindingCycles(self.context, timing)
        self.preemptions = PreemptionExecutor(self.context, self.bindings)
        others = OtherNominations(self.context) if options.other_nominations else None
        self.handlers = EventHandlers(
            self.context, self.bindings, self.preemptions, others, takes_over=takes_over
        )
        groups = self.scheduler.handle.gangs
        self.gangs = (
            GangScheduler(options.gangs, groups, self.context, self.bindings, self.preemptions)
            if options.gangs and groups is not None
            else None
        )
        self.livelocks = LivelockGuard(self.scheduler.pipelines, options.livelock_backoff_s)
        """Preemptors that wait because other schedulers' pods took what they had freed."""
        guard_s = options.eviction_guard_s
        self._guard = EvictionGuard(guard_s) if guard_s else None
        if self._guard or self.gangs or self.metrics.registry:
            # Each of these looks at every change.
            self.takes_lists = False
        always = (self.bindings, self.context.dispatcher, self.preemptions, self.livelocks)
        perhaps = (self.gangs, self._guard)
        self._parts = (*always, *(part for part in perhaps if part is not None))
        self.kinds = KINDS
        if options.protection.toleration:
            self.kinds |= {"PriorityClass"}
        if self.gangs is not None:
            self.kinds |= self.gangs.kinds
        self._is_held = False
        self._tries: Counter[str] = Counter()
        self._tried_s = self._rested_s = -math.inf
        if self.metrics.registry is not None:
            self.scheduler.measure(timing)
        self.metrics.watch_queue(self.queue)

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        if now_s != self.scheduler.clock.now_s:
            self.scheduler.pass_time(now_s)
        if isinstance(event, Change):
            begun_s = self.metrics.stopwatch()
            for change in self._shown(event):
                self.handlers.handle(change)
            if event.kind == "Pod":
                self.livelocks.follow(event)
            if self.metrics.registry is not None:
                taken_s, kind = self.metrics.stopwatch() - begun_s, event.kind
                if kind == "Pod":
                    kind = "AssignedPod" if node_name_of(event.obj) else "UnschedulablePod"
                action = "Add" if event.old is None else "Delete" if event.new is None else "Update"
                self.metrics.observe(Metric.EVENT_HANDLING_DURATION, taken_s, kind + action)
        elif isinstance(event, Outcome):
            match event.effect.purpose:
                case PodCall() as purpose:
                    if self.context.dispatcher.outcome(purpose, event, now_s):
                        self.bindings.settled(purpose.uid, event)
                    else:
                        self.bindings.recheck_uncertain(purpose.uid)
                case VictimCall() as purpose:
                    self.preemptions.outcome(purpose, event)
                case PreBindCall() as purpose:
                    self.bindings.outcome(purpose, event)
        elif isinstance(event, FirstList):
            self.handlers.take_in(event)
        elif isinstance(event, Synced):
            self.handlers.start()
        elif isinstance(event, Woken):
            self._wake()
        # Any plugin may have decided about pods that wait on Permit.
        self.scheduler.handle.waiting.settle()
        return self.context.dispatcher.take()

    @property
    def is_synced(self) -> bool:
        return self.handlers.is_synced

    def next_wakeup_s(self) -> float | None:
        """Return the current time if a pod can be decided now, else the next time to wake up."""
        next_s = None
        if self._may_decide():
            next_s = self.context.now_s if self.queue.has_next() else self.queue.next_wakeup_s()
            next_s = next_s if next_s is None else max(next_s, self._rested_s)
        if next_s == self.context.now_s:
            return next_s
        for part in self._parts:
            due_s = part.next_wakeup_s()
            if due_s is not None and (next_s is None or due_s < next_s):
                next_s = due_s
        return next_s

    def hold(self) -> None:
        self._is_held = True

    def release(self) -> None:
        self._is_held = False

    def recall_rejections(self) -> None:
        """Move pods that an earlier scheduler rejected to the unschedulable pods.

        A decision finds the plugins that reject each of them. Pods that would get a node, at once
        or by preemption, stay active, as do nominated pods and, if gangs are configured, all pods.
        """
        if self.gangs is not None:
            return
        self.handlers.settle_budgets()
        for queued in [*self.queue]:
            if not queued.was_rejected or queued.pod.nominated_node_name:
                continue
            decision = self.scheduler.decide(queued.pod, queued.scheduler_name)
            found, plugins = decision.post_filter, rejecting_plugins(decision)
            has_place = bool(decision.node_name or (found is not None and found.victims))
            if has_place or decision.error or decision.gate is not None or not plugins:
                continue
            if (taken := self.queue.take(queued.uid)) is not None:
                self.queue.fail(taken, sorted(plugins), now_s=self.context.now_s)

    def missed_wakeups(self) -> Iterator[MissedWakeup]:
        """Find pods that fit a node but wait for an event, since queueing hints miss some events.

        One pod of each class is decided, without preemption. The queue retries such pods only after
        they have waited for more than five minutes.
        """
        scheduler, node_names = self.scheduler, dict[tuple[str, PodClass], str]()
        self.handlers.settle_budgets()
        watch, scheduler.watch = scheduler.watch, None
        try:
            with without_preemption(scheduler):
                for queued, retry_at_s in self.queue.waiting_for_events():
                    key = queued.scheduler_name, queued.pod.cls
                    if key not in node_names:
                        decision = scheduler.decide(queued.pod, queued.scheduler_name)
                        node_names[key] = decision.node_name
                    if node_name := node_names[key]:
                        yield MissedWakeup(queued.pod, node_name, retry_at_s)
        finally:
            scheduler.watch = watch

    @property
    def is_at_rest(self) -> bool:
        under_way = any(True for _ in self.bindings) or len(self.preemptions)
        return not under_way and self.context.dispatcher.is_idle()

    def _shown(self, change: Change) -> Iterable[Change]:
        if change.kind == "Pod":
            if self._guard is not None:
                change = self._guard.shown(change, self.context.now_s)
            if self.gangs is not None:
                change = self.gangs.shown(change)
        elif self.gangs is not None and change.kind in self.gangs.kinds:
            return self.gangs.follow(change)
        return (change,)

    def _may_decide(self) -> bool:
        is_held_up = self._is_held or self.preemptions.holds_scheduling_up
        return self.is_synced and not is_held_up

    def _wake(self) -> None:
        now_s = self.context.now_s
        self.bindings.wake()
        self.context.dispatcher.wake(now_s)
        self.preemptions.wake()
        self.queue.activate(self.livelocks.take_due(now_s), now_s)
        if self.gangs is not None:
            self.gangs.wake()
        if self._guard is not None:
            # Pods may go again where they were kept from; those that are being bound stay as seen.
            for change in self._guard.released(now_s):
                if uid(change.obj) not in self.bindings:
                    self.handlers.handle(change if self.gangs is None else self.gangs.shown(change))
        if not self._may_decide() or now_s < self._rested_s:
            return
        self.queue.flush(now_s)
        queued = self.queue.pop(now_s)
        if queued is None:
            return
        if now_s != self._tried_s:
            self._tried_s = now_s
            self._tries.clear()
        self._tries[queued.uid] += 1
        if self._tries[queued.uid] >= TRIES_AT_ONE_MOMENT_MAX:
            # Otherwise attempts at one time might never end.
            self._rested_s = now_s + REST_S
        try:
            self._scheduling_cycle(queued)
        except Exception as error:
            error.add_note(f"deciding {queued.pod.key}")
            raise

    def _scheduling_cycle(self, queued: QueuedPod) -> None:
        pod = queued.pod
        if is_terminating(pod.obj):
            text = f"skip schedule deleting pod: {pod.key}"
            self.context.record_failed(pod, text, queued.scheduler_name)
            self.queue.done(pod.uid)
            return
        self.handlers.settle_budgets()
        if self.gangs is not None and self.gangs.schedule(queued):
            return
        started_s = self.metrics.stopwatch()
        decision = self.scheduler.decide(pod, queued.scheduler_name)
        decided_s = self.metrics.stopwatch() - started_s
        self.metrics.observe(Metric.ALGORITHM_DURATION, decided_s)
        if decision.node_name:
            if queued.has_overslept:
                self.context.overslept_s[pod.uid] = self.context.now_s - queued.added_at_s
            self.bindings.start(queued, decision.node_name)
            return
        message, found = failure_message(decision, self.scheduler.snapshot), decision.post_filter
        if decision.error:
            failure = Failure(message, is_error=decision.error != NO_NODES)
        elif decision.gate is not None:
            failure = Failure(message, (decision.gate.plugin,), nomination=KEEP)
        else:
            nomination = "" if found is None else found.nominated_node_name
            failure = Failure(
                message,
                sorted(rejecting_plugins(decision)),
                nomination=nomination,
                pending_plugins=pending_plugins(decision),
            )
        result = ERROR if failure.is_error else UNSCHEDULABLE
        self.context.attempted(result, queued.scheduler_name, decided_s)
        if (preemption := decision.preemption) is not None:
            self.metrics.count(Metric.PREEMPTION_ATTEMPTS)
            self.preemptions.held.hold(pod.uid, preemption.held)
        for call in () if found is None else found.calls:
            self.context.dispatcher.put(call)
        if found is not None and found.victims:
            self._make_room(queued, found, failure)
        else:
            handle_scheduling_failure(self.context, queued, failure)

    def _make_room(self, queued: QueuedPod, found: PostFilterResult, failure: Failure) -> None:
        pod, node_name, guard = queued.pod, found.nominated_node_name or "", self.livelocks
        fresh = [victim for victim in found.victims if not victim.cls.terminating]
        if fresh and not guard.holds(pod.uid):
            livelock = guard.detect(pod, node_name, fresh, self.context.now_s)
            if livelock is not None:
                profile = queued.scheduler_name
                self.metrics.count(Metric.LIVELOCKS, profile)
                self.context.record(
                    pod, profile, "PreemptionLivelock", "Preempting", livelock.note, kind="Warning"
                )
        if fresh and guard.holds(pod.uid):
            handle_scheduling_failure(self.context, queued, replace(failure, nomination=""))
            return
        if fresh:
            snapshot = self.scheduler.snapshot
            guard.made_room(pod, node_name, snapshot.pods_on[snapshot.row_of[node_name]])
        self.preemptions.start(queued, found, failure)
