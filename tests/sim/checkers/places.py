"""Every pending pod is in exactly one place, and no other pod is in any."""

from podium.api.pods import is_finished, node_name_of, scheduler_name_of
from podium.machines.events import Event
from podium.scheduler.machine.binding_cycle import Stage
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.queue import QueueName
from tests.sim.checkers.checker import Checker

_WAITING = {QueueName.ACTIVE, QueueName.BACKOFF, QueueName.UNSCHEDULABLE, QueueName.GATED}


class Places(Checker):
    """Compares the queue and the bindings with the pods that the scheduler was told of."""

    def stepped(self, who: str, scheduler: SchedulerMachine, event: Event) -> None:
        told = self.world.told[who]
        queue, bindings = scheduler.queue, scheduler.bindings
        waiting = {queued.uid for queued in queue if queued.place in _WAITING}
        in_flight = {queued.uid for queued in queue if queued.place is QueueName.IN_FLIGHT}
        on_permit = {task.pod.uid for task in bindings if task.stage is Stage.PERMIT}
        binding = {task.pod.uid for task in bindings} - on_permit
        pending = {
            uid
            for uid, pod in told.pods.items()
            if not node_name_of(pod) and not is_finished(pod) and scheduler_name_of(pod) == who
        }
        assert len(queue) == len(waiting) + len(in_flight)
        assert not (waiting | in_flight) & binding, (waiting, in_flight, binding)
        assert not waiting & on_permit
        bound = {uid for uid in pending if uid in scheduler.context.placed} - binding
        places = waiting | in_flight | binding | on_permit | bound
        assert places >= pending, f"nowhere: {pending - places}"
        assert waiting | in_flight <= pending, f"gone: {(waiting | in_flight) - pending}"
