"""How long a node waits before it restarts containers that have exited.

The first restart comes at once, the next ones after 10 s, 20 s and so on up to 5 minutes. When
containers have run for more than 10 minutes since their last restart, it starts all over
(client-go's Backoff with the kubelet's settings, v1.36).
"""

from dataclasses import dataclass

FIRST_S = 10.0
MOST_S = 300.0
FORGIVEN_AFTER_S = 600.0


@dataclass(slots=True)
class BackOff:
    """The restarts of one pod.

    Attributes:
        next_s: how long the next restart has to wait; 0 as long as there was none.
        restarted_s: when the last one was, in seconds since the epoch.
    """

    next_s: float = 0.0
    restarted_s: float = 0.0

    def wait_s(self, exited_s: float) -> float:
        """How long to wait after an exit."""
        return 0.0 if self._is_forgiven(exited_s) else self.next_s

    @classmethod
    def after(cls, restarts: int, restarted_s: float) -> "BackOff":
        """As it is after so many restarts in a row."""
        return cls(min(FIRST_S * 2.0 ** (restarts - 1), MOST_S) if restarts else 0.0, restarted_s)

    def restarted(self, exited_s: float, at_s: float) -> None:
        """Take note of a restart after an exit."""
        forgiven = self._is_forgiven(exited_s)
        self.next_s = FIRST_S if forgiven else min(self.next_s * 2, MOST_S)
        self.restarted_s = at_s

    def _is_forgiven(self, exited_s: float) -> bool:
        return not self.next_s or exited_s - self.restarted_s > FORGIVEN_AFTER_S
