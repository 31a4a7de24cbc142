"""SchedulerOptions: options of Podium that kube-scheduler doesn't have.

They have a document of their own, `apiVersion: podium.dev/v1alpha1` and `kind: SchedulerOptions`,
so that kube-scheduler can still read the KubeSchedulerConfiguration.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from podium.api.documents.document import (
    Choice,
    Document,
    Duration,
    FrozenSet,
    Range,
    Required,
    Tuple,
    member_of,
)

OPTIONS_API_VERSION = "podium.dev/v1alpha1"
OPTIONS_KIND = "SchedulerOptions"
EVERY = "*"


class BudgetPolicy(StrEnum):
    """How preemption treats PodDisruptionBudgets.

    BEST_EFFORT is kube-scheduler's: a budget is violated if no other preemption helps. RESPECT
    never violates one: the preemptor waits until the budget allows the disruption.
    """

    BEST_EFFORT = "BestEffort"
    RESPECT = "Respect"


class PreemptionScope(StrEnum):
    """On which nodes the victims of one preemption may be.

    NODE is kube-scheduler's: all victims are on the preemptor's future node. With CROSS_NODE, if
    that helps on no node, victims may also be pods on other nodes that keep the preemptor away by
    required anti-affinity, theirs or its own, or by DoNotSchedule spread.
    """

    NODE = "Node"
    CROSS_NODE = "CrossNode"


class CrossNodeLimits(Document):
    """Limits of the search for victims on several nodes."""

    domains: Annotated[int, Range(1)] = 16
    """How many topology domains are searched, those with less important blockers first."""
    nodes: Annotated[int, Range(1)] = 8
    """How many nodes of each domain are searched."""
    victims: Annotated[int, Range(1)] = 32
    """The largest number of victims."""


class CandidateKey(StrEnum):
    """A key by which preemption compares candidate nodes: smaller is better, for start times later.

    The first five are kube-scheduler's. DELETION_COST is the sum of the victims' annotations
    `controller.kubernetes.io/pod-deletion-cost`. LOST_RUN_TIME is the sum of the seconds since the
    victims' start, or since the time in their annotation `podium.dev/last-checkpoint`.
    STRANDED_VICTIMS counts victims that aren't replaced, or whose replacement fits on no other node
    at once. CASCADE_SIZE counts victims, those that their replacements would preempt, and so on.
    FREED_DEVICES counts the devices that resource claims of the victims alone have.
    """

    PDB_VIOLATIONS = "PodDisruptionBudgetViolations"
    HIGHEST_PRIORITY = "HighestPriority"
    PRIORITY_SUM = "PrioritySum"
    VICTIM_COUNT = "VictimCount"
    LATEST_START = "LatestStart"
    DELETION_COST = "DeletionCost"
    LOST_RUN_TIME = "LostRunTime"
    STRANDED_VICTIMS = "StrandedVictims"
    CASCADE_SIZE = "CascadeSize"
    FREED_DEVICES = "FreedDevices"


DEFAULT_CANDIDATE_ORDER = tuple(CandidateKey)[:5]


class MinimumRunTime(Document):
    """How long the pods of a PriorityClass run before they may be preempted."""

    priority_class: Annotated[str, Required("the name of a PriorityClass, or *")]
    """Name of the victims' PriorityClass; `*` for every class."""
    duration_s: Annotated[Duration, Field(alias="duration")]
    """Counted from `status.startTime`; a pod that hasn't started is protected."""


class NeverPreempt(Document):
    """Pods whose annotation protects them from preemption."""

    priority_classes: Annotated[FrozenSet[str], Field(min_length=1)]
    """PriorityClasses whose pods may have the annotation; a ResourceQuota with the scope
    PriorityClass can limit their number."""
    namespaces: FrozenSet[str] = frozenset()
    """Namespaces whose pods may have the annotation; all if empty."""
    safe_to_evict: bool = False
    """Whether Cluster Autoscaler's `safe-to-evict: "false"` protects, too."""


class RepeatedVictims(Document):
    """How often a pod may be preempted before it is protected for a while.

    The preemptions of a pod count for the pod that its controller creates in its place.
    """

    times: Annotated[int, Range(1)]
    """Number of preemptions within the window after which the pod is protected."""
    within_s: Annotated[Duration, Field(alias="within")]
    """Length of the window; the protection ends with it."""


class PreemptionRate(Document):
    """How many victims preemption may take in a time."""

    namespace: str = EVERY
    """The victims' namespace; `*` limits each namespace by itself."""
    priority_class: str = EVERY
    """The victims' PriorityClass; `*` limits each class by itself."""
    victims: Annotated[int, Range(1)]
    """The largest number of victims in any window."""
    per_s: Annotated[Duration, Field(alias="per")]
    """Length of the windows."""


class PreemptionProtection(Document):
    """Pods that may not be preempted, besides those of equal or higher priority."""

    minimum_run_times: Tuple[MinimumRunTime] = ()
    """Minimum run times by PriorityClass; the first that matches a pod applies."""
    annotated_run_time_max_s: Annotated[Duration, Field(alias="annotatedRunTimeMax")] = 0.0
    """The longest run time that a pod may request by its annotation `podium.dev/minimum-run-time`;
    0 ignores the annotation."""
    toleration: bool = False
    """Whether PriorityClasses' annotations for scheduler-plugins' PreemptionToleration apply."""
    never: NeverPreempt | None = None
    """Pods whose annotation protects them."""
    repeated_victims: RepeatedVictims | None = None
    """How often a pod may be preempted."""
    rates: Tuple[PreemptionRate] = ()
    """How many victims may be taken in a time; all rates apply."""


