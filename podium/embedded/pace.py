"""How time in a cluster passes, compared with the clock on the wall."""

from dataclasses import dataclass

from podium.api.errors import PodiumError


class UnknownSpeedError(PodiumError):
    """A text that is no speed."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast time passes.

    Attributes:
        factor: seconds in the cluster for each second of the clock; 0 if time stands still.
        jumps: whether time jumps to what is due next when nothing else is to be done.
    """

    factor: float = 1.0
    jumps: bool = False


STOPPED = Pace(0.0)
REAL_TIME = Pace()
SPEEDS = {"1x": REAL_TIME, "10x": Pace(10.0), "max": Pace(jumps=True)}
"""By the names that the command line has for them."""


def parse_speed(text: str) -> Pace:
    """The pace of a name.

    Raises:
        UnknownSpeedError: there is none.
    """
    pace = SPEEDS.get(text)
    if pace is None:
        raise UnknownSpeedError(f"--speed: {text}: must be one of {', '.join(SPEEDS)}")
    return pace
