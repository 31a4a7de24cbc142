"""The report of a cluster's resilience."""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Literal

from pydantic import Field

from podium.api.documents.report import API_VERSION, IF_ANY, OrNull, Report
from podium.whatif.plan.plan_report import PodRow
from podium.whatif.resilience.impact import Disturbance, Impact


class RankedDisturbance(Report, kw_only=True):
    """A disturbance with the figures that it is ranked by.

    Attributes:
        name: a short description.
        disturbance: the drains or failures.
        unavailable: how many workloads are without a ready pod for a while.
        unavailable_for_s: the longest total time that one of them has no ready pod, in seconds.
        unplaced: how many pods are without a node in the end.
        highest_priority: the highest priority of these workloads and pods; null if there are none.
        lost: how many pods are disrupted.
        moved: how many pods are disrupted and replaced by bound ones.
        preempted: how many pods the replacements preempt.
        is_drained: whether all drains are done.
        settled_s: when the last pod was lost or replaced, or the last drain was done, in seconds
            since the beginning.
    """

    name: str
    disturbance: Disturbance
    unavailable: int = 0
    unavailable_for_s: Annotated[float, Field(serialization_alias="unavailableSeconds")] = 0.0
    unplaced: int
    highest_priority: int | None
    lost: int
    moved: int
    preempted: int
    is_drained: Annotated[bool, Field(serialization_alias="drained")]
    settled_s: Annotated[float, Field(serialization_alias="settledAt")]


class Outage(Report, kw_only=True):
    """A workload without any ready pod for a while after some disturbances.

    Attributes:
        workload: the workload, `Kind namespace/name`.
        namespace: the namespace of the workload.
        priority: the highest priority of its pods.
        priority_class: the PriorityClass of the pod with that priority; null if it names none.
        ready_before: how many of its pods are ready at present.
        disturbances: short descriptions of these disturbances, the longest outage first.
        longest_s: the longest outage, in seconds in total.
        is_over: whether the workload has a ready pod in the end after each of these disturbances.
    """

    workload: str
    namespace: str
    priority: int
    priority_class: OrNull
    ready_before: int
    disturbances: tuple[str, ...]
    longest_s: Annotated[float, Field(serialization_alias="longestSeconds")]
    is_over: Annotated[bool, Field(serialization_alias="over")]


class Exposure(PodRow, kw_only=True):
    """A pod that is disrupted by several failures.

    Attributes:
        hit: the number of failures that disrupt the pod.
        failures: the number of simulated failures.
        is_never_spared: whether every failure disrupts the pod.
    """

    hit: int
    failures: int
    is_never_spared: Annotated[bool, Field(serialization_alias="neverSpared")]


class BlockingBudget(Report, kw_only=True):
    """A disruption budget that blocks drains of nodes, and so upgrades.

    Attributes:
        budget: the budget, `namespace/name`.
        nodes: the nodes that can't be drained.
        pods: the pods that can't be evicted.
        reasons: why the budget allows no eviction, and what would help.
    """

    budget: str
    nodes: tuple[str, ...]
    pods: tuple[str, ...]
    reasons: tuple[str, ...]


class SpareRoom(Report, kw_only=True):
    """Nodes to add so that failures and drains leave no pod pending.

    Attributes:
        like: nodes of the shape, one of each zone; copies of them were added in turn.
        shape: the allocatable resources of a node of the shape.
        count: the smallest number of nodes found with which as few disturbances as possible leave
            pods pending.
        cures: how many of the disturbances in `of` leave no pod pending with these nodes.
        of: how many disturbances leave pods pending without these nodes.
        left: the disturbances that leave pods pending even with these nodes.
    """

    like: tuple[str, ...]
    shape: str
    count: int
    cures: int
    of: int
    left: tuple[str, ...] = ()


class Resilience(Report, kw_only=True):
    """The impacts of all drains and failures on a cluster.

    Attributes:
        tried: how many disturbances were simulated, by kind.
        harmless: how many of them leave each workload with ready pods all the time, every pod with
            a node in the end, and every drain done.
        outages: the workloads without a ready pod for a while, the most important first.
        ranking: all disturbances, the worst first.
        worst: the impacts of the worst disturbances.
        exposed: the pods that are disrupted by most failures.
        blocking_budgets: the disruption budgets that block drains.
        spare_rooms: for each shape of nodes, how many to add so that no pod is pending.
        untried_shapes: less common shapes of nodes, which weren't tried.
    """

    api_version: str = API_VERSION
    kind: Literal["Resilience"] = "Resilience"
    tried: Mapping[str, int] = field(default_factory=dict)
    harmless: int = 0
    outages: tuple[Outage, ...] = ()
    ranking: tuple[RankedDisturbance, ...] = ()
    worst: tuple[Impact, ...] = ()
    exposed: tuple[Exposure, ...] = ()
    blocking_budgets: tuple[BlockingBudget, ...] = ()
    spare_rooms: tuple[SpareRoom, ...] = ()
    untried_shapes: Annotated[tuple[str, ...], IF_ANY] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
