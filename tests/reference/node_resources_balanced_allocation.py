"""NodeResourcesBalancedAllocation, one node at a time, operation by operation as upstream."""

from collections.abc import Sequence
from math import sqrt

from podium.api.objects import Object
from podium.api.resources import pod_requests, resource_amount
from podium.scheduler.config.args import ResourceSpec
from tests.reference.node_resources import allocatable, requested

NATIVE = ("cpu", "memory", "ephemeral-storage")


def score_node(
    pod: Object, node: Object, pods: Sequence[Object], specs: Sequence[ResourceSpec]
) -> int | None:
    """None if the pod isn't scored."""
    own = {n: resource_amount(n, nanos) for n, nanos in pod_requests(pod, use_status=True).items()}
    if not any(own.get(spec.name, 0) for spec in specs):
        return None
    has, held = allocatable(node), requested(pods)
    names = [spec.name for spec in specs if spec.name in NATIVE or own.get(spec.name, 0)]
    names = [name for name in names if has.get(name, 0)]
    before = [(held.get(name, 0), has[name]) for name in names]
    after = [(held.get(name, 0) + own.get(name, 0), has[name]) for name in names]
    return 50 + (50 + _balance(after) - _balance(before)) // 2


def _balance(pairs: Sequence[tuple[int, int]]) -> int:
    fractions = []
    total = 0.0
    for used, capacity in pairs:
        fraction = float(used) / float(capacity)
        if fraction > 1:
            fraction = 1.0
        total += fraction
        fractions.append(fraction)
    deviation = 0.0
    if len(fractions) == 2:
        deviation = abs((fractions[0] - fractions[1]) / 2)
    elif len(fractions) > 2:
        mean = total / float(len(fractions))
        squares = 0.0
        for fraction in fractions:
            squares = squares + (fraction - mean) * (fraction - mean)
        deviation = sqrt(squares / float(len(fractions)))
    return int((1 - deviation) * 100)