class PodGroupApi(StrEnum):
    """The API that PodGroups belong to: v1.36's alpha API, or scheduler-plugins'."""

    KUBERNETES = "scheduling.k8s.io"
    SCHEDULER_PLUGINS = "scheduling.x-k8s.io"


class Gangs(Document):
    """How the pods of a PodGroup are scheduled together."""

    pod_groups: Annotated[
        FrozenSet[Annotated[PodGroupApi, member_of(PodGroupApi)]], Field(min_length=1)
    ]
    """The APIs whose PodGroups are scheduled; a real API server has to serve them."""
    timeout_s: Annotated[Duration, Field(alias="timeout")] = 300.0
    """How long a gang stays nominated after it has preempted pods, unless its PodGroup has a
    `scheduleTimeoutSeconds`; after that it doesn't preempt for as long again."""


class Patience(Document):
    """How long the pods of a PriorityClass wait for free resources before they preempt."""

    priority_class: Annotated[str, Required("the name of a PriorityClass, or *")]
    """The preemptors' PriorityClass; `*` for every class. The first entry that matches a pod
    applies."""
    delay_s: Annotated[Duration, Field(alias="delay")] = 0.0
    """The least time between the first attempt that finds no node and a preemption."""
    at_most_s: Annotated[Duration, Field(alias="atMost")] = 0.0
    """The longest time to wait for a node that is being provisioned for the pod, that has only
    startup taints against it, or for pods that end by themselves."""
    startup_taints: FrozenSet[str] = frozenset()
    """Keys of the taints that a node loses when it is ready for pods."""


class VictimOrder(StrEnum):
    """How preemption orders the pods of a node, the most important first.

    DEFAULT is kube-scheduler's: by priority, then by start time. QOS_CLASS compares the QoS class
    in between: Guaranteed before Burstable before BestEffort.
    """

    DEFAULT = "Default"
    QOS_CLASS = "QOSClass"


class SchedulerOptions(Document):
    """Options of Podium that kube-scheduler doesn't have.

    With the defaults, Podium decides as kube-scheduler does, as long as there is no other
    scheduler.
    """

    api_version: Annotated[str, Choice((OPTIONS_API_VERSION,))] = OPTIONS_API_VERSION
    kind: Annotated[str, Choice((OPTIONS_KIND,))] = OPTIONS_KIND
    victim_order: Annotated[VictimOrder, member_of(VictimOrder)] = VictimOrder.DEFAULT
    """How preemption orders the pods of a node."""
    eviction_guard_s: Annotated[Duration, Field(alias="evictionGuard")] = 0.0
    """For how long a replacement is kept from a node that has evicted a pod of its controller under
    pressure; 0 switches this off."""
    preemption_scope: Annotated[PreemptionScope, member_of(PreemptionScope)] = PreemptionScope.NODE
    """On which nodes the victims of one preemption may be."""
    cross_node_limits: CrossNodeLimits = CrossNodeLimits()
    """Limits of the search for victims on several nodes."""
    candidate_order: Annotated[
        Tuple[Annotated[CandidateKey, member_of(CandidateKey)]], Field(min_length=1)
    ] = DEFAULT_CANDIDATE_ORDER
    """The keys by which preemption compares candidate nodes, the first key first."""
    device_preemption: bool = False
    """Whether pods are preempted for the devices of their resource claims; in kube-scheduler they
    aren't. Unless `candidateOrder` is set, it has `FreedDevices` after `HighestPriority`."""
    disruption_budgets: Annotated[BudgetPolicy, member_of(BudgetPolicy)] = BudgetPolicy.BEST_EFFORT
    """How preemption treats PodDisruptionBudgets."""
    budget_annotations: bool = False
    """Whether preemption respects each PodDisruptionBudget that has the annotation
    `podium.dev/disruption-budgets: Respect`."""
    budget_respecting_classes: FrozenSet[str] = frozenset()
    """PriorityClasses whose pods always respect budgets as preemptors."""
    protection: PreemptionProtection = PreemptionProtection()
    """Pods that may not be preempted."""
    other_nominations: Annotated[bool, Field(alias="otherNominations")] = False
    """Whether pods of other schedulers count on the nodes that they are nominated to, for pods of
    no higher priority; in kube-scheduler they don't."""
    livelock_backoff_s: Annotated[Duration, Field(alias="livelockBackoff")] = 60.0
    """For how long a pod stops preempting after pods of other schedulers have repeatedly taken what
    it freed; doubles each time. 0 only records an event."""
    patience: Tuple[Patience] = ()
    """Which pods wait before preempting, and what for."""
    gangs: Gangs | None = None
    """How pods of one PodGroup are scheduled; None schedules each by itself."""

    @property
    def candidate_keys(self) -> tuple[CandidateKey, ...]:
        """The keys by which candidate nodes are compared, the first key first."""
        order = self.candidate_order
        if not self.device_preemption or order != DEFAULT_CANDIDATE_ORDER:
            return order
        return (*order[:2], CandidateKey.FREED_DEVICES, *order[2:])

    @property
    def remembers_victims(self) -> bool:
        """Whether any option depends on earlier or terminating victims."""
        return self.preemption_scope is not PreemptionScope.NODE or self.limits_preemption

    @property
    def limits_preemption(self) -> bool:
        """Whether any option protects pods from preemption."""
        return (
            self.protection != PreemptionProtection()
            or self.disruption_budgets is not BudgetPolicy.BEST_EFFORT
            or bool(self.budget_respecting_classes)
            or self.budget_annotations
        )
