"""Pods whose preemption Podium's options hold back, and when they are tried again."""

import math

from podium.core.preemption.policy import Held
from podium.core.queue import SchedulingQueue


class HeldPreemptions:
    """Has a pod tried again when what held its preemption back may have gone.

    Other events bring it back as they bring back any pod that fits nowhere.

    Args:
        queue: in which the pods wait.
    """

    def __init__(self, queue: SchedulingQueue) -> None:
        self._queue = queue
        self._held: dict[str, Held] = {}

    def hold(self, pod_uid: str, held: Held | None) -> None:
        """A pod was decided; None if nothing holds it back."""
        if held is None:
            self._held.pop(pod_uid, None)
        else:
            self._held[pod_uid] = held

    def budget_changed(self, budget: str, now_s: float) -> None:
        """A budget, `namespace/name`, may allow more than before."""
        self._try([uid for uid, held in self._held.items() if budget in held.budgets], now_s)

    def wake(self, now_s: float) -> None:
        """Have those tried whose time has come."""
        self._try([uid for uid, held in self._held.items() if held.until_s <= now_s], now_s)

    def next_wakeup_s(self) -> float | None:
        """When the next one's time comes; None if no time is known of any."""
        times = (held.until_s for held in self._held.values() if held.until_s != math.inf)
        return min(times, default=None)

    def _try(self, uids: list[str], now_s: float) -> None:
        for uid in uids:
            del self._held[uid]
        self._queue.activate(uids, now_s)
