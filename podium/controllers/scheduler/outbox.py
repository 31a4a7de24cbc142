"""Where the parts of a machine put their effects during one step."""

from podium.control.effects import Effect


class Outbox:
    """Effects in the order in which they were asked for."""

    def __init__(self) -> None:
        self._effects: list[Effect] = []

    def put(self, effect: Effect) -> None:
        """Ask for an effect."""
        self._effects.append(effect)

    def take(self) -> list[Effect]:
        """Everything that was asked for since the last time."""
        effects, self._effects = self._effects, []
        return effects
