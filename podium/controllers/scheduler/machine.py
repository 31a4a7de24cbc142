"""The scheduler as a machine: events in, effects out, one decision per wake-up."""

from collections import deque
from collections.abc import Mapping, Sequence
from random import Random

from podium.api.meta import uid
from podium.config.options import SchedulerOptions
from podium.config.types import SchedulerConfiguration
from podium.control.effects import Effect
from podium.control.events import Change, Event, Outcome, Synced, Woken
from podium.controllers.scheduler.binding import Bindings, BindingTask, PreBindCall
from podium.controllers.scheduler.cycling import Cycling
from podium.controllers.scheduler.eviction_guard import EvictionGuard
from podium.controllers.scheduler.failures import Failure, Failures
from podium.controllers.scheduler.following import KINDS, Following
from podium.controllers.scheduler.metrics import (
    ERROR,
    SCHEDULED,
    UNSCHEDULABLE,
    SchedulerMetrics,
)
from podium.controllers.scheduler.options import DEFAULT_FEATURES, Features
from podium.controllers.scheduler.outbox import Outbox
from podium.controllers.scheduler.pod_calls import PodCall, PodCalls
from podium.controllers.scheduler.preempting import Preemptions, VictimCall
from podium.controllers.scheduler.preemption_start import PreemptionStart
from podium.core.pods import PodInfo
from podium.core.preemption.record import PreemptionRecord
from podium.core.queue import QueueProfile, SchedulingQueue
from podium.core.status import Status
from podium.core.timing import Timing
from podium.plugins.default_preemption import DefaultPreemption
from podium.scheduler import Scheduler

HISTORY_MAX = 10_000


