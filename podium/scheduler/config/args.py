"""Arguments (`pluginConfig[].args`) of the in-tree plugins, with v1.36's defaults and validation.

Each class has the name of its kind in `kubescheduler.config.k8s.io/v1`. The rules are those of
`validation_pluginargs.go` in `pkg/scheduler/apis/config/validation` and of `defaults.go` in
`pkg/scheduler/apis/config/v1`, with the default feature gates. In addition, default constraints
are refused if their `minDomains` or inclusion policies would be invalid in a pod. Arguments of
third-party plugins are kept as they were written.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from podium.api.documents.document import (
    Bits,
    Choice,
    Document,
    Duration,
    FrozenSet,
    Range,
    Required,
    Tuple,
    decode,
    fault,
    member_of,
    refuse,
)
from podium.api.errors import ErrorKind, FieldError
from podium.api.objects import part
from podium.api.selectors.labels import validate_label_key
from podium.api.selectors.node_selector import node_selector, preferred_terms
from podium.api.values.quantity import INT64_MAX
from podium.api.well_known import PREFERRED, REQUIRED

API_VERSION = "kubescheduler.config.k8s.io/v1"


def _label_key(key: str) -> str:
    if problems := validate_label_key(key):
        raise fault("; ".join(problems))
    return key


def _group(group: str) -> str:
    if "/" in group:
        raise fault("must be what stands before the '/' of resource names")
    return _label_key(group)


def _at_least_a_second(seconds: float) -> float:
    if seconds < 1:
        raise fault("must be at least 1s")
    return seconds


def _forbidden(why: str) -> BeforeValidator:

    def refuse_any(_value: Any) -> Any:
        raise fault(why, ErrorKind.FORBIDDEN)

    return BeforeValidator(refuse_any)


LabelKey = Annotated[str, AfterValidator(_label_key)]
Percentage = Annotated[int, Range(0, 100)]


class ScoringStrategyType(StrEnum):
    """How NodeResourcesFit scores a node."""

    LEAST_ALLOCATED = "LeastAllocated"
    MOST_ALLOCATED = "MostAllocated"
    REQUESTED_TO_CAPACITY_RATIO = "RequestedToCapacityRatio"


class DefaultingType(StrEnum):
    """Source of the topology spread constraints of pods that have none of their own."""

    SYSTEM = "System"
    LIST = "List"


class PluginArgs(Document):
    """Arguments of one plugin; `apiVersion` and `kind` may be left out."""

    api_version: Annotated[str, Choice((API_VERSION,))] = API_VERSION
    kind: str = ""

    @field_validator("kind")
    @classmethod
    def _is_of_its_kind(cls, value: str) -> str:
        if value not in ("", cls.__name__):
            raise fault(f"must be {cls.__name__}")
        return value

    def notes(self) -> Iterable[str]:
        """Describe each argument that has no effect, starting with its path below `args`."""
        return ()


class ResourceSpec(Document):
    """A resource that counts in a score, with its weight (1 to 100; 0 stands for 1)."""

    name: str = ""
    weight: Annotated[int, AfterValidator(lambda weight: weight or 1), Range(1, 100)] = 1


DEFAULT_RESOURCES = (ResourceSpec(name="cpu"), ResourceSpec(name="memory"))


Resources = Annotated[
    Tuple[ResourceSpec], AfterValidator(lambda resources: resources or DEFAULT_RESOURCES)
]


class UtilizationShapePoint(Document):
    """A point of a piecewise linear score: `utilization` in percent, `score` from 0 to 10."""

    utilization: Percentage = 0
    score: Annotated[int, Range(0, 10)] = 0


class RequestedToCapacityRatio(Document):
    """The shape of a piecewise linear score, with utilization increasing from point to point."""

    shape: Tuple[UtilizationShapePoint] = ()

    def contradictions(self) -> Iterator[FieldError]:
        for at, (left, right) in enumerate(pairwise(self.shape), 1):
            if left.utilization >= right.utilization:
                message = "must be greater than the one before"
                yield FieldError(f"shape[{at}].utilization", right.utilization, message)


class ScoringStrategy(Document):
    """How NodeResourcesFit scores nodes."""

    type: Annotated[ScoringStrategyType, member_of(ScoringStrategyType)]
    """The strategy, required wherever a `scoringStrategy` is written."""
    resources: Resources = DEFAULT_RESOURCES
    """The resources that the strategy scores."""
    requested_to_capacity_ratio: RequestedToCapacityRatio | None = None
    """Required by the type RequestedToCapacityRatio, else forbidden."""

    @property
    def shape(self) -> tuple[UtilizationShapePoint, ...]:
        """Points of the piecewise linear score; empty unless `type` is RequestedToCapacityRatio."""
        ratio = self.requested_to_capacity_ratio
        return ratio.shape if ratio else ()

    @model_validator(mode="before")
    @classmethod
    def _has_type(cls, value: Any) -> Any:
        return {"type": "", **value} if isinstance(value, dict) else value

    def contradictions(self) -> Iterator[FieldError]:
        field, ratio = "requestedToCapacityRatio", ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO
        given = self.requested_to_capacity_ratio
        if self.type is ratio and given is None:
            yield FieldError(field, None, f"type {ratio} needs it", ErrorKind.REQUIRED)
        if self.type is ratio and given is not None and not given.shape:
            message = "at least one point is needed, such as {utilization: 0, score: 0}"
            yield FieldError(f"{field}.shape", None, message, ErrorKind.REQUIRED)
        if self.type is not ratio and given is not None:
            yield FieldError(field, None, f"only with type {ratio}", ErrorKind.FORBIDDEN)


class DefaultPreemptionArgs(PluginArgs):
    """How many candidate nodes DefaultPreemption considers before it chooses one.

    It is max(nodes * min_candidate_nodes_percentage / 100, min_candidate_nodes_absolute).
    """

    min_candidate_nodes_percentage: Percentage = 10
    """0 to 100, of the nodes where removing pods may help."""
    min_candidate_nodes_absolute: Annotated[int, Range(0)] = 100
    """At least 0; not 0 if the percentage is 0."""

    @property
    def limits_candidates(self) -> bool:
        """Whether the document sets either number; if not, Podium considers all candidates."""
        return self.gives("min_candidate_nodes_percentage", "min_candidate_nodes_absolute")

    def contradictions(self) -> Iterable[FieldError]:
        fields = ("minCandidateNodesPercentage", "minCandidateNodesAbsolute")
        if self.min_candidate_nodes_percentage == self.min_candidate_nodes_absolute == 0:
            for field, other in (fields, fields[::-1]):
                yield FieldError(field, 0, f"can't be 0 together with {other}")


class InterPodAffinityArgs(PluginArgs):
    """Arguments of the InterPodAffinity plugin."""

    hard_pod_affinity_weight: Percentage = 1
    """Score of a domain for each required affinity term of an existing pod there that matches the
    incoming pod; 0 to 100."""
    ignore_preferred_terms_of_existing_pods: bool = False
    """Ignore existing pods' preferred terms, unless the incoming pod has inter-pod affinity
    itself."""


class NodeSelectorRequirement(Document):
    """A requirement of a node's labels or fields."""

    key: str = ""
    operator: str = ""
    values: Tuple[str] = ()


