"""How long a node's failed daemon is left lying before it is replaced: longer each time."""

from dataclasses import dataclass, field

from podium.control.backoff import Backoff, Restarts

_BACKOFF = Backoff(first_s=1.0, max_s=15 * 60.0)


@dataclass(slots=True)
class FailedPodsBackoff:
    """Failures by key; who hasn't failed for twice the longest wait starts anew."""

    _known: dict[tuple[str, str], Restarts] = field(default_factory=dict)

    def until_s(self, key: tuple[str, str], now_s: float) -> float | None:
        """Until when there is to be waited; None if not at all."""
        known = self._known.get(key)
        if known is None:
            return None
        until_s = known.last_s + known.wait_s(now_s)
        return until_s if now_s < until_s else None

    def failed(self, key: tuple[str, str], now_s: float) -> None:
        """Wait twice as long the next time."""
        self._known.setdefault(key, Restarts(_BACKOFF)).restarted(now_s, now_s)
