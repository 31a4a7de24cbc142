"""The time, as plugins may look at it."""

import msgspec


class Clock(msgspec.Struct):
    """The moment for which the scheduler decides; its caller sets it.

    Attributes:
        now_s: seconds since the epoch.
    """

    now_s: float = 0.0
