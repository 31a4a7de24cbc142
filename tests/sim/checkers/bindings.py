"""No node over its allocatable by our own bindings."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from podium.api.pods import is_finished, node_name_of
from podium.api.resources import Amounts, pod_requests, resource_amount
from podium.api.values.quantity import NANOS_PER_UNIT, nanos
from podium.machines.events import Event
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from tests.sim.checkers.checker import Checker
from tests.sim.checkers.told import Object, Told

if TYPE_CHECKING:
    from tests.sim.world import World


class RoomForBindings(Checker):
    """Adds up what a scheduler was told and what it has decided since, whenever it decides."""

    def __init__(self, world: "World") -> None:
        super().__init__(world)
        # By scheduler and uid: where it has decided to put a pod, until that is seen or fails.
        self._decided: dict[str, dict[str, str]] = defaultdict(dict)

    def started(self, who: str) -> None:
        self._decided.pop(who, None)

    def stepped(self, who: str, scheduler: SchedulerMachine, event: Event) -> None:
        told, decided = self.world.told[who], self._decided[who]
        for uid in [uid for uid in decided if uid not in scheduler.context.placed]:
            del decided[uid]
        for task in scheduler.bindings:
            uid = task.pod.uid
            if uid not in decided and uid in scheduler.context.placed and task.is_assumed:
                decided[uid] = task.node_name
                self._check(told, decided, scheduler, uid)

    def _check(
        self, told: Told, decided: dict[str, str], scheduler: SchedulerMachine, uid: str
    ) -> None:
        name = decided[uid]
        pods: dict[str, Object] = told.on(name)
        for other, where in decided.items():
            if where == name and not node_name_of(told.pods.get(other, {})):
                pods[other] = scheduler.context.placed[other].obj
        assert name in told.nodes, f"{uid} goes to node {name}, which is gone"
        lacking = overcommitted(told.nodes[name], list(pods.values()))
        assert not lacking, f"{uid} goes to {name}, where {lacking} is short: {sorted(pods)}"


def overcommitted(node: Object, pods: Sequence[Object]) -> str:
    """The first resource of which pods that aren't finished want more than a node has."""
    running = [pod for pod in pods if not is_finished(pod)]
    wanted: Amounts = {"pods": len(running) * NANOS_PER_UNIT}
    for pod in running:
        for resource, amount in pod_requests(pod).items():
            wanted[resource] = wanted.get(resource, 0) + amount
    allocatable = node["status"]["allocatable"]
    for resource, amount in wanted.items():
        room = nanos(allocatable.get(resource, "0"))
        if amount and resource_amount(resource, amount) > resource_amount(resource, room):
            return resource
    return ""
