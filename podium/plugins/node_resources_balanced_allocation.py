"""NodeResourcesBalancedAllocation: a node is better the more evenly the pod would make it used.

How even the use of a node is, is 100 times one minus the standard deviation of the used fractions
of its resources, cut to a whole number: 50 to 100. The score compares how even it is with the pod
and without: 75 if the pod changes nothing. The order of the floating-point operations is that of
kube-scheduler v1.36, so that scores are equal to the unit. Pods that request none of the
resources aren't scored.
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

_HALF = MAX_NODE_SCORE // 2


class NodeResourcesBalancedAllocation:
    """Ranks nodes by how balanced the use of their resources would become (Score)."""

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
        self._used = [r.used for r in resources]
        self._requests = np.array([[r.request] for r in resources])
        allocatable = np.array([r.allocatable for r in resources])
        self._has = allocatable > 0
        self._divisors = np.maximum(allocatable, 1)
        self._at = [
            (r.used.data, r.allocatable.astype(np.float64).data, r.request) for r in resources
        ]

    def scores(self, rows: Rows) -> Scores:
        used = np.array([column[rows] for column in self._used])
        has, divisors = self._has[:, rows], self._divisors[:, rows]
        without = np.minimum(used / divisors, 1)
        with_pod = np.minimum((used + self._requests) / divisors, 1)
        change = _evenness(with_pod, has) - _evenness(without, has)
        return _HALF + (_HALF + change) // 2

    def score(self, row: int) -> int:
        without, with_pod = [], []
        for used, allocatable, request in self._at:
            capacity = allocatable[row]
            if capacity:
                held = used[row]
                fraction = held / capacity
                without.append(fraction if fraction < 1 else 1.0)
                fraction = (held + request) / capacity
                with_pod.append(fraction if fraction < 1 else 1.0)
        change = _row_evenness(with_pod) - _row_evenness(without)
        return _HALF + (_HALF + change) // 2


def _row_evenness(fractions: Sequence[float]) -> int:
    """How evenly resources are used, given their used fractions."""
    return int((1 - _row_deviation(fractions)) * MAX_NODE_SCORE)


def _row_deviation(fractions: Sequence[float]) -> float:
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


def _evenness(fractions: Fractions, has: NDArray[np.bool_]) -> Scores:
    """`_row_evenness` of each row.

    Args:
        fractions: float64[resources, n].
        has: bool[resources, n], which fractions count.

    Returns:
        int64[n].
    """
    return ((1 - _deviations(fractions, has)) * MAX_NODE_SCORE).astype(np.int64)


def _deviations(fractions: Fractions, has: NDArray[np.bool_]) -> Fractions:
    """`_row_deviation` of each row, float64[n]; the arguments are those of `_evenness`."""
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
