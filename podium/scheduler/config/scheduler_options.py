"""SchedulerOptions: options of Podium that kube-scheduler doesn't have.

They are read from a document of their own, `apiVersion: podium.dev/v1alpha1` and `kind:
SchedulerOptions`, so that kube-scheduler can read the same KubeSchedulerConfiguration.
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

    BEST_EFFORT is kube-scheduler's: budgets are broken where nothing else helps. RESPECT never
    breaks one: the preemptor waits until the budget allows the disruption.
    """

    BEST_EFFORT = "BestEffort"
    RESPECT = "Respect"


class PreemptionScope(StrEnum):
    """Where the victims of one preemption may be.

    NODE is kube-scheduler's: on the node that takes the preemptor. CROSS_NODE looks further where
    that helps nowhere: pods that keep the preemptor away by required anti-affinity, in either
    direction, or by DoNotSchedule spread may be victims on other nodes.
    """

    NODE = "Node"
    CROSS_NODE = "CrossNode"


class CrossNodeLimits(Document):
    """Limits of the search for victims on several nodes.

    Attributes:
        domains: how many domains are looked at, those with less important and fewer blockers first.
        nodes: how many nodes of each domain.
        victims: the largest set of victims.
    """

    domains: Annotated[int, Range(1)] = 16
    nodes: Annotated[int, Range(1)] = 8
    victims: Annotated[int, Range(1)] = 32


class CandidateKey(StrEnum):
    """A key by which candidate nodes are compared; smaller is better, later for start times.

    The first five are kube-scheduler's. DELETION_COST is the sum of the victims' annotations
    `controller.kubernetes.io/pod-deletion-cost`, LOST_RUN_TIME of the seconds since their start, or
    since the time in their annotation `podium.dev/last-checkpoint`. STRANDED_VICTIMS counts victims
    that aren't replaced, or with a replacement that fits nowhere else at once. CASCADE_SIZE counts
    the victims, those that their replacements would preempt, and so on.
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
        priority_class: of the victims; `*` for every class.
        duration_s: counted from `status.startTime`; a pod that hasn't started is protected.
    """

    priority_class: Annotated[str, Required("the name of a PriorityClass, or *")]
    duration_s: Annotated[Duration, Field(alias="duration")]


class NeverPreempt(Document):
    """Which pods an annotation may protect from preemption.

    Attributes:
        priority_classes: PriorityClasses whose pods may be protected; a ResourceQuota with the
            scope PriorityClass can limit their number.
        namespaces: namespaces whose pods may be protected; all if empty.
        safe_to_evict: whether Cluster Autoscaler's annotation `safe-to-evict: "false"` protects,
            too.
    """

    priority_classes: Annotated[FrozenSet[str], Field(min_length=1)]
    namespaces: FrozenSet[str] = frozenset()
    safe_to_evict: bool = False


class RepeatedVictims(Document):
    """How often a pod may be preempted before it is protected for a while.

    A pod inherits the preemptions of the pod that it replaces: a victim of its controller.

    Attributes:
        times: after so many preemptions,
        within_s: in such a window, it is protected until the window ends.
    """

    times: Annotated[int, Range(1)]
    within_s: Annotated[Duration, Field(alias="within")]


class PreemptionRate(Document):
    """How many victims preemption may take in a time.

    Attributes:
        namespace: of the victims; `*` for every single one.
        priority_class: of the victims; `*` for every single one.
        victims: at most so many,
        per_s: in any window of this length.
    """

    namespace: str = EVERY
    priority_class: str = EVERY
    victims: Annotated[int, Range(1)]
    per_s: Annotated[Duration, Field(alias="per")]


class PreemptionProtection(Document):
    """Pods that may not be preempted, besides those of equal or higher priority.

    Attributes:
        minimum_run_times: by class; the first that names a pod's class counts.
        annotated_run_time_max_s: the longest run time that a pod may ask for by its annotation
            `podium.dev/minimum-run-time`; 0 ignores the annotation.
        toleration: whether annotations of PriorityClasses for scheduler-plugins'
            PreemptionToleration count.
        never: pods that an annotation may protect.
        repeated_victims: how often a pod may be preempted.
        rates: how many victims may be taken in a time; all of them count.
    """

    minimum_run_times: Tuple[MinimumRunTime] = ()
    annotated_run_time_max_s: Annotated[Duration, Field(alias="annotatedRunTimeMax")] = 0.0
    toleration: bool = False
    never: NeverPreempt | None = None
    repeated_victims: RepeatedVictims | None = None
    rates: Tuple[PreemptionRate] = ()


class PodGroupApi(StrEnum):
    """The API of PodGroups: v1.36's alpha API, or scheduler-plugins'."""

    KUBERNETES = "scheduling.k8s.io"
    SCHEDULER_PLUGINS = "scheduling.x-k8s.io"


class Gangs(Document):
    """How the pods of a PodGroup are scheduled together.

    Attributes:
        pod_groups: the API groups of PodGroups that count; a real API server has to serve them.
        timeout_s: for how long a gang waits for room that was made for it, unless its PodGroup has
            a `scheduleTimeoutSeconds`; then it gives the room up, and makes none for as long.
    """

    pod_groups: Annotated[
        FrozenSet[Annotated[PodGroupApi, member_of(PodGroupApi)]], Field(min_length=1)
    ]
    timeout_s: Annotated[Duration, Field(alias="timeout")] = 300.0


class Patience(Document):
    """How long the pods of a PriorityClass wait for room before they preempt.

    Attributes:
        priority_class: of the preemptors; `*` for every class. The first entry that names a pod's
            class counts.
        delay_s: they wait at least so long after they were found to fit nowhere.
        at_most_s: they wait up to so long for a node that is being provisioned for them, that has
            only startup taints against them, or for pods that end by themselves.
        startup_taints: keys of the taints that a node loses when it is ready for pods.
    """

    priority_class: Annotated[str, Required("the name of a PriorityClass, or *")]
    delay_s: Annotated[Duration, Field(alias="delay")] = 0.0
    at_most_s: Annotated[Duration, Field(alias="atMost")] = 0.0
    startup_taints: FrozenSet[str] = frozenset()


class VictimOrder(StrEnum):
    """How preemption orders the pods of a node, the most important first.

    DEFAULT is kube-scheduler's: by priority, then by start time. QOS_CLASS puts the QoS class
    between the two: Guaranteed before Burstable before BestEffort.
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
            its controller under pressure; 0 keeps it from none.
        preemption_scope: where the victims of one preemption may be.
        cross_node_limits: limits of the search for victims on several nodes.
        candidate_order: the keys by which preemption compares candidate nodes, the first key first.
        disruption_budgets: how preemption treats PodDisruptionBudgets.
        budget_annotations: whether a PodDisruptionBudget's annotation
            `podium.dev/disruption-budgets: Respect` counts.
        budget_respecting_classes: preemptors of these PriorityClasses always respect budgets.
        protection: pods that may not be preempted.
        other_nominations: whether a pod of another scheduler that is nominated to a node counts
            there, for pods of no higher priority; kube-scheduler doesn't count it.
        livelock_backoff_s: for how long a pod stops preempting after pods of other schedulers have
            taken the room made for it again and again; it doubles each time. 0 only records an
            event.
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
        """Whether any option protects some victims."""
        return (
            self.protection != PreemptionProtection()
            or self.disruption_budgets is not BudgetPolicy.BEST_EFFORT
            or bool(self.budget_respecting_classes)
            or self.budget_annotations
        )
