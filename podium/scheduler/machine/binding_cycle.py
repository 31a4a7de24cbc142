"""Binding cycles: from a decision to a bound pod, while other pods are scheduled.

The pod is assumed at once. The stages are those of kube-scheduler v1.36: Reserve and Permit in the
scheduling cycle, then waiting for permission, PreBind with its API calls, the binding, PostBind. If
its cycle fails, the pod is retried. Before its binding is sent, a pod is preempted without a call.
"""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from itertools import chain

import msgspec

from podium.api.devices.resource_claims import allocated_devices, allocation_of
from podium.api.objects import Object
from podium.machines.effects import Create, Effect
from podium.machines.events import Outcome
from podium.machines.reconciler.work_queue import DelayedKeys
from podium.scheduler.devices.allocated_devices import CLAIM
from podium.scheduler.devices.freed_devices import PLUGIN as DEVICES
from podium.scheduler.devices.freed_devices import known_claims
from podium.scheduler.devices.pod_devices import binding_progress
from podium.scheduler.framework.cycle.binding import BindingCycle, failure_of
from podium.scheduler.framework.cycle.scheduling_cycle import Timing
from podium.scheduler.framework.interface import PreBindProgress, PreBindStagesPlugin
from podium.scheduler.framework.pipeline import Pipeline
from podium.scheduler.framework.status import SUCCESS, Code, Status, unschedulable
from podium.scheduler.machine.context import (
    ERROR,
    SCHEDULED,
    UNSCHEDULABLE,
    Failure,
    SchedulerContext,
    handle_scheduling_failure,
)
from podium.scheduler.metrics import Metric
from podium.scheduler.queue.queued_pod import QueuedPod
from podium.scheduler.snapshot.pod_info import PodInfo


class PreBindCall(msgspec.Struct, frozen=True):
    """The purpose of an API call of a PreBind plugin."""

    uid: str
    number: int
    plugin: str


class Stage(StrEnum):
    """The stage of a binding cycle."""

    PERMIT = "waiting on permit"
    CALLS = "making PreBind's calls"
    PRE_BIND = "waiting for PreBind"
    BIND = "binding"


class BindingTask(msgspec.Struct):
    """The binding cycle of one pod, from its decision on."""

    queued: QueuedPod
    pod: PodInfo
    assumed: PodInfo
    node_name: str
    started_at_s: float
    pipeline: Pipeline
    cycle: BindingCycle
    stage: Stage = Stage.PERMIT
    calls: dict[int, Effect] = msgspec.field(default_factory=dict)
    written: dict[int, Object] = msgspec.field(default_factory=dict)
    callers: list[str] = msgspec.field(default_factory=list)
    """The plugins that have something to do in PreBind."""
    told: set[str] = msgspec.field(default_factory=set)
    """The plugins that an Event has said the pod waits for."""
    pre_bind_plugin: str = ""
    pre_bind_since_s: float = 0.0
    """When all calls of PreBind had succeeded, in seconds since the epoch."""
    deadline_s: float = 0.0
    """When waiting for PreBind ends, in seconds since the epoch."""
    is_assumed: bool = True
    """Whether the snapshot has the pod although no watch has shown it on a node."""
    seen_on: str = ""
    """Name of the node that a watch showed the pod on; empty if none yet."""

    @property
    def objects(self) -> list[Object]:
        """The objects that PreBind's calls have returned, in the order of the calls."""
        return [obj for _, obj in sorted(self.written.items())]


