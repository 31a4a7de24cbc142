"""The executor of preemptions: removes victims while other pods are scheduled.

The steps are those of kube-scheduler v1.36 (executor.go of its preemption framework). Each victim
gets the condition DisruptionTarget and is then deleted: first all but the last victim at once, then
the last one. Until the last victim is seen to terminate, the preemptor is in
`Scheduler.preempting`, so that PreEnqueue keeps it out of the active queue and it can't miss the
event of the removal. A victim that is already gone counts as removed. After any other failure the
preemptor is retried, and keeps its nomination until its next cycle. A victim that waits on Permit
or in PreBind is requeued without a call.

There are two differences to kube-scheduler. A victim of several preemptions is removed once for all
of them. And kube-scheduler requeues the preemptor when the last call is answered, even if no watch
has shown the removal yet, so that it may choose further victims.
"""

import math
from collections import Counter, deque
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from podium.api.objects import condition_of, is_terminating, uid
from podium.api.pods import is_finished, node_name_of
from podium.api.policy.disruption_target import (
    BY_SCHEDULER,
    DISRUPTION_TARGET,
    disruption_condition,
)
from podium.api.values.message_words import count
from podium.machines.effects import Delete, Effect, deletion_of, status_patch_of
from podium.machines.events import CallError, Change, Outcome
from podium.machines.machine import NEVER_S
from podium.machines.reconciler.work_queue import Backoff, DelayedKeys
from podium.scheduler.framework.interface import Held, PostFilterResult
from podium.scheduler.machine.api_dispatcher import patched_conditions
from podium.scheduler.machine.binding_cycle import BindingCycles
from podium.scheduler.machine.context import (
    KEEP,
    Failure,
    SchedulerContext,
    handle_scheduling_failure,
)
from podium.scheduler.metrics import Metric
from podium.scheduler.preemption.record import EVENT_REASON, PreemptionRecord, record_of
from podium.scheduler.queue.queued_pod import QueuedPod, QueueName
from podium.scheduler.queue.scheduling_queue import SchedulingQueue
from podium.scheduler.snapshot.pod_info import PodInfo

HISTORY_MAX = 10_000
# The first retry is at once; in kube-scheduler, all are.
_BACKOFF = Backoff(first_s=1.0, max_s=10.0)


class VictimCall(msgspec.Struct, frozen=True):
    """The purpose of an API call about a victim; `is_last` if all others have been removed."""

    preemptor_uid: str
    victim_uid: str
    is_last: bool = False


class PreemptionTask(msgspec.Struct):
    """A preemption whose victims are being removed."""

    preemptor: PodInfo
    record: PreemptionRecord
    plugin: str
    last: PodInfo
    """The victim that is removed after the others."""
    removing: set[str] = msgspec.field(default_factory=set)
    """Uids of the victims that are being removed."""
    last_begun: bool = False
    """Whether the removal of `last` has begun."""
    last_deleted: bool = False
    """Whether the API has deleted `last`, even if no watch has shown that yet."""
    error: CallError | None = None
    is_needless: bool = False
    """Whether the preemptor is gone or on a node; kube-scheduler continues then."""

    @property
    def goes_on(self) -> bool:
        return self.error is None and not self.is_needless


class Removal(msgspec.Struct):
    """The removal of one victim for several preemptions, in the name of `caller`."""

    victim: PodInfo
    caller: PreemptionTask
    effect: Effect
    tasks: list[PreemptionTask]


class HeldPreemptions:
    """Retries pods when the reasons that held their preemption back may no longer hold.

    The queue also retries these pods by other events, as any unschedulable pod.
    """

    def __init__(self, queue: SchedulingQueue) -> None:
        self._queue = queue
        self._held: dict[str, Held] = {}

    def hold(self, pod_uid: str, held: Held | None) -> None:
        """Record what holds a pod's preemption back after a decision; None removes the pod."""
        if held is None:
            self._held.pop(pod_uid, None)
        else:
            self._held[pod_uid] = held

    def budget_changed(self, budget: str, now_s: float) -> None:
        """Retry the pods held back by a budget, `namespace/name`, that has changed."""
        self._try(lambda held: budget in held.budgets, now_s)

    def wake(self, now_s: float) -> None:
        self._try(lambda held: held.until_s <= now_s, now_s)

    def next_s(self) -> float:
        return min((held.until_s for held in self._held.values()), default=math.inf)

    def _try(self, is_over: Callable[[Held], bool], now_s: float) -> None:
        uids = [pod_uid for pod_uid, held in self._held.items() if is_over(held)]
        for pod_uid in uids:
            del self._held[pod_uid]
        self._queue.activate(uids, now_s)


