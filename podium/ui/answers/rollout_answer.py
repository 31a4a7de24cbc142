"""The answer of `podium rollout`."""

from podium.ui.answers.answer import Answer
from podium.whatif.rollout_order.rollout_report import RolloutAdvice


class RolloutAnswer(Answer, RolloutAdvice):
    """An order in which to introduce priority classes; see `podium rollout`."""

    __slots__ = ()
    rows = "steps"
    presented_by = "podium.whatif.rollout_order.rollout_presentation.rollout_presentation"
