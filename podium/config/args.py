"""Typed arguments (`pluginConfig`) of the in-tree plugins, with v1.36's defaults.

Each class is the `…Args` kind of `kubescheduler.config.k8s.io/v1` of its name; the defaults are
those that kube-scheduler fills in. Arguments of third parties' plugins stay as they were written.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class ScoringStrategyType(StrEnum):
    """How NodeResourcesFit scores a node."""

    LEAST_ALLOCATED = "LeastAllocated"
    MOST_ALLOCATED = "MostAllocated"
    REQUESTED_TO_CAPACITY_RATIO = "RequestedToCapacityRatio"


class DefaultingType(StrEnum):
    """Where PodTopologySpread's constraints come from for pods that have none."""

    SYSTEM = "System"
    LIST = "List"


@dataclass(frozen=True, slots=True)
class ResourceSpec:
    """A resource that counts in a score, with its weight (1 to 100)."""

    name: str
    weight: int = 1


DEFAULT_RESOURCES = (ResourceSpec("cpu"), ResourceSpec("memory"))


@dataclass(frozen=True, slots=True)
class UtilizationShapePoint:
    """A point of a piecewise linear score: `utilization` in percent, `score` from 0 to 10."""

    utilization: int
    score: int


@dataclass(frozen=True, slots=True)
class ScoringStrategy:
    """NodeResourcesFit's strategy.

    Attributes:
        type: the strategy.
        resources: what it looks at.
        shape: only for RequestedToCapacityRatio, where it has at least one point.
    """

    type: ScoringStrategyType = ScoringStrategyType.LEAST_ALLOCATED
    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES
    shape: tuple[UtilizationShapePoint, ...] = ()


@dataclass(frozen=True, slots=True)
class DefaultPreemptionArgs:
    """How many candidate nodes kube-scheduler's preemption shortlists.

    It stops at max(nodes * min_candidate_nodes_percentage / 100, min_candidate_nodes_absolute).

    Attributes:
        min_candidate_nodes_percentage: 0 to 100, of all nodes.
        min_candidate_nodes_absolute: at least 0; not 0 together with the percentage.
        limits_candidates: whether the configuration gave either number. If not, Podium dry-runs
            every candidate, and the numbers are merely kube-scheduler's defaults.
    """

    min_candidate_nodes_percentage: int = 10
    min_candidate_nodes_absolute: int = 100
    limits_candidates: bool = False


@dataclass(frozen=True, slots=True)
class InterPodAffinityArgs:
    """Weights of existing pods' affinity.

    Attributes:
        hard_pod_affinity_weight: what a required affinity term of an existing pod that matches
            the incoming pod adds to its domain's score; 0 to 100.
        ignore_preferred_terms_of_existing_pods: leave out existing pods' preferred terms, unless
            the incoming pod has inter-pod affinity itself.
    """

    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False


@dataclass(frozen=True, slots=True)
class NodeAffinityArgs:
    """A node affinity that is required of, and preferred for, every pod besides its own.

    Attributes:
        added_affinity: as `spec.affinity.nodeAffinity` of a pod, valid; None adds nothing.
    """

    added_affinity: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class NodeResourcesFitArgs:
    """What NodeResourcesFit leaves out of its filter, and how it scores.

    Attributes:
        ignored_resources: extended resources that the filter ignores.
        ignored_resource_groups: it also ignores resources named `GROUP/…`.
        scoring_strategy: neither of the two applies to scoring.
    """

    ignored_resources: frozenset[str] = frozenset()
    ignored_resource_groups: frozenset[str] = frozenset()
    scoring_strategy: ScoringStrategy = ScoringStrategy()


@dataclass(frozen=True, slots=True)
class NodeResourcesBalancedAllocationArgs:
    """The resources whose utilization is to be even; their weights are 1, as v1.36 demands."""

    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES


@dataclass(frozen=True, slots=True)
class TopologySpreadConstraint:
    """A cluster-level default constraint; its selector is deduced from the pod's owners.

    Attributes:
        max_skew: at least 1.
        topology_key: the node label that makes the domains.
        when_unsatisfiable: `DoNotSchedule` or `ScheduleAnyway`.
        min_domains: None counts as 1.
        node_affinity_policy: `Honor` or `Ignore`.
        node_taints_policy: `Honor` or `Ignore`.
    """

    max_skew: int
    topology_key: str
    when_unsatisfiable: str
    min_domains: int | None = None
    node_affinity_policy: str = "Honor"
    node_taints_policy: str = "Ignore"


@dataclass(frozen=True, slots=True)
class PodTopologySpreadArgs:
    """Constraints of pods that have none.

    Attributes:
        default_constraints: empty unless the type is List.
        defaulting_type: System stands for `defaults.SYSTEM_DEFAULT_CONSTRAINTS`.
    """

    default_constraints: tuple[TopologySpreadConstraint, ...] = ()
    defaulting_type: DefaultingType = DefaultingType.SYSTEM


@dataclass(frozen=True, slots=True)
class VolumeBindingArgs:
    """How long binding waits for volumes; 0 doesn't wait.

    Upstream's `shape` needs the gate StorageCapacityScoring, which is off by default in v1.36,
    and is an error without it.
    """

    bind_timeout_seconds: int = 600


@dataclass(frozen=True, slots=True)
class DynamicResourcesArgs:
    """Time limits of DynamicResources, in seconds; read, but claims aren't modelled.

    Attributes:
        filter_timeout_seconds: of one filter call; 0 switches the limit off.
        binding_timeout_seconds: of waiting for devices to become ready.
    """

    filter_timeout_seconds: float = 10.0
    binding_timeout_seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class CustomArgs:
    """Arguments of a plugin that isn't in-tree, as they were written."""

    values: Mapping[str, object]


Args = (
    DefaultPreemptionArgs
    | DynamicResourcesArgs
    | InterPodAffinityArgs
    | NodeAffinityArgs
    | NodeResourcesBalancedAllocationArgs
    | NodeResourcesFitArgs
    | PodTopologySpreadArgs
    | VolumeBindingArgs
    | CustomArgs
)

DEFAULT_ARGS: Mapping[str, Args] = {
    "DefaultPreemption": DefaultPreemptionArgs(),
    "DynamicResources": DynamicResourcesArgs(),
    "InterPodAffinity": InterPodAffinityArgs(),
    "NodeAffinity": NodeAffinityArgs(),
    "NodeResourcesBalancedAllocation": NodeResourcesBalancedAllocationArgs(),
    "NodeResourcesFit": NodeResourcesFitArgs(),
    "PodTopologySpread": PodTopologySpreadArgs(),
    "VolumeBinding": VolumeBindingArgs(),
}