class BindingCycles:
    """The binding cycles in progress, by the pod's uid."""

    def __init__(self, context: SchedulerContext, timing: Timing) -> None:
        self._context = context
        self._timing = timing
        self._tasks: dict[str, BindingTask] = {}
        self._waiting = context.scheduler.handle.waiting
        self._polled = DelayedKeys[str]()
        # Failed cycles whose calls haven't all been answered.
        self._unanswered: dict[str, BindingTask] = {}
        self._count = 0

    def __contains__(self, uid: str) -> bool:
        return uid in self._tasks

    def __iter__(self) -> Iterator[BindingTask]:
        return iter(self._tasks.values())

    def start(self, queued: QueuedPod, node_name: str) -> None:
        scheduler, pod, now_s = self._context.scheduler, queued.pod, self._context.now_s
        assumed = self._context.assume(pod, node_name)
        profile = queued.scheduler_name
        pipeline, cycle = scheduler.pipelines[profile], scheduler.binding[profile]
        task = BindingTask(queued, pod, assumed, node_name, now_s, pipeline, cycle)
        self._tasks[pod.uid] = task
        self._unanswered.pop(pod.uid, None)
        status = self._timed("Reserve", task, lambda: cycle.reserve(pod, node_name))
        if status.is_success and pipeline.permit:
            permit = self._timing.measure(
                "Permit", profile, lambda: cycle.permit(pod, node_name), lambda one: one.status.code
            )
            status = permit.status
            if permit.waits_s:
                settle = partial(self._settle, task)
                self._waiting.add(pod, node_name, permit.waits_s, now_s, settle)
                self._expect(task)
                return
        self._settle(task, status)

    def _settle(self, task: BindingTask, status: Status) -> None:
        if self._tasks.get(task.pod.uid) is not task:
            return
        if status.is_success:
            self._permitted(task)
        else:
            self._fail(task, status)

    def outcome(self, purpose: PreBindCall, outcome: Outcome) -> None:
        task = self._tasks.get(purpose.uid) or self._unanswered.get(purpose.uid)
        sent = None if task is None else task.calls.pop(purpose.number, None)
        if task is None or sent is None:
            return
        if isinstance(sent, Create) and sent.kind == CLAIM:
            status = "success" if outcome.error is None else "failure"
            self._context.metrics.count(Metric.RESOURCE_CLAIM_CREATES, status)
        if purpose.uid in self._unanswered:
            if outcome.obj is not None:
                self._undo(task, [outcome.obj])
            if not task.calls:
                del self._unanswered[purpose.uid]
            return
        if outcome.error is not None:
            self._fail(task, _error("PreBind", purpose.plugin, outcome.error.message))
            return
        if outcome.obj is not None:
            task.written[purpose.number] = outcome.obj
        if task.calls:
            return
        more = [
            (plugin.name, effect)
            for plugin in _staged(task.pipeline)
            for effect in plugin.further_calls(task.pod, task.node_name, task.objects)
        ]
        if more:
            self._send(task, more)
        else:
            self._called(task)

    def settled(self, uid: str, outcome: Outcome) -> None:
        task = self._tasks.get(uid)
        if task is None:
            return
        if outcome.error is not None:
            self._fail(task, _error("Bind", "DefaultBinder", outcome.error.message))
            return
        self._succeed(task)

    def seen_bound(self, uid: str, node_name: str) -> None:
        """Record that a watch shows a pod on a node, so that the pod is no longer only assumed."""
        task = self._tasks.get(uid)
        if task is None:
            return
        task.is_assumed = False
        task.seen_on = node_name
        self.recheck_uncertain(uid)

    def recheck_uncertain(self, uid: str) -> None:
        """End a binding cycle whose outcome is unknown if a watch has shown the pod on a node."""
        task = self._tasks.get(uid)
        if task is None or not task.seen_on:
            return
        if not self._context.dispatcher.drop_uncertain_binding(uid):
            return
        if task.seen_on == task.node_name:
            self._succeed(task)
        else:
            reason = f'pod was bound to node "{task.seen_on}" by another scheduler'
            self._fail(task, Status(Code.ERROR, (reason,)))

    def preempt(self, uid: str, plugin: str) -> bool:
        """End the binding cycle of a victim; return False if the victim has to be deleted."""
        task = self._tasks.get(uid)
        if task is None or task.stage is Stage.BIND or self._keeps_devices(task):
            return False
        if task.stage is Stage.PERMIT:
            status = Status(Code.ERROR, ("waiting on permit for pod: preempted",), plugin)
        else:
            status = _error("PreBind", task.pre_bind_plugin, f"preempted by {plugin}")
        self._fail(task, status)
        return True

    def _keeps_devices(self, task: BindingTask) -> bool:
        # Allocations that have been written stay until their pod is gone.
        options = self._context.scheduler.handle.options
        return options.device_preemption and DEVICES in task.callers

    def is_assumed(self, uid: str) -> bool:
        task = self._tasks.get(uid)
        return task is not None and task.is_assumed

    def pod_gone(self, uid: str) -> None:
        """Handle the deletion of a pod, or its beginning.

        A pod that waits on Permit is rejected, and PreBind fails at its next poll. A binding that
        was sent will be refused, but the pod's resources are released at once.
        """
        task = self._tasks.get(uid)
        if task is not None and task.stage is Stage.PERMIT:
            self._fail(task, unschedulable("removed"))
        elif task is not None and task.stage is Stage.BIND:
            self._release(task)

    def wake(self) -> None:
        now_s = self._context.now_s
        self._waiting.expire(now_s)
        self._waiting.settle()
        for uid in [*self._polled.take_due(now_s)]:
            self._poll(self._tasks[uid])

    def next_wakeup_s(self) -> float | None:
        times = [self._polled.next_s()] if self._polled else []
        if (deadline_s := self._waiting.next_deadline_s()) is not None:
            times.append(deadline_s)
        return min(times) if times else None

    def _permitted(self, task: BindingTask) -> None:
        # From here on the pod can't become unschedulable any more: events needn't be kept for it.
        self._context.queue.done(task.pod.uid)
        calls = {
            plugin.name: plugin.pre_bind_calls(task.pod, task.node_name)
            for plugin in task.pipeline.pre_bind_calls
        }
        task.callers = [plugin for plugin, effects in calls.items() if effects is not None]
        if not task.callers:
            self._finish_pre_bind(task)
            return
        task.stage = Stage.CALLS
        task.pre_bind_plugin = task.callers[0]
        self._expect(task)
        effects = [(plugin, call) for plugin in task.callers for call in calls[plugin] or ()]
        if effects:
            self._send(task, effects)
        else:
            self._called(task)

    def _send(self, task: BindingTask, effects: Sequence[tuple[str, Effect]]) -> None:
        for plugin_name, effect in effects:
            self._count += 1
            sent = effect.with_purpose(PreBindCall(task.pod.uid, self._count, plugin_name))
            task.calls[self._count] = sent
            self._context.dispatcher.put(sent)

    def _called(self, task: BindingTask) -> None:
        task.stage, task.pre_bind_since_s = Stage.PRE_BIND, self._context.now_s
        plugins = [p for p in task.pipeline.pre_bind_calls if p.name in task.callers]
        timeout_s = max(plugin.bind_timeout_seconds for plugin in plugins)
        task.deadline_s = task.pre_bind_since_s + timeout_s
        # Others have to act on the objects first, unless a plugin says otherwise.
        waits_s = [p.poll_s for p in plugins if not isinstance(p, PreBindStagesPlugin)]
        if waits_s:
            self._polled.add(task.pod.uid, self._context.now_s + min(waits_s))
        else:
            self._poll(task)

    def _poll(self, task: BindingTask) -> None:
        now_s = self._context.now_s
        pod_exists = task.pod.uid in self._context.pending or bool(task.seen_on)
        is_late = task.deadline_s <= now_s
        progress = PreBindProgress(task.objects, pod_exists, is_late)
        for plugin in task.pipeline.pre_bind_calls:
            status = plugin.pre_bind_done(task.pod, task.node_name, progress)
            if status.is_success:
                continue
            task.pre_bind_plugin = plugin.name
            if plugin.name == DEVICES and (is_late or status.code is not Code.WAIT):
                self._count_binding_conditions(task, is_bound=False)
            if status.code is not Code.WAIT:
                self._fail(task, failure_of("PreBind", plugin.name, status))
            elif is_late:
                reason = f"{status.message}: context deadline exceeded"
                self._fail(task, _error("PreBind", plugin.name, reason))
            else:
                if plugin.waiting_reason and plugin.name not in task.told:
                    task.told.add(plugin.name)
                    profile, reason = task.queued.scheduler_name, plugin.waiting_reason
                    self._context.record(task.pod, profile, reason, "Scheduling", status.message)
                self._polled.add(task.pod.uid, now_s + plugin.poll_s)
            return
        if DEVICES in task.callers:
            self._count_binding_conditions(task, is_bound=True)
        self._finish_pre_bind(task)

    def _count_binding_conditions(self, task: BindingTask, *, is_bound: bool) -> None:
        context, handle = self._context, self._context.scheduler.handle
        claims = [*known_claims(handle.listers, task.pod)]
        claims += filter(None, [handle.allocated.extended_resources.get(task.pod.uid)])
        devices = chain.from_iterable(allocated_devices(allocation_of(claim)) for claim in claims)
        drivers = {device.driver for device in devices if device.binding_conditions}
        is_faulty = any(binding_progress(claim)[1] for claim in claims)
        status = "success" if is_bound else "failure" if is_faulty else "timeout"
        waited_s = context.now_s - task.pre_bind_since_s
        for driver in sorted(drivers):
            labels = task.queued.scheduler_name, driver, status
            context.metrics.count(Metric.BINDING_CONDITIONS, *labels)
            context.metrics.observe(Metric.BINDING_CONDITIONS_WAIT, waited_s, *labels)

    def _finish_pre_bind(self, task: BindingTask) -> None:
        cycle, pod, node_name, status = task.cycle, task.pod, task.node_name, SUCCESS
        if task.pipeline.pre_bind:
            self._expect(task)
            status = self._timed("PreBind", task, lambda: cycle.pre_bind(pod, node_name))
        if status.is_success:
            status = self._timed("Bind", task, lambda: cycle.agree_to_bind(pod, node_name))
        if not status.is_success:
            self._fail(task, status)
            return
        task.stage = Stage.BIND
        self._context.dispatcher.bind(pod, node_name)

    def _expect(self, task: BindingTask) -> None:
        context = self._context
        if context.features.nominated_node_name_for_expectation:
            context.dispatcher.set_status(task.pod, context.now_s, nomination=task.node_name)

    def _succeed(self, task: BindingTask) -> None:
        del self._tasks[task.pod.uid]
        context, queued = self._context, task.queued
        note = f"Successfully assigned {task.pod.key} to {task.node_name}"
        context.record(task.pod, queued.scheduler_name, "Scheduled", "Binding", note)
        if task.pipeline.post_bind:
            self._timed("PostBind", task, lambda: task.cycle.post_bind(task.pod, task.node_name))
        since_s, first_s = context.now_s - task.started_at_s, queued.initial_attempt_s
        context.attempted(SCHEDULED, queued.scheduler_name, since_s)
        waited_s = 0.0 if first_s is None else context.now_s - first_s
        attempts = "15+" if queued.attempts >= 15 else str(queued.attempts)
        context.metrics.observe(Metric.POD_ATTEMPTS, queued.attempts)
        context.metrics.observe(Metric.POD_SLI_DURATION, waited_s, attempts)

    def _fail(self, task: BindingTask, status: Status) -> None:
        del self._tasks[task.pod.uid]
        self._polled.discard(task.pod.uid)
        self._waiting.remove(task.pod.uid)
        self._undo(task, task.objects)
        if task.calls:
            self._unanswered[task.pod.uid] = task
        task.cycle.unreserve(task.pod, task.node_name)
        context, profile = self._context, task.queued.scheduler_name
        failure, result = Failure(status.message, is_error=True), ERROR
        if status.is_rejection:
            message = f"0/1 nodes are available: 1 {status.message}."
            plugins, result = frozenset({status.plugin}), UNSCHEDULABLE
            pending = plugins if status.code is Code.PENDING else ()
            failure = Failure(message, plugins, pending_plugins=pending)
        else:
            # A rejected pod must not be requeued by the resources that it releases itself.
            self._release(task)
        context.attempted(result, profile, context.now_s - task.started_at_s)
        handle_scheduling_failure(context, task.queued, failure)
        self._release(task)

    def _undo(self, task: BindingTask, written: Sequence[Object]) -> None:
        for plugin in _staged(task.pipeline):
            for call in plugin.undo_calls(task.pod, written):
                self._context.dispatcher.put(call)

    def _release(self, task: BindingTask) -> None:
        if task.is_assumed:
            task.is_assumed = False
            self._context.forget(task.assumed, task.node_name)

    def _timed(self, point: str, task: BindingTask, work: Callable[[], Status]) -> Status:
        profile = task.queued.scheduler_name
        return self._timing.measure(point, profile, work, lambda status: status.code)


def _staged(pipeline: Pipeline) -> Iterator[PreBindStagesPlugin]:
    for plugin in pipeline.pre_bind_calls:
        if isinstance(plugin, PreBindStagesPlugin):
            yield plugin


def _error(point: str, plugin: str, reason: str) -> Status:
    return failure_of(point, plugin, Status(Code.ERROR, (reason,)))
