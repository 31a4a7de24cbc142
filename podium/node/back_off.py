"""How long a node waits before it restarts containers that have exited.

The first restart comes at once, the next ones after 10 s, 20 s and so on up to 5 minutes. When
containers have run for more than 10 minutes since their last restart, it starts all over
(client-go's Backoff with the kubelet's settings, v1.36).
"""

from dataclasses import dataclass

from podium.control.backoff import Backoff

_BACKOFF = Backoff(first_s=10.0, max_s=300.0)
_FORGIVEN_AFTER_S = 2 * _BACKOFF.max_s


@dataclass(slots=True)
class BackOff:
    """The restarts of one pod.

    Attributes:
        restarts: how many there were since it started all over.
        restarted_s: when the last one was, in seconds since the epoch.
    """

    restarts: int = 0
    restarted_s: float = 0.0

    def wait_s(self, exited_s: float) -> float:
        """How long to wait after an exit."""
        return 0.0 if self._is_forgiven(exited_s) else _BACKOFF.wait_s(self.restarts)

    def restarted(self, exited_s: float, at_s: float) -> None:
        """Take note of a restart after an exit."""
        self.restarts = 1 if self._is_forgiven(exited_s) else self.restarts + 1
        self.restarted_s = at_s

    def _is_forgiven(self, exited_s: float) -> bool:
        return exited_s - self.restarted_s > _FORGIVEN_AFTER_S