class NodeSelectorTerm(Document):
    """Requirements that a node must meet together."""

    match_expressions: Tuple[NodeSelectorRequirement] = ()
    match_fields: Tuple[NodeSelectorRequirement] = ()


class NodeSelector(Document):
    """Terms of which a node must meet at least one."""

    node_selector_terms: Tuple[NodeSelectorTerm] = ()


class PreferredSchedulingTerm(Document):
    """A preferred term of node affinity; a matching node scores the term's weight."""

    weight: Annotated[int, Bits(32), Range(0)] = 0
    preference: NodeSelectorTerm = NodeSelectorTerm()


class NodeAffinity(Document):
    """A pod's node affinity."""

    required: Annotated[NodeSelector, Field(alias=REQUIRED)] = NodeSelector()
    preferred: Annotated[Tuple[PreferredSchedulingTerm], Field(alias=PREFERRED)] = ()

    @classmethod
    def shape(cls) -> BeforeValidator:
        """Return a validator of fields that hold a node affinity as the API writes it."""

        def checked(value: Any) -> Any:
            refuse(decode(cls, value).faults)
            required = node_selector(part(value, REQUIRED)).errors
            preferred = [e for _, term in preferred_terms(value.get(PREFERRED)) for e in term.error]
            refuse(
                [
                    *(fault.under(REQUIRED) for fault in required),
                    *(fault.under(PREFERRED) for fault in preferred),
                ]
            )
            return value

        return BeforeValidator(checked)


class NodeAffinityArgs(PluginArgs):
    """Arguments of the NodeAffinity plugin."""

    added_affinity: Annotated[Mapping[str, Any], NodeAffinity.shape()] | None = None
    """Valid node affinity that counts for every pod; None adds nothing."""


class NodeResourcesFitArgs(PluginArgs):
    """Arguments of the NodeResourcesFit plugin."""

    ignored_resources: FrozenSet[LabelKey] = frozenset()
    """Extended resources that the filter ignores."""
    ignored_resource_groups: FrozenSet[Annotated[str, AfterValidator(_group)]] = frozenset()
    """Groups of extended resources (`GROUP/…`) that the filter ignores."""
    scoring_strategy: ScoringStrategy = ScoringStrategy(type=ScoringStrategyType.LEAST_ALLOCATED)
    """How nodes are scored; resources that the filter ignores can be scored."""


