"""What checkers have in common."""

from typing import TYPE_CHECKING

from podium.cluster.drivers.driver_events import DriverEvent, Started, Stepped
from podium.machines.events import Event
from podium.scheduler.machine.scheduler_machine import SchedulerMachine

if TYPE_CHECKING:
    from tests.sim.world import World


class Checker:
    """Looks on; by default at schedulers only."""

    def __init__(self, world: "World") -> None:
        self.world = world

    def after(self, happening: DriverEvent) -> None:
        """Something has happened."""
        if isinstance(happening, Stepped):
            scheduler = self.world.scheduler(happening.who)
            if scheduler is not None:
                self.stepped(happening.who, scheduler, happening.event)
        elif isinstance(happening, Started):
            self.started(happening.who)

    def stepped(self, who: str, scheduler: SchedulerMachine, event: Event) -> None:
        """A scheduler has taken an event in."""

    def started(self, who: str) -> None:
        """A machine knows of nothing yet."""

    def at_rest(self) -> None:
        """Nothing happens any more."""

    def long_at_rest(self) -> None:
        """Nothing happens any more, though every pod has been tried once more since."""
