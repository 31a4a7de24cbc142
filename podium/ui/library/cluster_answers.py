"""The answers about a cluster, each a report of a command with what all answers can do.

What shows them is imported when somebody looks.
"""

from pathlib import Path

from podium.ui.inputs.inputs import read_gates
from podium.ui.library.answer import Answer
from podium.whatif.capacity.capacity_report import Capacity
from podium.whatif.capacity.cheapest_nodes_report import CheapestNodes
from podium.whatif.explain.eviction_rankings import EvictionRanking
from podium.whatif.explain.explanation import PodExplanation
from podium.whatif.lint.lint_report import LintReport
from podium.whatif.plan.fail_on import Finding, caused, findings
from podium.whatif.plan.plan_report import Plan
from podium.whatif.resilience.impact import Impact
from podium.whatif.resilience.resilience_report import Resilience
from podium.whatif.rollout_order.rollout_report import RolloutAdvice


class PlanAnswer(Answer, Plan):
    """What a plan came to; see `podium plan`."""

    __slots__ = ()
    rows = "placements"
    presented_by = "podium.whatif.plan.presentation.plan_presentation.plan_presentation"

    def findings(
        self, *fail_on: str, gates: str | Path | None = None, baseline: Plan | None = None
    ) -> list[Finding]:
        """What of it meets conditions, in the words of `--fail-on`.

        Args:
            gates: a file with more of them, as `--gates` takes it.
            baseline: a plan without the changes; what it meets as well doesn't count.

        Raises:
            PodiumError: the conditions, or the file, can't be read.
        """
        conditions = read_gates(fail_on, None if gates is None else str(gates))
        found = findings(self, conditions)
        return found if baseline is None else caused(found, findings(baseline, conditions))


class ExplanationAnswer(Answer, PodExplanation):
    """The decisions about a pod; see `podium explain`."""

    __slots__ = ()
    rows = "decisions.feasible"
    presented_by = "podium.whatif.explain.explanation_presentation.explanation_presentation"


class RankingAnswer(Answer, EvictionRanking):
    """In which order a node evicts its pods; see `podium explain --eviction`."""

    __slots__ = ()
    rows = "pods"
    presented_by = "podium.whatif.explain.explanation_presentation.ranking_presentation"


class ImpactAnswer(Answer, Impact):
    """What a drain or a failure does; see `podium drain` and `podium fail`."""

    __slots__ = ()
    rows = "disruptions"
    presented_by = "podium.whatif.resilience.impact_presentation.impact_presentation"


class ResilienceAnswer(Answer, Resilience):
    """Which drains and failures a cluster withstands; see `podium resilience`."""

    __slots__ = ()
    rows = "ranking"
    presented_by = "podium.whatif.resilience.resilience_presentation.resilience_presentation"


class CapacityAnswer(Answer, Capacity):
    """How many more pods fit; see `podium capacity`."""

    __slots__ = ()
    rows = "templates"
    presented_by = "podium.whatif.capacity.capacity_presentation.capacity_presentation"


class NodesAnswer(Answer, CheapestNodes):
    """Which nodes to add at least cost; see `podium capacity --node-shape`."""

    __slots__ = ()
    rows = "shapes"
    presented_by = "podium.whatif.capacity.cheapest_nodes_presentation.cheapest_nodes_presentation"


class RolloutAnswer(Answer, RolloutAdvice):
    """An order in which to introduce priority classes; see `podium rollout`."""

    __slots__ = ()
    rows = "steps"
    presented_by = "podium.whatif.rollout_order.rollout_presentation.rollout_presentation"


class LintAnswer(Answer, LintReport):
    """What is wrong with manifests; see `podium lint`."""

    __slots__ = ()
    rows = "findings"
    presented_by = "podium.whatif.lint.lint_presentation.lint_presentation"
