"""What must hold in every run: after every step, and once nothing happens any more.

A checker raises AssertionError. It goes by what was told and asked for, as far as it can, not by
what the machine under test says of itself.
"""

from typing import TYPE_CHECKING

from tests.sim.checkers.at_rest import AtRest
from tests.sim.checkers.bindings import RoomForBindings
from tests.sim.checkers.checker import Checker
from tests.sim.checkers.nominations import Nominations
from tests.sim.checkers.places import Places
from tests.sim.checkers.refusals import Refusals
from tests.sim.checkers.stream import Streams
from tests.sim.checkers.victims import Victims

if TYPE_CHECKING:
    from tests.sim.world import World

__all__ = ["Checker", "all_checkers"]


def all_checkers(world: "World") -> list[Checker]:
    return [
        Streams(world),
        RoomForBindings(world),
        Victims(world),
        Places(world),
        Nominations(world),
        Refusals(world),
        AtRest(world),
    ]
