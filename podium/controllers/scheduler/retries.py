"""When a pod whose preemption failed is tried again: at once, and if it fails again, later.

kube-scheduler always tries again at once, as fast as the API server refuses.
"""

from podium.control.backoff import Backoff

_BACKOFF = Backoff(first_s=1.0, max_s=10.0)


class Retries:
    """Failures in a row by pod, and the pods that wait for their next try."""

    def __init__(self) -> None:
        self._failures: dict[str, int] = {}
        self._due_s: dict[str, float] = {}

    def failed(self, uid: str, now_s: float) -> None:
        """A pod's preemption failed."""
        failures = self._failures.get(uid, 0)
        self._failures[uid] = failures + 1
        self._due_s[uid] = now_s + _BACKOFF.wait_s(failures)

    def forget(self, uid: str) -> None:
        """A pod's preemption succeeded, or the pod is gone."""
        self._failures.pop(uid, None)
        self._due_s.pop(uid, None)

    def take_due(self, now_s: float) -> list[str]:
        """The pods that are to be tried now."""
        due = [uid for uid, due_s in self._due_s.items() if due_s <= now_s]
        for uid in due:
            del self._due_s[uid]
        return due

    def next_s(self) -> float | None:
        """When the next one is to be tried."""
        return min(self._due_s.values(), default=None)
