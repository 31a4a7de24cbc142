"""NodeResourcesBalancedAllocation: a node is better the more evenly its resources are used.

The score is 100 times one minus the standard deviation of the used fractions, cut to a whole
number. The order of the floating-point operations is that of kube-scheduler v1.36, so that the
scores are equal to the unit. Pods that request none of the resources aren't scored.
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from podium.api.resources import pod_requests, resource_amount
from podium.config.args import NodeResourcesBalancedAllocationArgs
from podium.core.framework import MAX_NODE_SCORE, LocalScore, Rows, Scores
from podium.core.handle import Handle
from podium.core.pods import PodInfo
from podium.core.scored_resources import ScoredResource, scored_resources

Fractions = NDArray[np.float64]


class NodeResourcesBalancedAllocation:
    """Ranks nodes by how balanced the use of their resources would be (Score)."""

    name = "NodeResourcesBalancedAllocation"

    def __init__(
        self, handle: Handle, args: NodeResourcesBalancedAllocationArgs | None = None
    ) -> None:
        self._snapshot = handle.snapshot
        self._specs = (args or NodeResourcesBalancedAllocationArgs()).resources

    def score(self, pod: PodInfo) -> LocalScore | None:
        nanos = pod_requests(pod.cls.pod, use_status=True)
        requests = {resource: resource_amount(resource, n) for resource, n in nanos.items()}
        if not any(requests.get(spec.name) for spec in self._specs):
            return None
        columns = self._snapshot.resources
        return _Balance(scored_resources(columns, self._specs, requests, nonzero=False))


class _Balance(LocalScore):
    """Only the resources that a node has count."""

    plugin = NodeResourcesBalancedAllocation.name

    def __init__(self, resources: Sequence[ScoredResource]) -> None:
        self._resources = resources
        self._at = [(r.used.data, r.allocatable.data, r.request) for r in resources]

    def scores(self, rows: Rows) -> Scores:
        fractions = np.empty((len(self._resources), len(rows)))
        has = np.empty(fractions.shape, bool)
        for index, resource in enumerate(self._resources):
            allocatable = resource.allocatable[rows]
            used = resource.used[rows] + resource.request
            fractions[index] = np.minimum(used / np.maximum(allocatable, 1), 1)
            has[index] = allocatable > 0
        deviations = _deviations(fractions, has)
        return ((1 - deviations) * MAX_NODE_SCORE).astype(np.int64)

    def score(self, row: int) -> int:
        fractions = []
        for used, allocatable, request in self._at:
            capacity = allocatable[row]
            if capacity:
                fraction = float(used[row] + request) / float(capacity)
                fractions.append(fraction if fraction < 1 else 1.0)
        return int((1 - _deviation(fractions)) * MAX_NODE_SCORE)


def _deviation(fractions: list[float]) -> float:
    """The standard deviation; of two fractions, half their distance."""
    if len(fractions) == 2:
        return abs((fractions[0] - fractions[1]) / 2)
    if len(fractions) < 2:
        return 0.0
    # `sum` would round differently: it compensates for lost digits since Python 3.12.
    mean = total = 0.0
    for fraction in fractions:
        mean += fraction
    mean /= len(fractions)
    for fraction in fractions:
        total += (fraction - mean) * (fraction - mean)
    return sqrt(total / len(fractions))


def _deviations(fractions: Fractions, has: NDArray[np.bool_]) -> Fractions:
    """`_deviation` of the fractions of each row that it has.

    Args:
        fractions: float64[resources, n].
        has: bool[resources, n].

    Returns:
        float64[n].
    """
    if len(fractions) == 2:
        halves: Fractions = np.abs(fractions[0] - fractions[1]) / 2
        return np.where(has[0] & has[1], halves, 0)
    counts = has.sum(axis=0)
    divisors = np.maximum(counts, 1)
    mean, total = np.zeros((2, fractions.shape[1]))
    for row in fractions * has:
        mean += row
    mean /= divisors
    for row in (fractions - mean) * has:
        total += row * row
    halves = (
        fractions.max(axis=0, where=has, initial=0) - fractions.min(axis=0, where=has, initial=1)
    ) / 2
    return np.where(counts > 2, np.sqrt(total / divisors), np.where(counts == 2, halves, 0))
