"""The answers of `podium drain`, `podium fail` and `podium resilience`."""

from collections.abc import Sequence
from dataclasses import dataclass

from podium.ui.answers.answer import Answer
from podium.ui.writers.formats import TERMINAL
from podium.whatif.plan.fail_on import Finding
from podium.whatif.resilience.impact import Impact
from podium.whatif.resilience.resilience_report import Resilience


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ImpactAnswer(Answer, Impact):
    """What a drain or a failure does; see `podium drain` and `podium fail`.

    Attributes:
        failed_on: what of it meets the conditions that it was asked with.
    """

    failed_on: Sequence[Finding] = ()
    rows = "disruptions"
    presented_by = "podium.whatif.resilience.resilience_presentation.impact_presentation"
    printed_by = presented_by
    warns = TERMINAL


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ResilienceAnswer(Answer, Resilience):
    """Which drains and failures a cluster withstands; see `podium resilience`.

    Attributes:
        failed_on: what of them meets the conditions that it was asked with.
    """

    failed_on: Sequence[Finding] = ()
    rows = "ranking"
    presented_by = "podium.whatif.resilience.resilience_presentation.resilience_presentation"
    printed_by = presented_by
    warns = TERMINAL
