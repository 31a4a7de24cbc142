"""When pods are tried again whose preemption failed, or was held back by Podium's options."""

import math

from podium.machines.backoff import Backoff
from podium.scheduler.framework.interface import Held
from podium.scheduler.queue import SchedulingQueue

_BACKOFF = Backoff(first_s=1.0, max_s=10.0)


class PreemptionRetries:
    """Has a pod whose preemption failed tried again: at once, and if it fails again, later.

    kube-scheduler always tries again at once, as fast as the API server refuses.
    """

    def __init__(self) -> None:
        self._failures: dict[str, int] = {}
        self._due_s: dict[str, float] = {}

    def failed(self, pod_uid: str, now_s: float) -> None:
        """A pod's preemption failed."""
        failures = self._failures.get(pod_uid, 0)
        self._failures[pod_uid] = failures + 1
        self._due_s[pod_uid] = now_s + _BACKOFF.wait_s(failures)

    def forget(self, pod_uid: str) -> None:
        """A pod's preemption succeeded, or the pod is gone."""
        self._failures.pop(pod_uid, None)
        self._due_s.pop(pod_uid, None)

    def take_due(self, now_s: float) -> list[str]:
        """The pods that are to be tried now."""
        due = [pod_uid for pod_uid, due_s in self._due_s.items() if due_s <= now_s]
        for pod_uid in due:
            del self._due_s[pod_uid]
        return due

    def next_s(self) -> float | None:
        """When the next one is to be tried."""
        return min(self._due_s.values()) if self._due_s else None


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

    def next_wakeup_s(self) -> float | None:
        """When the next one's time comes; None if no time is known of any."""
        times = [held.until_s for held in self._held.values() if held.until_s != math.inf]
        return min(times) if times else None

    def _try(self, uids: list[str], now_s: float) -> None:
        for uid in uids:
            del self._held[uid]
        self._queue.activate(uids, now_s)