class NodeResourcesBalancedAllocationArgs(PluginArgs):
    """Resources that NodeResourcesBalancedAllocation balances, all with weight 1 as in v1.36."""

    resources: Resources = DEFAULT_RESOURCES

    def contradictions(self) -> Iterable[FieldError]:
        names: set[str] = set()
        for index, resource in enumerate(self.resources):
            path = f"resources[{index}]"
            if resource.name in names:
                yield FieldError(f"{path}.name", resource.name, "", ErrorKind.DUPLICATE)
            if resource.weight != 1:
                message = "must be 1: balance knows no weights"
                yield FieldError(f"{path}.weight", resource.weight, message)
            names.add(resource.name)


class TopologySpreadConstraint(Document):
    """A default topology spread constraint; its selector is deduced from each pod's owners."""

    max_skew: Annotated[int, Range(1)]
    """At least 1."""
    topology_key: Annotated[str, Required(), AfterValidator(_label_key)]
    """The node label whose values are the domains."""
    when_unsatisfiable: Annotated[str, Choice(("DoNotSchedule", "ScheduleAnyway"))]
    """`DoNotSchedule` or `ScheduleAnyway`."""
    label_selector: Annotated[
        None, _forbidden("the selector is deduced from each pod's owners")
    ] = None
    """Forbidden."""
    min_domains: Annotated[int, Range(1)] | None = None
    """1 if absent."""
    node_affinity_policy: Annotated[str, Choice(("Honor", "Ignore"))] = "Honor"
    """`Honor` or `Ignore`."""
    node_taints_policy: Annotated[str, Choice(("Honor", "Ignore"))] = "Ignore"
    """`Honor` or `Ignore`."""
    match_label_keys: Tuple[str] = ()
    """Has no effect."""


class PodTopologySpreadArgs(PluginArgs):
    """Arguments of the PodTopologySpread plugin."""

    default_constraints: Tuple[TopologySpreadConstraint] = ()
    """Constraints of pods without any; empty if `defaulting_type` is System."""
    defaulting_type: Annotated[
        DefaultingType,
        member_of(DefaultingType),
        BeforeValidator(lambda value: value or DefaultingType.SYSTEM),
    ] = DefaultingType.SYSTEM
    """`List`, or `System` for the built-in default constraints."""

    def contradictions(self) -> Iterable[FieldError]:
        if self.defaulting_type is DefaultingType.SYSTEM and self.default_constraints:
            message = "must be List for the defaultConstraints to count"
            yield FieldError("defaultingType", self.defaulting_type, message)
        seen = set()
        for index, constraint in enumerate(self.default_constraints):
            pair = (constraint.topology_key, constraint.when_unsatisfiable)
            if pair in seen:
                shown = f"{{{', '.join(pair)}}}"
                yield FieldError(f"defaultConstraints[{index}]", shown, "", ErrorKind.DUPLICATE)
            seen.add(pair)

    def notes(self) -> Iterable[str]:
        for index, constraint in enumerate(self.default_constraints):
            if constraint.match_label_keys:
                yield f".defaultConstraints[{index}].matchLabelKeys has no effect"


class VolumeBindingArgs(PluginArgs):
    """Time limit for binding a pod's volumes, in seconds; 0 doesn't wait for volumes."""

    bind_timeout_seconds: Annotated[int, Range(0, INT64_MAX)] = 600
    shape: Annotated[
        None,
        _forbidden(
            "needs the feature gate StorageCapacityScoring, which is off by default in v1.36"
        ),
    ] = None


class DynamicResourcesArgs(PluginArgs):
    """Time limits of DynamicResources, in seconds."""

    filter_timeout: Duration = 10.0
    """Limit of the search for devices on a node, at 100,000 devices a second; 0 for no limit."""
    binding_timeout: Annotated[Duration, AfterValidator(_at_least_a_second)] = 600.0
    """Limit of waiting for devices to become ready, at least a second."""


@dataclass(frozen=True, slots=True)
class CustomArgs:
    """Arguments of a third-party plugin, as they were written."""

    values: Mapping[str, object]


Args = PluginArgs | CustomArgs

DEFAULT_ARGS: Mapping[str, PluginArgs] = {
    kind.__name__.removesuffix("Args"): kind()
    for kind in (
        DefaultPreemptionArgs,
        DynamicResourcesArgs,
        InterPodAffinityArgs,
        NodeAffinityArgs,
        NodeResourcesBalancedAllocationArgs,
        NodeResourcesFitArgs,
        PodTopologySpreadArgs,
        VolumeBindingArgs,
    )
}
"""Default arguments of all in-tree plugins that take any, by plugin name."""
