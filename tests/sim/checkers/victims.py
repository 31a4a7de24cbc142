"""Preemption takes only pods of lower priority, only on the nominated node, only when allowed."""

from collections import defaultdict
from typing import TYPE_CHECKING

from podium.api.pods import node_name_of
from podium.cluster.drivers.driver_events import DriverEvent, Stepped
from podium.machines.effects import Delete, Effect
from podium.machines.events import Event
from podium.scheduler.machine.preemption_executor import VictimCall
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from tests.sim.checkers.checker import Checker

if TYPE_CHECKING:
    from tests.sim.world import World


class Victims(Checker):
    """Looks at each new record of a preemption, and at each deletion that is asked for."""

    def __init__(self, world: "World") -> None:
        super().__init__(world)
        self._records: dict[str, int] = defaultdict(int)
        self._sentenced: dict[str, set[str]] = defaultdict(set)

    def started(self, who: str) -> None:
        self._records.pop(who, None)
        self._sentenced.pop(who, None)

    def after(self, happening: DriverEvent) -> None:
        super().after(happening)
        if isinstance(happening, Stepped) and self.world.scheduler(happening.who) is not None:
            for effect in happening.effects:
                self._asked(happening.who, effect)

    def stepped(self, who: str, scheduler: SchedulerMachine, event: Event) -> None:
        told = self.world.told[who]
        for record in list(scheduler.preemptions.history)[self._records[who] :]:
            self._records[who] += 1
            preemptor = told.pods[record.preemptor.uid]
            assert preemptor["spec"].get("preemptionPolicy") != "Never", record
            assert not node_name_of(preemptor), record
            assert record.victims, record
            for victim in record.victims:
                pod = told.pods[victim.uid]
                assert node_name_of(pod) in ("", record.node_name), record
                assert pod["spec"]["priority"] < preemptor["spec"]["priority"], record
                self._sentenced[who].add(victim.uid)

    def _asked(self, who: str, effect: Effect) -> None:
        if isinstance(effect, Delete):
            purpose = effect.purpose
            assert isinstance(purpose, VictimCall), effect
            assert purpose.victim_uid in self._sentenced[who], effect
            assert effect.uid == purpose.victim_uid, effect
