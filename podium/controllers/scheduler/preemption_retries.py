"""When pods are tried again whose preemption failed."""

from podium.control.backoff import Backoff

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
        return min(self._due_s.values(), default=None)
