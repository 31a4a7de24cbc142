"""What dashboards show of decisions and plans: the presentations of the commands."""

from typing import TYPE_CHECKING

from podium.web.presenters import Presenters

if TYPE_CHECKING:
    from podium.plan.explanation import PodExplanation
    from podium.plan.outcome import Plan
    from podium.presenting import Presentation


def _explanation(explanation: "PodExplanation") -> "Presentation":
    from podium.cli.explanation_presentation import explanation_presentation

    return explanation_presentation(explanation)


def _plan(plan: "Plan") -> "Presentation":
    from podium.cli.plan_presentation import plan_presentation

    return plan_presentation(plan)


PRESENTERS = Presenters(_explanation, _plan)
