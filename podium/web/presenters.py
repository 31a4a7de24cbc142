"""Who says decisions and plans in words: the commands that print the same."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podium.presenting import Presentation

if TYPE_CHECKING:
    from podium.plan.explanation import PodExplanation
    from podium.plan.outcome import Plan


@dataclass(frozen=True, slots=True)
class Presenters:
    """Make presentations of what was decided.

    Attributes:
        explanation: as `podium explain` prints it.
        plan: as `podium plan` does.
    """

    explanation: "Callable[[PodExplanation], Presentation]"
    plan: "Callable[[Plan], Presentation]"
