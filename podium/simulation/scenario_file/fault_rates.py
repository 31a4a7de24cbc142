"""What goes wrong how often, as a scenario says it."""

from podium.documents import Document, Duration
from podium.simulation.scenario_file.fields import Fraction


class FaultRates(Document):
    """Probabilities from 0 to 1; see `podium.runtime.faults.Faults`."""

    refused: Fraction = 0.0
    unanswered: Fraction = 0.0
    slow: Fraction = 0.0
    repeated: Fraction = 0.0
    broken_watches: Fraction = 0.0
    slow_watches: Fraction = 0.0
    restarts: Fraction = 0.0
    slowness: Duration = 0.0

    def rates(self) -> dict[str, float]:
        """Those that are given, by the names of the fields of `Faults`."""
        given = self.model_dump(exclude_unset=True, exclude={"slowness"})
        return {**given, "slow_s": self.slowness} if self.slowness else given