class SchedulerMachine:
    """Schedules the pods of its profiles; follows `podium.control.machine.Machine`.

    Attributes:
        name: of the first profile.
        kinds: what it looks at.
        scheduler: snapshot and cycle.
        queue: the pods that wait.
        following: what it knows of the cluster.
        bindings: binding cycles under way.
        preemptions: preemptions under way.
        calls: what is being written about pods.
        history: the last preemptions, the oldest first.
        metrics: by kube-scheduler's names.
    """

    kinds = KINDS

    def __init__(
        self,
        configuration: SchedulerConfiguration | None = None,
        options: SchedulerOptions | None = None,
        *,
        features: Features = DEFAULT_FEATURES,
        rng: Random | None = None,
        metrics: SchedulerMetrics | None = None,
        decision_s: float = 0.0,
    ) -> None:
        """Make a scheduler that knows of nothing yet.

        Args:
            configuration: profiles, plugins and backoffs; v1.36's default one unless given.
            options: Podium's own options.
            features: feature gates.
            rng: for what a configuration limits to random candidates.
            metrics: where to count; a registry of its own unless given.
            decision_s: how long a decision takes; the next one comes no sooner.
        """
        self.scheduler = Scheduler(configuration, options, rng=rng)
        self.name = next(iter(self.scheduler.pipelines))
        self.metrics = metrics or SchedulerMetrics()
        self.history: deque[PreemptionRecord] = deque(maxlen=HISTORY_MAX)
        self.queue = _queue(self.scheduler, configuration, features)
        self._features = features
        self._synced = False
        self._now_s = 0.0
        self._decision_s = decision_s
        self._free_s = 0.0
        self._outbox = Outbox()
        self.calls = PodCalls(self._outbox)
        self.following = Following(
            self.scheduler, self.queue, self.calls, self.scheduler.pipelines.keys()
        )
        guard_s = options.eviction_guard_s if options else 0.0
        self._guard = EvictionGuard(guard_s) if guard_s else None
        self._failures = Failures(
            self.queue, self.scheduler.nominator, self.calls, self._outbox, self.following.pending
        )
        timing = Timing(self.metrics.stopwatch, self.metrics.ran)
        self.bindings = self._make_bindings(timing)
        self._preemption_start = self._make_preemption_start()
        self.preemptions = self._preemption_start.preemptions
        self._cycling = Cycling(
            self.scheduler,
            self.queue,
            self.following,
            self.bindings,
            self._preemption_start,
            self._failures,
            self._outbox,
            self.metrics,
        )
        self.scheduler.measure(timing)
        self.metrics.watch_queue(self.queue.counts, self.queue.incoming)

    def _make_bindings(self, timing: Timing) -> Bindings:
        return Bindings(
            self.scheduler,
            self.queue,
            self.calls,
            self._outbox,
            assumed=self.following.assumed,
            released=self.following.released,
            bound=self._bound,
            failed=self._binding_failed,
            nominate=self._features.nominated_node_name_for_expectation,
            timing=timing,
        )

    def _make_preemption_start(self) -> PreemptionStart:
        return PreemptionStart(
            self.scheduler,
            self.queue,
            self.calls,
            self._failures,
            self.metrics,
            self._features,
            self.history.append,
            Preemptions(
                self._outbox, self._find_pod, self._reject_waiting, self.scheduler.preempting
            ),
        )

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        """Take an event in; decide one pod when woken."""
        self._now_s = now_s
        if isinstance(event, Change):
            self._follow(event, now_s)
        elif isinstance(event, Outcome):
            self._outcome(event, now_s)
        elif isinstance(event, Synced):
            self._synced = True
            self.following.start(now_s)
        elif isinstance(event, Woken):
            self._wake(now_s)
        return self._outbox.take()

    def _follow(self, change: Change, now_s: float) -> None:
        if self._guard is not None and change.kind == "Pod":
            change = self._guard.shown(change, now_s)
        self.preemptions.changed(change)
        self.following.follow(change, self.bindings, now_s)

    def _release(self, guard: EvictionGuard, now_s: float) -> None:
        """Have pods decided anew that may go where they were kept from; not if they are bound."""
        for change in guard.released(now_s):
            pod = change.new if change.new is not None else change.old
            if pod is not None and uid(pod) not in self.bindings:
                self.following.follow(change, self.bindings, now_s)

    def next_wakeup_s(self) -> float | None:
        """At once while pods can be decided; otherwise when the first thing falls due."""
        decision_s = self._next_decision_s() if self._may_decide() else None
        if decision_s == self._now_s:
            return decision_s
        times = (
            decision_s,
            self.bindings.next_wakeup_s(),
            self.calls.next_wakeup_s(),
            self._preemption_start.next_wakeup_s(),
            None if self._guard is None else self._guard.next_wakeup_s(),
        )
        return min([time_s for time_s in times if time_s is not None], default=None)

    def _next_decision_s(self) -> float | None:
        """When a pod can be decided, or the queue has to let pods in."""
        next_s = self._now_s if self.queue.has_next() else self.queue.next_wakeup_s()
        return next_s if next_s is None else max(next_s, self._free_s)

    @property
    def is_synced(self) -> bool:
        """Whether it knows all that there was when it started."""
        return self._synced

    def allow(self, uid: str, plugin: str) -> None:
        """A Permit plugin lets a waiting pod go.

        Raises:
            KeyError: no pod of that uid is waiting.
        """
        self.bindings.allow(uid, plugin, self._now_s)

    def reject(self, uid: str, plugin: str, reason: str) -> bool:
        """A Permit plugin turns a waiting pod down; whether it was waiting."""
        return self.bindings.reject(uid, plugin, reason, self._now_s)

    def _may_decide(self) -> bool:
        return self._synced and self._preemption_start.holding is None

    def _wake(self, now_s: float) -> None:
        self.bindings.wake(now_s)
        self.calls.wake(now_s)
        self._preemption_start.wake(now_s)
        if self._guard is not None:
            self._release(self._guard, now_s)
        if self._may_decide() and now_s >= self._free_s:
            self._free_s = now_s + self._decision_s
            self.queue.flush(now_s)
            self._cycling.run_one(now_s)

    def _outcome(self, outcome: Outcome, now_s: float) -> None:
        match outcome.effect.purpose:
            case PodCall() as purpose:
                if self.calls.outcome(purpose, outcome, now_s):
                    self.bindings.settled(purpose.uid, outcome, now_s)
                else:
                    self.bindings.recheck_uncertain(purpose.uid, now_s)
            case VictimCall() as purpose:
                self.preemptions.outcome(purpose, outcome, now_s)
            case PreBindCall() as purpose:
                self.bindings.outcome(purpose, outcome, now_s)

    def _bound(self, task: BindingTask, now_s: float) -> None:
        queued = task.queued
        self.metrics.attempted(SCHEDULED, task.scheduler_name, now_s - task.started_at_s)
        first_s = queued.initial_attempt_s
        self.metrics.bound(queued.attempts, now_s - (now_s if first_s is None else first_s))

    def _binding_failed(self, task: BindingTask, status: Status, now_s: float) -> None:
        message, plugins = status.message, frozenset[str]()
        if status.is_rejection:
            message = f"0/1 nodes are available: 1 {message}."
            plugins = frozenset({status.plugin})
        result = UNSCHEDULABLE if status.is_rejection else ERROR
        self.metrics.attempted(result, task.scheduler_name, now_s - task.started_at_s)
        failure = Failure(message, plugins=plugins, is_error=not status.is_rejection)
        self._failures.handle(task.queued, failure, now_s)

    def _find_pod(self, uid: str) -> PodInfo | None:
        return self.following.placed.get(uid)

    def _reject_waiting(self, uid: str, now_s: float) -> bool:
        return self.bindings.reject(uid, DefaultPreemption.name, "preempted", now_s)


def _queue(
    scheduler: Scheduler, configuration: SchedulerConfiguration | None, features: Features
) -> SchedulingQueue:
    backoffs: Mapping[str, float] = (
        {
            "initial_backoff_s": configuration.pod_initial_backoff_seconds,
            "max_backoff_s": configuration.pod_max_backoff_seconds,
        }
        if configuration is not None
        else {}
    )
    profiles = {name: QueueProfile.of(pipeline) for name, pipeline in scheduler.pipelines.items()}
    return SchedulingQueue(
        profiles, pop_from_backoff=features.scheduler_pop_from_backoff_q, **backoffs
    )
