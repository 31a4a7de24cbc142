"""The answers of commands about one cluster, except `podium plan` and `podium lint`."""

from collections.abc import Sequence

from podium.ui.answers.answer import Answer
from podium.ui.writers.formats import FORMATS, TERMINAL
from podium.whatif.capacity.capacity_report import Capacity, CheapestNodes
from podium.whatif.explain.eviction_rankings import EvictionRanking
from podium.whatif.explain.explanation import PodExplanation
from podium.whatif.plan.fail_on import Finding
from podium.whatif.resilience.impact import Impact
from podium.whatif.resilience.resilience_report import Resilience
from podium.whatif.rollout_order.rollout_report import RolloutAdvice

_CAPACITY = "podium.whatif.capacity.capacity_presentation"
_EXPLANATIONS = "podium.whatif.explain.explanation_presentation"
_RESILIENCE = "podium.whatif.resilience.resilience_presentation"


class CapacityAnswer(Answer, Capacity, repr=False):
    """The number of pods that fit; see `podium capacity`."""

    rows = "templates"
    presented_by = f"{_CAPACITY}.capacity_presentation"


class NodesAnswer(Answer, CheapestNodes, repr=False):
    """The cheapest nodes to add; see `podium capacity --node-shape`."""

    rows = "shapes"
    presented_by = f"{_CAPACITY}.cheapest_nodes_presentation"


class ExplanationAnswer(Answer, PodExplanation, repr=False):
    """The decisions about a pod; see `podium explain`."""

    rows = "decisions.feasible"
    presented_by = f"{_EXPLANATIONS}.explanation_presentation"
    printed_by = f"{_EXPLANATIONS}.printed_explanation"
    warns = TERMINAL


class RankingAnswer(Answer, EvictionRanking, kw_only=True, repr=False):
    """The order in which a node evicts its pods; see `podium explain --eviction`."""

    warnings: Sequence[str] = ()
    rows = "pods"
    presented_by = f"{_EXPLANATIONS}.ranking_presentation"
    warns = FORMATS


class ImpactAnswer(Answer, Impact, kw_only=True, repr=False):
    """The effects of a drain or a failure; see `podium drain` and `podium fail`."""

    failed_on: Sequence[Finding] = ()
    rows = "disruptions"
    presented_by = printed_by = f"{_RESILIENCE}.impact_presentation"
    warns = TERMINAL


class ResilienceAnswer(Answer, Resilience, kw_only=True, repr=False):
    """The drains and failures that a cluster withstands; see `podium resilience`."""

    failed_on: Sequence[Finding] = ()
    rows = "ranking"
    presented_by = printed_by = f"{_RESILIENCE}.resilience_presentation"
    warns = TERMINAL


class RolloutAnswer(Answer, RolloutAdvice, repr=False):
    """An order in which to introduce priority classes; see `podium rollout`."""

    rows = "steps"
    presented_by = "podium.whatif.rollout_order.rollout_presentation.rollout_presentation"
