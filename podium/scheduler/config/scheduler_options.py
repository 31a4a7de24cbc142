"""Podium's own options, which kube-scheduler doesn't have.

They are read from a document of their own, `apiVersion: podium.dev/v1alpha1` and
`kind: SchedulerOptions`, so that a KubeSchedulerConfiguration stays what kube-scheduler reads too.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from podium.api.documents import Choice, Document, Duration, FrozenSet, Tuple, member_of
from podium.scheduler.config.preemption_options import (
    DEFAULT_CANDIDATE_ORDER,
    BudgetPolicy,
    CandidateKey,
    CrossNodeLimits,
    Gangs,
    Patience,
    PreemptionProtection,
    PreemptionScope,
)

OPTIONS_API_VERSION = "podium.dev/v1alpha1"
OPTIONS_KIND = "SchedulerOptions"


class VictimOrder(StrEnum):
    """How preemption orders the pods of a node, the most important first.

    DEFAULT is kube-scheduler's: by priority, then by start time. QOS_CLASS puts the QoS class
    between the two: Guaranteed before Burstable before BestEffort.
    """

    DEFAULT = "Default"
    QOS_CLASS = "QOSClass"


class SchedulerOptions(Document):
    """Podium's own options, which kube-scheduler doesn't have.

    By default it decides as that does, as long as there is no other scheduler.

    Attributes:
        victim_order: how preemption orders the pods of a node.
        eviction_guard_s: for how long a replacement is kept from a node that has evicted a pod of
            its controller under pressure; 0 keeps it from none.
        preemption_scope: where the victims of one preemption are.
        cross_node_limits: where the search ends for victims on several nodes.
        candidate_order: by what preemption compares candidate nodes, the first key first.
        disruption_budgets: what budgets are to preemption.
        budget_annotations: whether a PodDisruptionBudget's annotation
            `podium.dev/disruption-budgets: Respect` is heeded.
        budget_respecting_classes: preemptors of these PriorityClasses respect budgets anyhow.
        protection: who may not be preempted.
        other_nominations: whether a pod of another scheduler that is nominated to a node counts
            there, for pods of no higher priority; kube-scheduler doesn't count it.
        livelock_backoff_s: for how long a pod preempts nobody whose room pods of other schedulers
            have taken again and again; it doubles if they do so again. 0: it is told, and no more.
        patience: who waits before preempting, and what for.
        gangs: how pods of one PodGroup are scheduled; None: each for itself.
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
        """Whether any option asks who was preempted before, or hasn't left yet."""
        return self.preemption_scope is not PreemptionScope.NODE or self.limits_preemption

    @property
    def limits_preemption(self) -> bool:
        """Whether any option forbids to take some victims."""
        return (
            self.protection != PreemptionProtection()
            or self.disruption_budgets is not BudgetPolicy.BEST_EFFORT
            or bool(self.budget_respecting_classes)
            or self.budget_annotations
        )
