"""Arguments of NodeResourcesFit and NodeResourcesBalancedAllocation.

The rules are those of `validation_pluginargs.go` in `pkg/scheduler/apis/config/validation` and of
`defaults.go` in `pkg/scheduler/apis/config/v1`, v1.36.
"""

from collections.abc import Callable
from itertools import pairwise

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.labels import validate_label_key
from podium.config.args import (
    DEFAULT_RESOURCES,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    ResourceSpec,
    ScoringStrategy,
    ScoringStrategyType,
    UtilizationShapePoint,
)
from podium.config.reading.fields import Fields

FIT_FIELDS = ("ignoredResources", "ignoredResourceGroups", "scoringStrategy")
BALANCED_ALLOCATION_FIELDS = ("resources",)

_RATIO = ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO
_WEIGHT_MAX = 100
_UTILIZATION_MAX = 100
_SCORE_MAX = 10
_NO_POINTS = "at least one point is needed, such as {utilization: 0, score: 0}"


def read_fit(fields: Fields) -> NodeResourcesFitArgs:
    """The arguments of NodeResourcesFit."""
    return NodeResourcesFitArgs(
        ignored_resources=_names(fields, "ignoredResources", validate_label_key),
        ignored_resource_groups=_names(fields, "ignoredResourceGroups", _validate_group),
        scoring_strategy=_strategy(fields),
    )


def read_balanced_allocation(fields: Fields) -> NodeResourcesBalancedAllocationArgs:
    """The arguments of NodeResourcesBalancedAllocation: each resource once, with weight 1."""
    names: list[str] = []
    for resource in fields.each("resources", ("name", "weight")):
        name = resource.text("name")
        if name in names:
            resource.fault("name", "", ErrorKind.DUPLICATE)
        if (resource.integer("weight", bits=64) or 1) != 1:
            resource.fault("weight", "must be 1: balance knows no weights")
        names.append(name)
    resources = tuple(ResourceSpec(name) for name in names)
    return NodeResourcesBalancedAllocationArgs(resources or DEFAULT_RESOURCES)


def _names(fields: Fields, field: str, validate: Callable[[str], list[str]]) -> frozenset[str]:
    names = fields.texts(field)
    fields.findings.faults += [
        FieldError(f"{fields.at(field)}[{index}]", name, message)
        for index, name in enumerate(names)
        for message in validate(name)
    ]
    return frozenset(names)


def _validate_group(group: str) -> list[str]:
    slash = ["must be what stands before the '/' of resource names"] if "/" in group else []
    return slash + validate_label_key(group)


def _strategy(fields: Fields) -> ScoringStrategy:
    if not fields.has("scoringStrategy"):
        return ScoringStrategy()
    known = ("type", "resources", "requestedToCapacityRatio")
    strategy = fields.nested("scoringStrategy", known)
    kind = _strategy_type(strategy)
    resources = tuple(_resource(r) for r in strategy.each("resources", ("name", "weight")))
    return ScoringStrategy(kind, resources or DEFAULT_RESOURCES, _ratio_shape(strategy, kind))


def _strategy_type(strategy: Fields) -> ScoringStrategyType:
    # Only a strategy that is left out altogether has a default type.
    text = strategy.text("type")
    if text in list(ScoringStrategyType):
        return ScoringStrategyType(text)
    strategy.findings.faults.append(unsupported(strategy.at("type"), text, ScoringStrategyType))
    return ScoringStrategyType.LEAST_ALLOCATED


def _resource(resource: Fields) -> ResourceSpec:
    weight = resource.integer("weight", bits=64) or 1
    if not 1 <= weight <= _WEIGHT_MAX:
        resource.fault("weight", f"must be from 1 to {_WEIGHT_MAX}")
    return ResourceSpec(resource.text("name"), weight)


def _ratio_shape(strategy: Fields, kind: ScoringStrategyType) -> tuple[UtilizationShapePoint, ...]:
    field = "requestedToCapacityRatio"
    if kind is not _RATIO:
        if strategy.has(field):
            strategy.fault(field, f"only with type {_RATIO}", ErrorKind.FORBIDDEN)
        return ()
    if not strategy.has(field):
        strategy.fault(field, f"type {_RATIO} needs it", ErrorKind.REQUIRED)
        return ()
    return _shape(strategy.nested(field, ("shape",)))


def _shape(ratio: Fields) -> tuple[UtilizationShapePoint, ...]:
    points = ratio.each("shape", ("utilization", "score"))
    shape = tuple(
        UtilizationShapePoint(
            point.integer_in("utilization", 0, 0, _UTILIZATION_MAX),
            point.integer_in("score", 0, 0, _SCORE_MAX),
        )
        for point in points
    )
    if not points:
        ratio.fault("shape", _NO_POINTS, ErrorKind.REQUIRED)
    for point, (left, right) in zip(points[1:], pairwise(shape), strict=True):
        if left.utilization >= right.utilization:
            point.fault("utilization", "must be greater than the one before")
    return shape
