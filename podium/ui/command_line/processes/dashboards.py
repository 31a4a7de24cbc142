"""What dashboards show of decisions and plans: the presentations of the commands."""

from typing import TYPE_CHECKING

from podium.ui.dashboard.presenters import Presenters

if TYPE_CHECKING:
    from podium.api.presentation import Presentation
    from podium.whatif.explain.explanation import PodExplanation
    from podium.whatif.plan.plan_report import Plan


def _explanation(explanation: "PodExplanation") -> "Presentation":
    from podium.whatif.explain.explanation_presentation import explanation_presentation

    return explanation_presentation(explanation)


def _plan(plan: "Plan") -> "Presentation":
    from podium.whatif.plan.presentation.plan_presentation import plan_presentation

    return plan_presentation(plan)


PRESENTERS = Presenters(_explanation, _plan)
