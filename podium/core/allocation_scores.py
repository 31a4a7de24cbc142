"""NodeResourcesFit's scoring strategies, in the integer arithmetic of kube-scheduler v1.36.

LeastAllocated, MostAllocated and RequestedToCapacityRatio rate each resource of a node from 0 to
100; the score is the weighted mean of the ratings. Amounts are below 2**63 / 100: upstream's
arithmetic overflows above that.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from podium.config.args import ScoringStrategy, ScoringStrategyType, UtilizationShapePoint
from podium.core.framework import MAX_NODE_SCORE, LocalScore, Rows, Scores
from podium.core.scored_resources import ScoredResource

_FULL_PERCENT = 100
_SHAPE_SCORE_MAX = 10


def allocation_score(
    plugin: str, strategy: ScoringStrategy, resources: Sequence[ScoredResource]
) -> LocalScore:
    """The state that scores rows by a strategy, in the name of a plugin."""
    match strategy.type:
        case ScoringStrategyType.LEAST_ALLOCATED:
            return _LeastAllocated(plugin, resources)
        case ScoringStrategyType.MOST_ALLOCATED:
            return _MostAllocated(plugin, resources)
        case ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO:
            return _RequestedToCapacityRatio(plugin, resources, strategy.shape)


class _WeightedMean(LocalScore, ABC):
    """The weighted mean of the ratings of the resources that a node has."""

    counts_zero: ClassVar[bool] = True
    """Whether a resource that is rated 0 counts at all."""

    def __init__(self, plugin: str, resources: Sequence[ScoredResource]) -> None:
        self.plugin = plugin
        self._used = [r.used for r in resources]
        self._requests = np.array([[r.request] for r in resources])
        allocatable = np.array([r.allocatable for r in resources])
        self._capacities = np.maximum(allocatable, 1)
        self._shares = (allocatable > 0) * np.array([[r.weight] for r in resources])
        self._at = [(r.used.data, r.allocatable.data, r.request, r.weight) for r in resources]

    def scores(self, rows: Rows) -> Scores:
        if not self._used:
            return np.zeros(len(rows), np.int64)
        used = np.array([column[rows] for column in self._used]) + self._requests
        ratings, shares = self._ratings(used, self._capacities[:, rows]), self._shares[:, rows]
        if not self.counts_zero:
            shares = shares * (ratings > 0)
        total, weights = np.add.reduce(ratings * shares), np.add.reduce(shares)
        return self._means(total, np.maximum(weights, 1))

    def score(self, row: int) -> int:
        total = weights = 0
        for used, allocatable, request, weight in self._at:
            capacity = allocatable[row]
            if capacity:
                rating = self._rating(used[row] + request, capacity)
                if rating or self.counts_zero:
                    total += rating * weight
                    weights += weight
        return self._mean(total, weights) if weights else 0

    @abstractmethod
    def _ratings(self, used: Scores, capacity: Scores) -> Scores:
        """Rate rows: int64[n] of used amounts and capacities above 0."""

    @abstractmethod
    def _rating(self, used: int, capacity: int) -> int:
        """Rate one row."""

    def _means(self, total: Scores, weights: Scores) -> Scores:
        return total // weights

    def _mean(self, total: int, weights: int) -> int:
        return total // weights


class _LeastAllocated(_WeightedMean):
    """The percentage that is left, rounded down."""

    def _ratings(self, used: Scores, capacity: Scores) -> Scores:
        left: Scores = np.maximum(capacity - used, 0)
        return left * MAX_NODE_SCORE // capacity

    def _rating(self, used: int, capacity: int) -> int:
        return (capacity - used) * MAX_NODE_SCORE // capacity if used < capacity else 0


class _MostAllocated(_WeightedMean):
    """The percentage that is used, rounded down."""

    def _ratings(self, used: Scores, capacity: Scores) -> Scores:
        return np.minimum(used, capacity) * MAX_NODE_SCORE // capacity

    def _rating(self, used: int, capacity: int) -> int:
        return used * MAX_NODE_SCORE // capacity if used < capacity else MAX_NODE_SCORE


class _RequestedToCapacityRatio(_WeightedMean):
    """What the shape says of the percentage that is used; means are rounded to the nearest."""

    counts_zero = False

    def __init__(
        self,
        plugin: str,
        resources: Sequence[ScoredResource],
        shape: Sequence[UtilizationShapePoint],
    ) -> None:
        super().__init__(plugin, resources)
        self._of_percent = [_rating_at(shape, percent) for percent in range(_FULL_PERCENT + 1)]
        self._table = np.array(self._of_percent, np.int64)

    def _ratings(self, used: Scores, capacity: Scores) -> Scores:
        ratings: Scores = self._table[np.minimum(used, capacity) * _FULL_PERCENT // capacity]
        return ratings

    def _rating(self, used: int, capacity: int) -> int:
        return self._of_percent[min(used, capacity) * _FULL_PERCENT // capacity]

    def _means(self, total: Scores, weights: Scores) -> Scores:
        return (2 * total + weights) // (2 * weights)

    def _mean(self, total: int, weights: int) -> int:
        return (2 * total + weights) // (2 * weights)


def _rating_at(shape: Sequence[UtilizationShapePoint], percent: int) -> int:
    """The piecewise linear function of the shape, cut off towards its left point."""
    scale = MAX_NODE_SCORE // _SHAPE_SCORE_MAX
    right = bisect_left(shape, percent, key=lambda point: point.utilization)
    if right == 0:
        return shape[0].score * scale
    left = shape[right - 1]
    if right == len(shape):
        return left.score * scale
    rise = (shape[right].score - left.score) * scale
    run = shape[right].utilization - left.utilization
    climbed = abs(rise) * (percent - left.utilization) // run
    return left.score * scale + (climbed if rise > 0 else -climbed)
