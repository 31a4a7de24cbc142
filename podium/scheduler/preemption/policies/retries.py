"""The retries of preemptions that failed, or that options of Podium held back."""

import math

from podium.machines.backoff import Backoff
from podium.machines.reconciler.work_queue import DelayedKeys
from podium.scheduler.framework.interface import Held
from podium.scheduler.queue import SchedulingQueue

_BACKOFF = Backoff(first_s=1.0, max_s=10.0)


class PreemptionRetries(DelayedKeys[str]):
    """A queue of the uids of pods whose preemption failed, to be retried with backoff.

    kube-scheduler retries at once, without backoff.
    """

    def __init__(self) -> None:
        super().__init__()
        self._failures: dict[str, int] = {}

    def failed(self, pod_uid: str, now_s: float) -> None:
        """Queue a pod whose preemption has failed: its first retry is at once, others back off."""
        failures = self._failures.get(pod_uid, 0)
        self._failures[pod_uid] = failures + 1
        self.discard(pod_uid)
        self.add(pod_uid, now_s + _BACKOFF.wait_s(failures))

    def forget(self, pod_uid: str) -> None:
        """Remove a pod whose preemption succeeded, or that was deleted."""
        self._failures.pop(pod_uid, None)
        self.discard(pod_uid)


class HeldPreemptions:
    """Retries pods when the reasons that held their preemption back may no longer hold.

    The queue also retries these pods by other events, as any unschedulable pod.
    """

    def __init__(self, queue: SchedulingQueue) -> None:
        self._queue = queue
        self._held: dict[str, Held] = {}

    def hold(self, pod_uid: str, held: Held | None) -> None:
        """Record what holds a pod's preemption back after a decision; None removes the pod."""
        if held is None:
            self._held.pop(pod_uid, None)
        else:
            self._held[pod_uid] = held

    def budget_changed(self, budget: str, now_s: float) -> None:
        """Retry the pods held back by a budget, `namespace/name`, that has changed."""
        self._try([uid for uid, held in self._held.items() if budget in held.budgets], now_s)

    def wake(self, now_s: float) -> None:
        """Retry the pods that were held back until `now_s` or earlier."""
        self._try([uid for uid, held in self._held.items() if held.until_s <= now_s], now_s)

    def next_s(self) -> float:
        """Return when the next pod is retried, in seconds since the epoch; infinity if unknown."""
        return min((held.until_s for held in self._held.values()), default=math.inf)

    def _try(self, uids: list[str], now_s: float) -> None:
        for uid in uids:
            del self._held[uid]
        self._queue.activate(uids, now_s)
