"""Measures how long extension points take, if a stopwatch is given."""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from podium.scheduler.framework.status import Code

Answer = TypeVar("Answer")


class Timing(msgspec.Struct, frozen=True):
    """A stopwatch, and somebody who writes down what it shows.

    Attributes:
        stopwatch: seconds that pass while something is computed.
        ran: told of the extension point, the code of its status, the profile, and the seconds.
    """

    stopwatch: Callable[[], float]
    ran: Callable[[str, str, str, float], None]

    def measure(
        self,
        point: str,
        profile: str,
        work: Callable[[], Answer],
        code_of: Callable[[Answer], Code],
    ) -> Answer:
        """Do the work of an extension point, and have its duration written down."""
        started_s = self.stopwatch()
        answer = work()
        self.ran(point, code_of(answer).value, profile, self.stopwatch() - started_s)
        return answer
