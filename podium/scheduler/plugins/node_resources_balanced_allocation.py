"""NodeResourcesBalancedAllocation: prefers nodes whose resources the pod would use evenly.

The evenness of a node is 100 times one minus the standard deviation of the used fractions of its
resources, cut to a whole number: 50 to 100. The score compares evenness with and without the pod;
it is 75 if the pod changes nothing. The order of the floating-point operations is kube-scheduler
v1.36's, so that scores are exactly equal. Pods that request none of the resources aren't scored.
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from podium.scheduler.config.args import NodeResourcesBalancedAllocationArgs
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import MAX_NODE_SCORE, LocalScore
from podium.scheduler.plugins.node_resources.scored_resources import (
    Matrix,
    ScoredColumns,
    ScoredResources,
)
from podium.scheduler.snapshot.arrays import Rows, Scores
from podium.scheduler.snapshot.pod_info import PodInfo

Fractions = NDArray[np.float64]

_HALF = MAX_NODE_SCORE // 2


class NodeResourcesBalancedAllocation:
    """Scores nodes by how evenly their resources would be used (Score)."""

    name = "NodeResourcesBalancedAllocation"

    def __init__(
        self, handle: Handle, args: NodeResourcesBalancedAllocationArgs | None = None
    ) -> None:
        specs = (args or NodeResourcesBalancedAllocationArgs()).resources
        self._names = [spec.name for spec in specs]
        self._scored = ScoredResources(handle, specs, _Use, nonzero=False)

    def score(self, pod: PodInfo) -> LocalScore | None:
        if not any(map(pod.cls.held.get, self._names)):
            return None
        return _Balance(*self._scored.of(pod.cls.held))


class _Use(ScoredColumns):
    """The used amount of each resource, and the evenness of nodes without the pod."""

    factor = bound = 1

    def prepare(self) -> None:
        self.is_plain = len(self.used) == 2 and bool(self.has.all())
        self.held = np.zeros_like(self.capacity)
        """[resources, nodes], used amounts."""
        self.base = np.zeros(self.has.shape[1], np.int64)
        """int64[nodes]; the score is half the sum of `base` and the evenness with the pod."""
        self._held_at = [held.data for held in self.held]
        self._base_at = self.base.data

    def take_rows(self, rows: Rows | slice) -> None:
        for held, used in zip(self.held, self.used, strict=True):
            held[rows] = used[rows]
        self.base[rows] = 3 * _HALF - self.evenness(self.held[:, rows], rows)

    def take_row(self, row: int) -> None:
        fractions = []
        for held, (used, allocatable) in zip(self._held_at, self.at, strict=True):
            held[row] = used[row]
            if allocatable[row]:
                fractions.append(min(used[row] / float(allocatable[row]), 1.0))
        self._base_at[row] = 3 * _HALF - _row_evenness(fractions)

    def evenness(self, held: Matrix, rows: Rows | slice) -> Scores:
        out = self.scratch if isinstance(rows, slice) and self.is_exact else None
        fractions = np.divide(held, self.capacity[:, rows], out=out)
        np.minimum(fractions, self.bound_of(rows), out=fractions)
        if not self.is_plain:
            deviations = _deviations(fractions, self.has[:, rows])
        else:
            deviations = np.subtract(fractions[0], fractions[1], out=fractions[0])
            np.abs(deviations, out=deviations)
            deviations *= 0.5
        np.subtract(1, deviations, out=deviations)
        deviations *= MAX_NODE_SCORE
        return deviations.astype(np.int64)


class _Balance(LocalScore):
    plugin = NodeResourcesBalancedAllocation.name

    def __init__(self, use: _Use, requests: Sequence[int]) -> None:
        self._use = use
        self._requests = requests
        self._asked = use.column_of(requests)

    def all_scores(self, node_count: int) -> Scores:
        return self.scores(slice(None))

    def scores(self, rows: Rows | slice) -> Scores:
        use = self._use
        use.follow()
        out = use.scratch if isinstance(rows, slice) else None
        scores = use.evenness(np.add(use.held[:, rows], self._asked, out=out), rows)
        scores += use.base[rows]
        scores >>= 1
        return scores

    def score(self, row: int) -> int:
        without, with_pod = [], []
        if self._use.devices:
            self._use.follow()
        for (used, allocatable), request in zip(self._use.at, self._requests, strict=True):
            capacity = float(allocatable[row])
            if capacity:
                held = used[row]
                fraction = held / capacity
                without.append(fraction if fraction < 1 else 1.0)
                fraction = (held + request) / capacity
                with_pod.append(fraction if fraction < 1 else 1.0)
        change = _row_evenness(with_pod) - _row_evenness(without)
        return _HALF + (_HALF + change) // 2


def _row_evenness(fractions: Sequence[float]) -> int:
    deviation = 0.0
    if len(fractions) == 2:
        deviation = abs((fractions[0] - fractions[1]) / 2)
    elif len(fractions) > 2:
        # `sum` would round differently: it compensates for lost digits since Python 3.12.
        mean = total = 0.0
        for fraction in fractions:
            mean += fraction
        mean /= len(fractions)
        for fraction in fractions:
            total += (fraction - mean) * (fraction - mean)
        deviation = sqrt(total / len(fractions))
    return int((1 - deviation) * MAX_NODE_SCORE)


def _deviations(fractions: Fractions, has: NDArray[np.bool_]) -> Fractions:
    """Return the standard deviation of each row's fractions, float64[n], of [resources, n]."""
    if len(fractions) == 2:
        distances: Fractions = np.abs(fractions[0] - fractions[1]) * (has[0] & has[1])
        return distances / 2
    counts = has.sum(axis=0)
    divisors = np.maximum(counts, 1)
    mean, total = np.zeros((2, fractions.shape[1]))
    for of_resource in fractions * has:
        mean += of_resource
    mean /= divisors
    for distance in (fractions - mean) * has:
        total += distance * distance
    highest = fractions.max(axis=0, where=has, initial=0)
    lowest = fractions.min(axis=0, where=has, initial=1)
    deviations = np.sqrt(total / divisors)
    return np.where(counts > 2, deviations, np.where(counts == 2, (highest - lowest) / 2, 0))
