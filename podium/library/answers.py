"""The answers about a cluster, each a report of a command with what all answers can do.

What shows them is imported when somebody looks.
"""

from pathlib import Path

from podium.advice.capacity_report import Capacity
from podium.advice.cheapest_nodes_report import CheapestNodes
from podium.advice.impact import Impact
from podium.advice.resilience_report import Resilience
from podium.advice.rollout_report import RolloutAdvice
from podium.cli.gating import read_gates
from podium.library.answer import Answer
from podium.linting.report import LintReport
from podium.plan.evicting import EvictionRanking
from podium.plan.explanation import PodExplanation
from podium.plan.gates import Finding, caused, findings
from podium.plan.outcome import Plan
from podium.presenting import Presentation


class PlanAnswer(Answer, Plan):
    """What a plan came to; see `podium plan`."""

    __slots__ = ()
    rows = "placements"

    def findings(
        self, *fail_on: str, gates: str | Path | None = None, baseline: Plan | None = None
    ) -> list[Finding]:
        """What of it meets conditions, in the words of `--fail-on`.

        Args:
            fail_on: conditions.
            gates: a file with more of them, as `--gates` takes it.
            baseline: a plan without the changes; what is so there, too, doesn't count.

        Raises:
            PodiumError: the conditions, or the file, can't be read.
        """
        conditions = read_gates(fail_on, None if gates is None else str(gates))
        found = findings(self, conditions)
        return found if baseline is None else caused(found, findings(baseline, conditions))

    def presentation(self) -> Presentation:
        """What `podium plan -o html` shows."""
        from podium.cli.plan_presentation import plan_presentation

        return plan_presentation(self)


class ExplanationAnswer(Answer, PodExplanation):
    """The decisions about a pod; see `podium explain`."""

    __slots__ = ()
    rows = "decisions.feasible"

    def presentation(self) -> Presentation:
        """What `podium explain -o html` shows."""
        from podium.cli.explanation_presentation import explanation_presentation

        return explanation_presentation(self)


class RankingAnswer(Answer, EvictionRanking):
    """In which order a node evicts its pods; see `podium explain --eviction`."""

    __slots__ = ()
    rows = "pods"

    def presentation(self) -> Presentation:
        """What `podium explain --eviction -o html` shows."""
        from podium.cli.explanation_presentation import ranking_presentation

        return ranking_presentation(self)


class ImpactAnswer(Answer, Impact):
    """What a drain or a failure does; see `podium drain` and `podium fail`."""

    __slots__ = ()
    rows = "disruptions"

    def presentation(self) -> Presentation:
        """What `podium drain -o html` shows."""
        from podium.cli.impact_presentation import impact_presentation

        return impact_presentation(self)


class ResilienceAnswer(Answer, Resilience):
    """Which drains and failures a cluster withstands; see `podium resilience`."""

    __slots__ = ()
    rows = "ranking"

    def presentation(self) -> Presentation:
        """What `podium resilience -o html` shows."""
        from podium.cli.resilience_presentation import resilience_presentation

        return resilience_presentation(self)


class CapacityAnswer(Answer, Capacity):
    """How many more pods fit; see `podium capacity`."""

    __slots__ = ()
    rows = "templates"

    def presentation(self) -> Presentation:
        """What `podium capacity -o html` shows."""
        from podium.advice.capacity_presentation import capacity_presentation

        return capacity_presentation(self)


class NodesAnswer(Answer, CheapestNodes):
    """Which nodes to add at least cost; see `podium capacity --node-shape`."""

    __slots__ = ()
    rows = "shapes"

    def presentation(self) -> Presentation:
        """What `podium capacity --node-shape -o html` shows."""
        from podium.advice.cheapest_nodes_presentation import cheapest_nodes_presentation

        return cheapest_nodes_presentation(self)


class RolloutAnswer(Answer, RolloutAdvice):
    """An order in which to introduce priority classes; see `podium rollout`."""

    __slots__ = ()
    rows = "steps"

    def presentation(self) -> Presentation:
        """What `podium rollout -o html` shows."""
        from podium.advice.rollout_presentation import rollout_presentation

        return rollout_presentation(self)


class LintAnswer(Answer, LintReport):
    """What is wrong with manifests; see `podium lint`."""

    __slots__ = ()
    rows = "findings"

    def presentation(self) -> Presentation:
        """What `podium lint -o html` shows."""
        from podium.cli.lint_printing import lint_presentation

        return lint_presentation(self)
