"""Who says decisions and plans in words: the commands that print the same."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from podium.api.presentation import Presentation

if TYPE_CHECKING:
    from podium.whatif.explain.explanation import PodExplanation
    from podium.whatif.plan.plan_report import Plan


class Presenters(msgspec.Struct, frozen=True):
    """Make presentations of what was decided.

    Attributes:
        explanation: as `podium explain` prints it.
        plan: as `podium plan` does.
    """

    explanation: "Callable[[PodExplanation], Presentation]"
    plan: "Callable[[Plan], Presentation]"
