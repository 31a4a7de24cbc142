"""Binding cycles: from a decision to a bound pod, while other pods are scheduled.

The pod's room is taken in the snapshot at once; the stages that follow are those of kube-scheduler
v1.36: Reserve and Permit in the scheduling cycle, then waiting for permission, PreBind with its API
calls, the binding, PostBind. A failure gives the room back, and the pod is tried again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from podium.control.effects import Effect
from podium.control.events import Outcome
from podium.controllers.scheduler.event_texts import scheduled
from podium.controllers.scheduler.outbox import Outbox
from podium.controllers.scheduler.pod_calls import PodCalls
from podium.core.binding import BindingCycle
from podium.core.pipeline import Pipeline
from podium.core.pods import PodInfo
from podium.core.queue import QueuedPod, SchedulingQueue
from podium.core.status import SUCCESS, Code, Status
from podium.core.timing import Timing
from podium.scheduler import Scheduler


@dataclass(frozen=True, slots=True)
class PreBindCall:
    """The purpose of one of PreBind's calls.

    Attributes:
        uid: of the pod that is being bound.
        number: of the call.
    """

    uid: str
    number: int


class Stage(StrEnum):
    """Where a binding cycle stands."""

    PERMIT = "waiting on permit"
    CALLS = "making PreBind's calls"
    PRE_BIND = "waiting for PreBind"
    BIND = "binding"


@dataclass(slots=True)
class BindingTask:
    """One binding cycle.

    Attributes:
        queued: the pod, as it left the queue.
        pod: the pod that was decided.
        assumed: the same in the snapshot.
        node_name: where it goes.
        started_at_s: when its scheduling cycle began.
        pipeline: of the profile that decided.
        cycle: of the same profile.
        stage: where it stands.
        calls: PreBind's calls that are under way.
        deadline_s: when PreBind gives up.
        holds_room: whether the snapshot still has the assumed pod on the binding's account.
        seen_on: the node that the pod was seen on; empty if on none yet.
    """

    queued: QueuedPod
    pod: PodInfo
    assumed: PodInfo
    node_name: str
    started_at_s: float
    pipeline: Pipeline
    cycle: BindingCycle
    stage: Stage = Stage.PERMIT
    calls: dict[int, Effect] = field(default_factory=dict)
    deadline_s: float = 0.0
    holds_room: bool = True
    seen_on: str = ""

    @property
    def scheduler_name(self) -> str:
        """The profile that decided."""
        return self.queued.scheduler_name


Failed = Callable[[BindingTask, Status, float], None]
Bound = Callable[[BindingTask, float], None]
Assumed = Callable[[PodInfo], None]
Released = Callable[[PodInfo, str, float], None]


class Bindings:
    """The binding cycles under way, by the pod's uid.

    Args:
        scheduler: snapshot, pipelines and binding cycles.
        queue: told when a pod can't become unschedulable any more.
        calls: makes the bindings.
        outbox: for PreBind's calls, and events.
        assumed: told of each pod for which room has been taken.
        released: gives the room of a pod back.
        bound: told of each success.
        failed: told of each failure.
        nominate: whether pods whose binding takes long are nominated to their node.
        timing: measures extension points.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        queue: SchedulingQueue,
        calls: PodCalls,
        outbox: Outbox,
        *,
        assumed: Assumed,
        released: Released,
        bound: Bound,
        failed: Failed,
        nominate: bool,
        timing: Timing,
    ) -> None:
        self._scheduler = scheduler
        self._queue = queue
        self._calls = calls
        self._outbox = outbox
        self._assumed = assumed
        self._released = released
        self._bound = bound
        self._failed = failed
        self._nominate = nominate
        self._timing = timing
        self._tasks: dict[str, BindingTask] = {}
        self._polled: dict[str, BindingTask] = {}
        self._count = 0

    def __contains__(self, uid: str) -> bool:
        return uid in self._tasks

    def __iter__(self) -> Iterator[BindingTask]:
        return iter(self._tasks.values())

    def of(self, uid: str) -> BindingTask | None:
        """The binding cycle of a pod."""
        return self._tasks.get(uid)

    def start(self, queued: QueuedPod, node_name: str, now_s: float) -> BindingTask:
        """Take the room, and go as far as possible."""
        pod = queued.pod
        assumed = self._scheduler.bind(pod, node_name)
        profile = queued.scheduler_name
        pipeline, cycle = self._scheduler.pipelines[profile], self._scheduler.binding[profile]
        task = BindingTask(queued, pod, assumed, node_name, now_s, pipeline, cycle)
        self._tasks[pod.uid] = task
        self._assumed(assumed)
        status = self._timed("Reserve", task, lambda: cycle.reserve(pod, node_name))
        if status.is_success and task.pipeline.permit:
            status = self._timed("Permit", task, lambda: cycle.permit(pod, node_name, now_s))
        if status.code is Code.WAIT:
            self._expect(task, now_s)
        elif status.is_success:
            self._permitted(task, now_s)
        else:
            self._fail(task, status, now_s)
        return task

    def allow(self, uid: str, plugin: str, now_s: float) -> None:
        """A plugin lets a waiting pod go.

        Raises:
            KeyError: no pod of that uid is waiting.
        """
        task = self._tasks[uid]
        if task.cycle.allow(uid, plugin):
            self._permitted(task, now_s)

    def reject(self, uid: str, plugin: str, reason: str, now_s: float) -> bool:
        """Turn a pod down that waits on Permit; whether it was waiting."""
        task = self._tasks.get(uid)
        if task is None or uid not in task.cycle.waiting:
            return False
        self._fail(task, task.cycle.reject(uid, plugin, reason), now_s)
        return True

    def outcome(self, purpose: PreBindCall, outcome: Outcome, now_s: float) -> None:
        """Take in what became of one of PreBind's calls."""
        task = self._tasks.get(purpose.uid)
        if task is None or task.calls.pop(purpose.number, None) is None:
            return
        if outcome.error is not None:
            self._fail(task, Status(Code.ERROR, (outcome.error.message,)), now_s)
        elif not task.calls:
            task.stage = Stage.PRE_BIND
            self._polled[purpose.uid] = task
            self._poll(task, now_s)

    def settled(self, uid: str, outcome: Outcome, now_s: float) -> None:
        """Take in what became of the binding itself."""
        task = self._tasks.get(uid)
        if task is None:
            return
        if outcome.error is not None:
            reason = f'running Bind plugin "DefaultBinder": {outcome.error.message}'
            self._fail(task, Status(Code.ERROR, (reason,)), now_s)
            return
        self._succeed(task, now_s)

    def seen_bound(self, uid: str, node_name: str, now_s: float) -> None:
        """The pod has been seen on a node: the snapshot has it on its own account."""
        task = self._tasks.get(uid)
        if task is None:
            return
        task.holds_room = False
        task.seen_on = node_name
        self.recheck_uncertain(uid, now_s)

    def recheck_uncertain(self, uid: str, now_s: float) -> None:
        """Nobody knows what became of the binding, unless the pod has been seen on a node."""
        task = self._tasks.get(uid)
        if task is None or not task.seen_on or not self._calls.drop_uncertain_binding(uid):
            return
        if task.seen_on == task.node_name:
            self._succeed(task, now_s)
        else:
            reason = f'pod was bound to node "{task.seen_on}" by another scheduler'
            self._fail(task, Status(Code.ERROR, (reason,)), now_s)

    def _succeed(self, task: BindingTask, now_s: float) -> None:
        del self._tasks[task.pod.uid]
        self._outbox.put(scheduled(task.pod, task.node_name, task.scheduler_name))
        if task.pipeline.post_bind:
            self._timed("PostBind", task, lambda: self._post_bind(task))
        self._bound(task, now_s)

    def pod_gone(self, uid: str, now_s: float) -> None:
        """The pod is being deleted, or gone.

        One that waits on Permit is rejected. The calls of another can't be called back and will
        fail, but its room is free.
        """
        task = self._tasks.get(uid)
        if task is not None and not self.reject(uid, "", "pod is deleted", now_s):
            self._release(task, now_s)

    def recheck(self, now_s: float) -> None:
        """Something has changed that PreBind may be waiting for."""
        for task in list(self._polled.values()):
            self._poll(task, now_s)

    def wake(self, now_s: float) -> None:
        """Turn down who has waited too long."""
        for name, cycle in self._scheduler.binding.items():
            for waiting, status in cycle.expire(now_s) if cycle.waiting else ():
                self._fail(self._tasks[waiting.pod.uid], status.by(status.plugin or name), now_s)
        self.recheck(now_s)

    def next_wakeup_s(self) -> float | None:
        """When the first of them gives up."""
        times = [task.deadline_s for task in self._polled.values()] if self._polled else []
        for cycle in self._scheduler.binding.values():
            if cycle.waiting:
                times += (min(one.deadlines_s.values()) for one in cycle.waiting.values())
        return min(times) if times else None

    def _permitted(self, task: BindingTask, now_s: float) -> None:
        # From here on the pod can't become unschedulable any more: events needn't be kept for it.
        self._queue.done(task.pod.uid)
        effects: list[Effect] = []
        for plugin in task.pipeline.pre_bind_calls:
            effects += plugin.pre_bind_calls(task.pod, task.node_name)
        if not effects:
            self._finish_pre_bind(task, now_s)
            return
        task.stage = Stage.CALLS
        task.deadline_s = now_s + max(
            plugin.bind_timeout_seconds for plugin in task.pipeline.pre_bind_calls
        )
        self._expect(task, now_s)
        for effect in effects:
            self._count += 1
            sent = effect.with_purpose(PreBindCall(task.pod.uid, self._count))
            task.calls[self._count] = sent
            self._outbox.put(sent)

    def _poll(self, task: BindingTask, now_s: float) -> None:
        status = SUCCESS
        for plugin in task.pipeline.pre_bind_calls:
            status = plugin.pre_bind_done(task.pod, task.node_name).by(plugin.name)
            if not status.is_success:
                break
        if status.is_success:
            self._finish_pre_bind(task, now_s)
        elif status.code is not Code.WAIT:
            self._fail(task, status, now_s)
        elif task.deadline_s <= now_s:
            reason = f"binding volumes: context deadline exceeded: {status.message}"
            self._fail(task, Status(Code.ERROR, (reason,), status.plugin), now_s)

    def _finish_pre_bind(self, task: BindingTask, now_s: float) -> None:
        self._polled.pop(task.pod.uid, None)
        cycle, pod, node_name, status = task.cycle, task.pod, task.node_name, SUCCESS
        if task.pipeline.pre_bind:
            self._expect(task, now_s)
            status = self._timed("PreBind", task, lambda: cycle.pre_bind(pod, node_name))
        if status.is_success:
            status = self._timed("Bind", task, lambda: cycle.agree_to_bind(pod, node_name))
        if not status.is_success:
            self._fail(task, status, now_s)
            return
        task.stage = Stage.BIND
        self._calls.bind(task.pod, task.node_name)

    def _expect(self, task: BindingTask, now_s: float) -> None:
        """Tell others where the pod will be, because its binding will take a while."""
        if self._nominate:
            self._calls.set_status(task.pod, now_s, nomination=task.node_name)

    def _fail(self, task: BindingTask, status: Status, now_s: float) -> None:
        del self._tasks[task.pod.uid]
        self._polled.pop(task.pod.uid, None)
        task.cycle.unreserve(task.pod, task.node_name)
        if status.is_rejection:
            # The pod itself must not be brought back by the room that it gives back.
            self._failed(task, status, now_s)
            self._release(task, now_s)
        else:
            self._release(task, now_s)
            self._failed(task, status, now_s)

    def _release(self, task: BindingTask, now_s: float) -> None:
        if task.holds_room:
            task.holds_room = False
            self._released(task.assumed, task.node_name, now_s)

    def _post_bind(self, task: BindingTask) -> Status:
        task.cycle.post_bind(task.pod, task.node_name)
        return SUCCESS

    def _timed(self, point: str, task: BindingTask, work: Callable[[], Status]) -> Status:
        return self._timing.measure(point, task.scheduler_name, work, lambda status: status.code)
