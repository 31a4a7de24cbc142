"""NodeResourcesFit's scoring strategies, in the integer arithmetic of kube-scheduler v1.36.

LeastAllocated, MostAllocated and RequestedToCapacityRatio rate each resource of a node from 0 to
100. The score is the weighted mean of the ratings. Amounts are below 2**63 / 100: upstream's
arithmetic overflows above that.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.scheduler.config.args import ScoringStrategy, ScoringStrategyType, UtilizationShapePoint
from podium.scheduler.framework.interface import MAX_NODE_SCORE, LocalScore
from podium.scheduler.plugins.node_resources.scored_resources import Matrix, ScoredColumns
from podium.scheduler.snapshot.arrays import Rows, Scores

_FULL_PERCENT = 100
_SHAPE_SCORE_MAX = 10


class FreeAmounts(ScoredColumns):
    """Free amounts of each resource, times a hundred."""

    factor, bound = _FULL_PERCENT, 0

    def prepare(self) -> None:
        self.full = self.capacity * _FULL_PERCENT * self.has
        """[resources, nodes], a hundred times what nodes have."""
        self.weight_sums = np.maximum(self.weights @ self.has, 1).astype(self.dtype)
        """[nodes], sum of the weights of the resources that a node has; at least 1."""
        self.left = np.zeros_like(self.capacity)
        """[resources, nodes]; negative if more is requested than the node has, or it has none."""
        self._left_at = [left.data for left in self.left]

    def take_rows(self, rows: NDArray[np.intp] | slice) -> None:
        for left, used, capacity, has in zip(
            self.left, self.used, self.capacity, self.has, strict=True
        ):
            free = np.maximum(capacity[rows] - used[rows], -1) * _FULL_PERCENT
            left[rows] = np.where(has[rows], free, -1)

    def take_row(self, row: int) -> None:
        for left, (used, allocatable) in zip(self._left_at, self.at, strict=True):
            if allocatable[row]:
                left[row] = max(allocatable[row] - used[row], -1) * _FULL_PERCENT


class AllocationScore(LocalScore, ABC):
    """The weighted mean of a strategy's ratings of resources, as the score of a plugin.

    `counts_zero` says whether resources rated 0 count in the mean.
    """

    counts_zero: ClassVar[bool] = True

    def __init__(
        self, plugin: str, strategy: ScoringStrategy, free: FreeAmounts, requests: Sequence[int]
    ) -> None:
        self.plugin = plugin
        self._free = free
        self._requests = requests
        self._request_column = free.column_of(requests)

    def all_scores(self, node_count: int) -> Scores:
        return self.scores(slice(None))

    def scores(self, rows: Rows | slice) -> Scores:
        free = self._free
        free.follow()
        out = free.scratch if isinstance(rows, slice) else None
        left = np.subtract(free.left[:, rows], self._request_column, out=out)
        np.maximum(left, free.bound_of(rows), out=left)
        return self._means(self._ratings(left, rows), rows).astype(np.int64)

    def score(self, row: int) -> int:
        total = weights = 0
        if self._free.devices:
            self._free.follow()
        for (used, allocatable), request, weight in zip(
            self._free.at, self._requests, self._free.weights_of, strict=True
        ):
            capacity = allocatable[row]
            if capacity:
                rating = self._rating(used[row] + request, capacity)
                if rating or self.counts_zero:
                    total += rating * weight
                    weights += weight
        return self._mean(total, weights) if weights else 0

    @abstractmethod
    def _ratings(self, left: Matrix, rows: Rows | slice) -> Matrix:
        """Rate rows by what would be left, times a hundred; 0 if the node has nothing."""

    @abstractmethod
    def _rating(self, used: int, capacity: int) -> int: ...

    def _means(self, ratings: Matrix, rows: Rows | slice) -> Matrix:
        total = self._free.weights @ ratings
        if total.dtype != np.float64:
            return _quotient(total, self._free.weight_sums[rows])
        means: Matrix = np.divide(total, self._free.weight_sums[rows], out=total)
        return means

    def _mean(self, total: int, weights: int) -> int:
        return total // weights


class _LeastAllocated(AllocationScore):
    def _ratings(self, left: Matrix, rows: Rows | slice) -> Matrix:
        return _quotient(left, self._free.capacity[:, rows])

    def _rating(self, used: int, capacity: int) -> int:
        return (capacity - used) * MAX_NODE_SCORE // capacity if used < capacity else 0


class _MostAllocated(AllocationScore):
    def _ratings(self, left: Matrix, rows: Rows | slice) -> Matrix:
        return _quotient(self._free.full[:, rows] - left, self._free.capacity[:, rows])

    def _rating(self, used: int, capacity: int) -> int:
        return used * MAX_NODE_SCORE // capacity if used < capacity else MAX_NODE_SCORE


class _RequestedToCapacityRatio(AllocationScore):
    """Rates the used percentage by a piecewise linear shape; rounds the mean to nearest."""

    counts_zero = False

    def __init__(
        self, plugin: str, strategy: ScoringStrategy, free: FreeAmounts, requests: Sequence[int]
    ) -> None:
        super().__init__(plugin, strategy, free, requests)
        percents = range(_FULL_PERCENT + 1)
        self._of_percent = [_rating_at(strategy.shape, percent) for percent in percents]
        self._table = np.array(self._of_percent, np.int64)

    def _ratings(self, left: Matrix, rows: Rows | slice) -> Matrix:
        free = self._free
        percent = _quotient(free.full[:, rows] - left, free.capacity[:, rows])
        return self._table[percent.astype(np.int64)] * free.has[:, rows]

    def _rating(self, used: int, capacity: int) -> int:
        return self._of_percent[min(used, capacity) * _FULL_PERCENT // capacity]

    def _means(self, ratings: Matrix, rows: Rows | slice) -> Matrix:
        weights = self._free.weights.astype(np.int64)
        total, counted = weights @ ratings, np.maximum(weights @ (ratings > 0), 1)
        means: Matrix = (2 * total + counted) // (2 * counted)
        return means

    def _mean(self, total: int, weights: int) -> int:
        return (2 * total + weights) // (2 * weights)


STRATEGIES: Mapping[ScoringStrategyType, type[AllocationScore]] = {
    ScoringStrategyType.LEAST_ALLOCATED: _LeastAllocated,
    ScoringStrategyType.MOST_ALLOCATED: _MostAllocated,
    ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO: _RequestedToCapacityRatio,
}


def _quotient(dividend: Matrix, divisor: Matrix) -> Matrix:
    """Divide whole numbers, rounding down; the dividend is overwritten."""
    if dividend.dtype != np.float64:
        return dividend // divisor
    # No fraction is so close below a whole number that it would be rounded up to it.
    np.divide(dividend, divisor, out=dividend)
    return np.floor(dividend, out=dividend)


def _rating_at(shape: Sequence[UtilizationShapePoint], percent: int) -> int:
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
