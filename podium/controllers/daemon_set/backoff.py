"""How long a node's failed daemon is left lying before it is replaced: longer each time."""

from dataclasses import dataclass, field

from podium.control.backoff import Backoff

_BACKOFF = Backoff(first_s=1.0, max_s=15 * 60.0)
_FORGOTTEN_AFTER_S = 2 * _BACKOFF.max_s


@dataclass(slots=True)
class FailedPodsBackoff:
    """Failures by key; who hasn't failed for twice the longest wait starts anew."""

    _known: dict[tuple[str, str], tuple[int, float]] = field(default_factory=dict)

    def until_s(self, key: tuple[str, str], now_s: float) -> float | None:
        """Until when there is to be waited; None if not at all."""
        failures, since_s = self._entry(key, now_s)
        until_s = since_s + _BACKOFF.wait_s(failures)
        return until_s if now_s < until_s else None

    def failed(self, key: tuple[str, str], now_s: float) -> None:
        """Wait twice as long the next time."""
        failures, _ = self._entry(key, now_s)
        self._known[key] = (failures + 1, now_s)

    def _entry(self, key: tuple[str, str], now_s: float) -> tuple[int, float]:
        failures, since_s = self._known.get(key, (0, now_s))
        if now_s - since_s > _FORGOTTEN_AFTER_S:
            del self._known[key]
            return 0, now_s
        return failures, since_s
