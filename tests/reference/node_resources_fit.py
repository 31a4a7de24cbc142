"""NodeResourcesFit, one node at a time, in upstream's order of comparisons."""

from collections.abc import Sequence

from podium.api.objects import Object
from podium.api.resources import (
    SCORING_DEFAULTS,
    is_extended_resource,
    is_scalar_resource,
    pod_requests,
    resource_amount,
)
from podium.scheduler.config.args import (
    NodeResourcesFitArgs,
    ScoringStrategyType,
    UtilizationShapePoint,
)
from tests.reference.node_resources import allocatable, requested
from tests.reference.verdict import UNRESOLVABLE, UNSCHEDULABLE, Verdict

NATIVE = ["cpu", "memory", "ephemeral-storage"]


def filter_node(
    pod: Object, node: Object, pods: Sequence[Object], args: NodeResourcesFitArgs
) -> Verdict:
    has, held = allocatable(node), requested(pods)
    reasons, code = [], UNSCHEDULABLE
    if len(pods) + 1 > has.get("pods", 0):
        reasons.append("Too many pods")
    wanted = {name: resource_amount(name, nanos) for name, nanos in pod_requests(pod).items()}
    scalar = [name for name in wanted if is_scalar_resource(name) and not _ignored(name, args)]
    for name in NATIVE + scalar:
        amount = wanted.get(name, 0)
        if amount > 0 and amount > has.get(name, 0) - held.get(name, 0):
            reasons.append(f"Insufficient {name}")
            if amount > has.get(name, 0):
                code = UNRESOLVABLE
    return (code, tuple(reasons)) if reasons else None


def score_node(
    pod: Object, node: Object, pods: Sequence[Object], args: NodeResourcesFitArgs
) -> int:
    strategy = args.scoring_strategy
    has, held, nonzero = allocatable(node), requested(pods), requested(pods, nonzero=True)
    own = pod_requests(pod, use_status=True, default_missing=SCORING_DEFAULTS, pod_level=False)
    total = weights = 0
    for resource in strategy.resources:
        name = resource.name
        request = resource_amount(name, own.get(name, 0))
        if has.get(name, 0) == 0 or (name not in NATIVE and not request):
            continue
        used = (nonzero if name in ("cpu", "memory") else held).get(name, 0) + request
        rating = _rating(strategy.type, used, has[name], strategy.shape)
        if strategy.type == ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO and not rating:
            continue
        total += rating * resource.weight
        weights += resource.weight
    if not weights:
        return 0
    if strategy.type == ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO:
        return int(total / weights + 0.5)
    return total // weights


def _ignored(name: str, args: NodeResourcesFitArgs) -> bool:
    if not is_extended_resource(name):
        return False
    return name in args.ignored_resources or name.split("/")[0] in args.ignored_resource_groups


def _rating(
    kind: ScoringStrategyType, used: int, capacity: int, shape: Sequence[UtilizationShapePoint]
) -> int:
    if kind == ScoringStrategyType.LEAST_ALLOCATED:
        return 0 if used > capacity else (capacity - used) * 100 // capacity
    if kind == ScoringStrategyType.MOST_ALLOCATED:
        return min(used, capacity) * 100 // capacity
    percent = 100 if used > capacity else used * 100 // capacity
    return _on_line(percent, [(point.utilization, point.score * 10) for point in shape])


def _on_line(x: int, points: Sequence[tuple[int, int]]) -> int:
    for index, (right, score) in enumerate(points):
        if x <= right:
            if index == 0:
                return score
            left, before = points[index - 1]
            return before + int((score - before) * (x - left) / (right - left))
    return points[-1][1]
