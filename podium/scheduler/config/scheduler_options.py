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
    """Limits of the search for victims on several nodes.

    Attributes:
        domains: how many topology domains are searched, those with less important blockers first.
        nodes: how many nodes of each domain are searched.
        victims: the largest number of victims.
    """

    domains: Annotated[int, Range(1)] = 16
    nodes: Annotated[int, Range(1)] = 8
    victims: Annotated[int, Range(1)] = 32


class CandidateKey(StrEnum):
    """A key by which preemption compares candidate nodes: smaller is better, for start times later.

    The first five are kube-scheduler's. DELETION_COST is the sum of the victims' annotations
    `controller.kubernetes.io/pod-deletion-cost`. LOST_RUN_TIME is the sum of the seconds since the
    victims' start, or since the time in their annotation `podium.dev/last-checkpoint`.
    STRANDED_VICTIMS counts victims that aren't replaced, or whose replacement fits on no other node
    at once. CASCADE_SIZE counts victims, those that their replacements would preempt, and so on.
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


DEFAULT_CANDIDATE_ORDER = tuple(CandidateKey)[:5]


class MinimumRunTime(Document):
    """How long the pods of a PriorityClass run before they may be preempted.

    Attributes:
        priority_class: name of the victims' PriorityClass; `*` for every class.
        duration_s: counted from `status.startTime`; a pod that hasn't started is protected.
    """

    priority_class: Annotated[str, Required("the name of a PriorityClass, or *")]
    duration_s: Annotated[Duration, Field(alias="duration")]


class NeverPreempt(Document):
    """Pods whose annotation protects them from preemption.

    Attributes:
        priority_classes: PriorityClasses whose pods may have the annotation; a ResourceQuota with
            the scope PriorityClass can limit their number.
        namespaces: namespaces whose pods may have the annotation; all if empty.
        safe_to_evict: whether Cluster Autoscaler's `safe-to-evict: "false"` protects, too.
    """

    priority_classes: Annotated[FrozenSet[str], Field(min_length=1)]
    namespaces: FrozenSet[str] = frozenset()
    safe_to_evict: bool = False


class RepeatedVictims(Document):
    """How often a pod may be preempted before it is protected for a while.

    The preemptions of a pod count for the pod that its controller creates in its place.

    Attributes:
        times: number of preemptions within the window after which the pod is protected.
        within_s: length of the window; the protection ends with it.
    """

    times: Annotated[int, Range(1)]
    within_s: Annotated[Duration, Field(alias="within")]


class PreemptionRate(Document):
    """How many victims preemption may take in a time.

    Attributes:
        namespace: the victims' namespace; `*` limits each namespace by itself.
        priority_class: the victims' PriorityClass; `*` limits each class by itself.
        victims: the largest number of victims in any window.
        per_s: length of the windows.
    """

    namespace: str = EVERY
    priority_class: str = EVERY
    victims: Annotated[int, Range(1)]
    per_s: Annotated[Duration, Field(alias="per")]


class PreemptionProtection(Document):
    """Pods that may not be preempted, besides those of equal or higher priority.

    Attributes:
        minimum_run_times: minimum run times by PriorityClass; the first that matches a pod applies.
        annotated_run_time_max_s: the longest run time that a pod may request by its annotation
            `podium.dev/minimum-run-time`; 0 ignores the annotation.
        toleration: whether PriorityClasses' annotations for scheduler-plugins'
            PreemptionToleration apply.
        never: pods whose annotation protects them.
        repeated_victims: how often a pod may be preempted.
        rates: how many victims may be taken in a time; all rates apply.
    """

    minimum_run_times: Tuple[MinimumRunTime] = ()
    annotated_run_time_max_s: Annotated[Duration, Field(alias="annotatedRunTimeMax")] = 0.0
    toleration: bool = False
    never: NeverPreempt | None = None
    repeated_victims: RepeatedVictims | None = None
    rates: Tuple[PreemptionRate] = ()


class PodGroupApi(StrEnum):
    """The API that PodGroups belong to: v1.36's alpha API, or scheduler-plugins'."""

    KUBERNETES = "scheduling.k8s.io"
    SCHEDULER_PLUGINS = "scheduling.x-k8s.io"


class Gangs(Document):
    """How the pods of a PodGroup are scheduled together.

    Attributes:
        pod_groups: the APIs whose PodGroups are scheduled; a real API server has to serve them.
        timeout_s: how long a gang stays nominated after it has preempted pods, unless its PodGroup
            has a `scheduleTimeoutSeconds`; after that it doesn't preempt for as long again.
    """

    pod_groups: Annotated[
        FrozenSet[Annotated[PodGroupApi, member_of(PodGroupApi)]], Field(min_length=1)
    ]
    timeout_s: Annotated[Duration, Field(alias="timeout")] = 300.0


class Patience(Document):
    """How long the pods of a PriorityClass wait for free resources before they preempt.

    Attributes:
        priority_class: the preemptors' PriorityClass; `*` for every class. The first entry that
            matches a pod applies.
        delay_s: the least time between the first attempt that finds no node and a preemption.
        at_most_s: the longest time to wait for a node that is being provisioned for the pod, that
            has only startup taints against it, or for pods that end by themselves.
        startup_taints: keys of the taints that a node loses when it is ready for pods.
    """

    priority_class: Annotated[str, Required("the name of a PriorityClass, or *")]
    delay_s: Annotated[Duration, Field(alias="delay")] = 0.0
    at_most_s: Annotated[Duration, Field(alias="atMost")] = 0.0
    startup_taints: FrozenSet[str] = frozenset()


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

    Attributes:
        victim_order: how preemption orders the pods of a node.
        eviction_guard_s: for how long a replacement is kept from a node that has evicted a pod of
            its controller under pressure; 0 switches this off.
        preemption_scope: on which nodes the victims of one preemption may be.
        cross_node_limits: limits of the search for victims on several nodes.
        candidate_order: the keys by which preemption compares candidate nodes, the first key first.
        disruption_budgets: how preemption treats PodDisruptionBudgets.
        budget_annotations: whether preemption respects each PodDisruptionBudget that has the
            annotation `podium.dev/disruption-budgets: Respect`.
        budget_respecting_classes: PriorityClasses whose pods always respect budgets as preemptors.
        protection: pods that may not be preempted.
        other_nominations: whether pods of other schedulers count on the nodes that they are
            nominated to, for pods of no higher priority; in kube-scheduler they don't.
        livelock_backoff_s: for how long a pod stops preempting after pods of other schedulers have
            repeatedly taken what it freed; doubles each time. 0 only records an event.
        patience: which pods wait before preempting, and what for.
        gangs: how pods of one PodGroup are scheduled; None schedules each by itself.
    """

    api_version: Annotated[str, Choice((OPTIONS_API_VERSION,))] = OPTIONS_API_VERSION
    kind: Annotated[str, Choice((OPTIONS_KIND,))] = OPTIONS_KIND
    victim_order: Annotated[VictimOrder, member_of(VictimOrder)] = VictimOrder.DEFAULT
    eviction_guard_s: Annotated[Duration, Field(alias="evictionGuard")] = 0.0
    preemption_scope: Annotated[PreemptionScope, member_of(PreemptionScope)] = PreemptionScope.NODE
    cross_node_limits: CrossNodeLimits = CrossNodeLimits()
    candidate_order: Annotated[
        Tuple[Annotated[CandidateKey, member_of(CandidateKey)]], Field(min_length=1)
    ] = DEFAULT_CANDIDATE_ORDER
    disruption_budgets: Annotated[BudgetPolicy, member_of(BudgetPolicy)] = BudgetPolicy.BEST_EFFORT
    budget_annotations: bool = False
    budget_respecting_classes: FrozenSet[str] = frozenset()
    protection: PreemptionProtection = PreemptionProtection()
    other_nominations: Annotated[bool, Field(alias="otherNominations")] = False
    livelock_backoff_s: Annotated[Duration, Field(alias="livelockBackoff")] = 60.0
    patience: Tuple[Patience] = ()
    gangs: Gangs | None = None

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
