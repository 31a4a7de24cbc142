"""How long a node's failed daemon is left lying before it is replaced: longer each time."""

from dataclasses import dataclass, field

DELAY_S_MIN = 1.0
DELAY_S_MAX = 15 * 60.0


@dataclass(slots=True)
class Backoff:
    """Delays by key; who hasn't failed for twice the longest delay starts anew."""

    _known: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)

    def until_s(self, key: tuple[str, str], now_s: float) -> float | None:
        """Until when there is to be waited; None if not at all."""
        delay_s, since_s = self._entry(key, now_s)
        return since_s + delay_s if now_s < since_s + delay_s else None

    def failed(self, key: tuple[str, str], now_s: float) -> None:
        """Wait twice as long the next time."""
        delay_s, _ = self._entry(key, now_s)
        self._known[key] = (min(delay_s * 2, DELAY_S_MAX) or DELAY_S_MIN, now_s)

    def _entry(self, key: tuple[str, str], now_s: float) -> tuple[float, float]:
        delay_s, since_s = self._known.get(key, (0.0, now_s))
        if now_s - since_s > 2 * DELAY_S_MAX:
            del self._known[key]
            return 0.0, now_s
        return delay_s, since_s
