"""The answers of `podium explain`: decisions about a pod, and the order of evictions."""

from collections.abc import Sequence
from dataclasses import dataclass

from podium.ui.answers.answer import Answer
from podium.ui.writers.formats import FORMATS, TERMINAL
from podium.whatif.explain.eviction_rankings import EvictionRanking
from podium.whatif.explain.explanation import PodExplanation

_EXPLANATIONS = "podium.whatif.explain.explanation_presentation"


class ExplanationAnswer(Answer, PodExplanation):
    """The decisions about a pod; see `podium explain`."""

    __slots__ = ()
    rows = "decisions.feasible"
    presented_by = f"{_EXPLANATIONS}.explanation_presentation"
    printed_by = f"{_EXPLANATIONS}.printed_explanation"
    warns = TERMINAL


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RankingAnswer(Answer, EvictionRanking):
    """In which order a node evicts its pods; see `podium explain --eviction`."""

    warnings: Sequence[str] = ()
    rows = "pods"
    presented_by = f"{_EXPLANATIONS}.ranking_presentation"
    warns = FORMATS
