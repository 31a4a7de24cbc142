"""How long a Job waits before it replaces failed pods: 10 s, twice as long each time, up to 10 min.

As v1.36's backoff records, which know only failures since the last success.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from podium.api.objects import Object, uid_of
from podium.api.pods import phase_of
from podium.control.backoff import Backoff
from podium.controllers.job.pod_accounting import finished_s

BACKOFF = Backoff(first_s=10.0, max_s=600.0)


@dataclass(slots=True)
class BackoffRecord:
    """What is remembered of one Job.

    Attributes:
        failures: since the last success.
        last_failure_s: when that was.
    """

    failures: int = 0
    last_failure_s: float = 0.0
    _seen: set[str] = field(default_factory=set)

    def see(self, ended: Collection[Object], known: Collection[str], now_s: float) -> None:
        """Take in pods that have ended.

        Args:
            ended: pods that have yet to be counted.
            known: uids of others that still may show up among the pods.
            now_s: the time.
        """
        new = [pod for pod in ended if uid_of(pod) not in self._seen]
        for pod in sorted(new, key=lambda pod: finished_s(pod, now_s)):
            if phase_of(pod) == "Succeeded":
                self.failures = 0
            else:
                self.failures += 1
                self.last_failure_s = finished_s(pod, now_s)
        self._seen = {*map(uid_of, ended), *(uid for uid in self._seen if uid in known)}

    def until_s(self) -> float:
        """Until when no pods are created."""
        return self.last_failure_s + BACKOFF.wait_s(self.failures)