class PreemptionExecutor:
    """The preemptions in progress, by the preemptor's uid.

    With SchedulerAsyncPreemption, the preemptor is requeued at once, and PreEnqueue gates it.
    Otherwise no pod is scheduled until the victims are removed.
    """

    def __init__(self, context: SchedulerContext, bindings: BindingCycles) -> None:
        self.history: deque[PreemptionRecord] = deque(maxlen=HISTORY_MAX)
        self.held = HeldPreemptions(context.queue)
        self._context = context
        self._bindings = bindings
        self._tasks: dict[str, PreemptionTask] = {}
        self._removals: dict[str, Removal] = {}
        self._preemptors_of: dict[str, set[str]] = {}
        self._held: tuple[QueuedPod, Failure] | None = None
        self._failures = Counter[str]()
        self._retries = DelayedKeys[str]()

    def __len__(self) -> int:
        return len(self._tasks)

    @property
    def holds_scheduling_up(self) -> bool:
        return self._held is not None

    def start(self, queued: QueuedPod, preemption: PostFilterResult, failure: Failure) -> None:
        context, pod = self._context, queued.pod
        snapshot, profile = context.scheduler.snapshot, queued.scheduler_name
        record = record_of(pod, preemption, snapshot, profile, context.now_s)
        self.history.append(record)
        is_async = context.features.scheduler_async_preemption
        fresh = [victim for victim in preemption.victims if not victim.cls.terminating]
        # If all victims are terminating already, no pod loses its nomination.
        if fresh or not is_async:
            for lower in context.scheduler.nominator.lower_on(pod, record.node_name):
                # Nominations of other schedulers' pods aren't cleared.
                if lower.uid in context.pending:
                    context.clear_nomination(lower)
            context.metrics.observe(Metric.PREEMPTION_VICTIMS, len(preemption.victims))
        context.scheduler.history.preempted(fresh, context.now_s, pod.uid)
        if not is_async:
            self._held = (queued, failure)
        if fresh:
            task = PreemptionTask(pod, record, preemption.status.plugin, fresh[-1])
            self._tasks[pod.uid] = task
            context.scheduler.preempting.add(pod.uid)
            for victim in fresh[:-1]:
                self._begin(task, victim)
            self._proceed(task)
        elif not is_async:
            self._let_go()
        if is_async:
            handle_scheduling_failure(context, queued, failure)

    def is_needless(self, effect: Effect) -> bool:
        """Return whether an effect is a call about a victim that need not be removed any more."""
        purpose = effect.purpose
        if not isinstance(purpose, VictimCall):
            return False
        removal = self._removals.get(purpose.victim_uid)
        return removal is not None and not any(task.goes_on for task in removal.tasks)

    def outcome(self, purpose: VictimCall, outcome: Outcome) -> None:
        removal = self._removals.get(purpose.victim_uid)
        if removal is None or removal.effect is not outcome.effect:
            return
        victim, tasks, error = removal.victim, removal.tasks, outcome.error
        needing = next((task for task in tasks if task.goes_on), None)
        if error is None and not isinstance(outcome.effect, Delete) and needing is not None:
            self._send(removal, needing, deletion_of("Pod", victim.obj))
            return
        del self._removals[victim.uid]
        if error is None:
            if isinstance(outcome.effect, Delete):
                self._tell(removal.caller, victim)
        elif error.reason != "NotFound" and (
            # A conflict may mean that another pod has the victim's name now.
            error.reason != "Conflict" or victim.uid in self._context.placed
        ):
            for task in tasks:
                task.error = error if task.goes_on else task.error
            self._context.scheduler.history.spared(victim)
        is_deleted = error is None and isinstance(outcome.effect, Delete)
        for task in tasks:
            task.last_deleted |= is_deleted and task.last.uid == victim.uid
            task.removing.discard(victim.uid)
            self._proceed(task)

    def pod_changed(self, change: Change) -> None:
        """Ungate preemptors whose last victim terminates; stop a bound or gone pod's preemption."""
        pod = change.new if change.new is not None else change.old
        if pod is None:
            return
        pod_uid = uid(pod)
        task = self._tasks.get(pod_uid)
        if task is None and pod_uid not in self._preemptors_of:
            return
        goes = change.new is None or is_finished(pod) or is_terminating(pod)
        if task is not None and (goes or node_name_of(pod)):
            task.is_needless = True
        if goes and pod_uid in self._preemptors_of:
            self._let_in(pod_uid)

    def wake(self) -> None:
        queue, now_s = self._context.queue, self._context.now_s
        self.held.wake(now_s)
        for preemptor_uid in self._retries.take_due(now_s):
            if preemptor_uid not in queue:
                del self._failures[preemptor_uid]
            queue.activate([preemptor_uid], now_s)

    def next_wakeup_s(self) -> float | None:
        next_s = min(self._retries.next_s(), self.held.next_s())
        return None if next_s == NEVER_S else next_s

    def _proceed(self, task: PreemptionTask) -> None:
        if task.removing:
            return
        if task.goes_on and not task.last_begun:
            task.last_begun, last = True, task.last
            self._preemptors_of.setdefault(last.uid, set()).add(task.preemptor.uid)
            seen = self._context.placed.get(last.uid)
            if seen is None or is_terminating(seen.obj):
                self._let_in(last.uid)
            self._begin(task, last)
        if not task.removing:
            self._finish(task)

    def _let_in(self, last_uid: str) -> None:
        self._context.scheduler.preempting.difference_update(self._preemptors_of.pop(last_uid))

    def _begin(self, task: PreemptionTask, victim: PodInfo) -> None:
        if self._bindings.preempt(victim.uid, task.plugin):
            self._context.scheduler.history.spared(victim)
            self._tell(task, victim, " (in kube-scheduler memory).")
            return
        task.removing.add(victim.uid)
        removal = self._removals.get(victim.uid)
        if removal is not None:
            removal.tasks.append(task)
            return
        seen = self._context.placed.get(victim.uid, victim).obj
        effect: Effect = deletion_of("Pod", victim.obj)
        why = f"{task.record.scheduler_name}: preempting to accommodate a higher priority pod"
        target = disruption_condition(seen, BY_SCHEDULER, why, self._context.now_s)
        if not target.items() <= (condition_of(seen, DISRUPTION_TARGET) or {}).items():
            effect = status_patch_of("Pod", seen, patched_conditions(seen, [target]))
        removal = self._removals[victim.uid] = Removal(victim, task, effect, [task])
        self._send(removal, task, effect)

    def _send(self, removal: Removal, task: PreemptionTask, effect: Effect) -> None:
        purpose = VictimCall(task.preemptor.uid, removal.victim.uid, task.last_begun)
        removal.caller, removal.effect = task, effect.with_purpose(purpose)
        self._context.dispatcher.put(removal.effect)

    def _tell(self, task: PreemptionTask, victim: PodInfo, how: str = "") -> None:
        record = task.record
        if record.devices:
            how = f" for {count(record.devices, 'device')}{how}"
        note = f"Preempted by pod {task.preemptor.uid} on node {record.node_name}{how}"
        profile, annotations = record.scheduler_name, record.annotations()
        self._context.record(
            victim, profile, EVENT_REASON, "Preempting", note, annotations=annotations
        )

    def _finish(self, task: PreemptionTask) -> None:
        context, preemptor_uid, failed = self._context, task.preemptor.uid, task.error is not None
        if self._tasks.get(preemptor_uid) is not task:
            # The pod has been tried again meanwhile, and preempts others.
            return
        del self._tasks[preemptor_uid]
        last_uid, placed = task.last.uid, context.placed
        is_yet_to_be_seen = task.last_deleted and last_uid in placed
        if self._held is not None or not is_yet_to_be_seen:
            context.scheduler.preempting.discard(preemptor_uid)
            waiting = self._preemptors_of.get(last_uid, set())
            waiting.discard(preemptor_uid)
            if not waiting:
                self._preemptors_of.pop(last_uid, None)
        result, duration_s = "error" if failed else "success", context.now_s - task.record.at_s
        context.metrics.observe(Metric.PREEMPTION_DURATION, duration_s, result)
        context.metrics.count(Metric.PREEMPTION_EXECUTIONS, result)
        if not failed:
            del self._failures[preemptor_uid]
            self._retries.discard(preemptor_uid)
        if self._held is not None:
            self._let_go(task.error.message if task.error else "")
        elif failed:
            if context.features.revert_failed_nominations:
                for pod in list(context.scheduler.nominator.on(task.record.node_name)):
                    if pod.uid == preemptor_uid:
                        context.clear_nomination(pod)
            self._try_again(preemptor_uid)
        elif context.queue.place_of(preemptor_uid) is QueueName.GATED and last_uid not in placed:
            # The last victim was gone before its removal began, while the preemptor was gated.
            context.queue.activate([preemptor_uid], context.now_s)

    def _let_go(self, failed_with: str = "") -> None:
        assert self._held is not None
        (queued, failure), self._held = self._held, None
        if failed_with:
            message = f"{failure.message} {failed_with}"
            failure = replace(failure, message=message, nomination=KEEP)
        handle_scheduling_failure(self._context, queued, failure)
        if failed_with:
            self._try_again(queued.pod.uid)

    def _try_again(self, preemptor_uid: str) -> None:
        """Retry a pod after a backoff, since there may be no event that would requeue it."""
        wait_s = _BACKOFF.wait_s(self._failures[preemptor_uid])
        self._failures[preemptor_uid] += 1
        self._retries.discard(preemptor_uid)
        self._retries.add(preemptor_uid, self._context.now_s + wait_s)
        self.wake()
