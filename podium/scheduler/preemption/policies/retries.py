"""When pods are tried again whose preemption failed, or was held back by Podium's options."""

import math

from podium.machines.backoff import Backoff
from podium.machines.reconciler.work_queue import DelayedKeys
from podium.scheduler.framework.interface import Held
from podium.scheduler.queue import SchedulingQueue

_BACKOFF = Backoff(first_s=1.0, max_s=10.0)


class PreemptionRetries(DelayedKeys[str]):
    """The pods whose preemption failed, by uid: tried at once, and if it fails again, later.

    kube-scheduler always tries again at once, as fast as the API server refuses.
    """

    def __init__(self) -> None:
        super().__init__()
        self._failures: dict[str, int] = {}

    def failed(self, pod_uid: str, now_s: float) -> None:
        """A pod's preemption failed."""
        failures = self._failures.get(pod_uid, 0)
        self._failures[pod_uid] = failures + 1
        self.discard(pod_uid)
        self.add(pod_uid, now_s + _BACKOFF.wait_s(failures))

    def forget(self, pod_uid: str) -> None:
        """A pod's preemption succeeded, or the pod is gone."""
        self._failures.pop(pod_uid, None)
        self.discard(pod_uid)


class HeldPreemptions:
    """Has a pod tried again when what held its preemption back may have gone.

    Other events bring it back as they bring back any pod that fits nowhere.
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

    def next_s(self) -> float:
        """When the next one's time comes; infinity if no time is known of any."""
        return min((held.until_s for held in self._held.values()), default=math.inf)

    def _try(self, uids: list[str], now_s: float) -> None:
        for uid in uids:
            del self._held[uid]
        self._queue.activate(uids, now_s)
