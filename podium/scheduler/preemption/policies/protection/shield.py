"""A shield: for how long a pod may not be preempted, by whom, and why."""

import math
from collections.abc import Callable

import msgspec

from podium.api.values.quantity import INT64_MAX
from podium.scheduler.snapshot.pod_info import PodInfo

FOR_EVER = math.inf
EVERYBODY = INT64_MAX


class Shield(msgspec.Struct, frozen=True):
    """Keeps a pod from being preempted.

    Attributes:
        reason: in words that go on from "the pod may not be preempted: ".
        until_s: up to this moment, in seconds since the epoch; `FOR_EVER`.
        below: by pods of a lower priority than this; `EVERYBODY`.
    """

    reason: str
    until_s: float = FOR_EVER
    below: int = EVERYBODY

    def holds(self, priority: int, now_s: float) -> bool:
        """Whether it keeps a preemptor of a priority away now."""
        return priority < self.below and now_s < self.until_s


ShieldOf = Callable[[PodInfo], Shield | None]
"""A rule: the shield that it gives a pod on a node; None if it gives none."""
