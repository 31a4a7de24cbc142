"""The report of a cluster's resilience."""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Literal

from podium.api.documents.report import API_VERSION, IF_ANY, OrNull, Report
from podium.whatif.plan.plan_report import PodRow
from podium.whatif.resilience.impact import Disturbance, Impact


class RankedDisturbance(Report, kw_only=True):
    """A disturbance with the figures that it is ranked by."""

    name: str
    """A short description."""
    disturbance: Disturbance
    """The drains or failures."""
    unavailable: int = 0
    """How many workloads are without a ready pod for a while."""
    unavailable_seconds: float = 0.0
    """The longest total time that one of them has no ready pod, in seconds."""
    unplaced: int
    """How many pods are without a node in the end."""
    highest_priority: int | None
    """The highest priority of these workloads and pods; null if there are none."""
    lost: int
    """How many pods are disrupted."""
    moved: int
    """How many pods are disrupted and replaced by bound ones."""
    preempted: int
    """How many pods the replacements preempt."""
    drained: bool
    """Whether all drains are done."""
    settled_at: float
    """When the last pod was lost or replaced, or the last drain was done, in seconds since the
    beginning."""


class Outage(Report, kw_only=True):
    """A workload without any ready pod for a while after some disturbances."""

    workload: str
    """The workload, `Kind namespace/name`."""
    namespace: str
    """The namespace of the workload."""
    priority: int
    """The highest priority of its pods."""
    priority_class: OrNull
    """The PriorityClass of the pod with that priority; null if it names none."""
    ready_before: int
    """How many of its pods are ready at present."""
    disturbances: tuple[str, ...]
    """Short descriptions of these disturbances, the longest outage first."""
    longest_seconds: float
    """The longest outage, in seconds in total."""
    over: bool
    """Whether the workload has a ready pod in the end after each of these disturbances."""


class Exposure(PodRow, kw_only=True):
    """A pod that is disrupted by several failures."""

    hit: int
    """The number of failures that disrupt the pod."""
    failures: int
    """The number of simulated failures."""
    never_spared: bool
    """Whether every failure disrupts the pod."""


class BlockingBudget(Report, kw_only=True):
    """A disruption budget that blocks drains of nodes, and so upgrades."""

    budget: str
    """The budget, `namespace/name`."""
    nodes: tuple[str, ...]
    """The nodes that can't be drained."""
    pods: tuple[str, ...]
    """The pods that can't be evicted."""
    reasons: tuple[str, ...]
    """Why the budget allows no eviction, and what would help."""


class SpareRoom(Report, kw_only=True):
    """Nodes to add so that failures and drains leave no pod pending."""

    like: tuple[str, ...]
    """Nodes of the shape, one of each zone; copies of them were added in turn."""
    shape: str
    """The allocatable resources of a node of the shape."""
    count: int
    """The smallest number of nodes found with which as few disturbances as possible leave pods
    pending."""
    cures: int
    """How many of the disturbances in `of` leave no pod pending with these nodes."""
    of: int
    """How many disturbances leave pods pending without these nodes."""
    left: tuple[str, ...] = ()
    """The disturbances that leave pods pending even with these nodes."""


class Resilience(Report, kw_only=True):
    """The impacts of all drains and failures on a cluster."""

    api_version: str = API_VERSION
    kind: Literal["Resilience"] = "Resilience"
    tried: Mapping[str, int] = field(default_factory=dict)
    """How many disturbances were simulated, by kind."""
    harmless: int = 0
    """How many of them leave each workload with ready pods all the time, every pod with a node in
    the end, and every drain done."""
    outages: tuple[Outage, ...] = ()
    """The workloads without a ready pod for a while, the most important first."""
    ranking: tuple[RankedDisturbance, ...] = ()
    """All disturbances, the worst first."""
    worst: tuple[Impact, ...] = ()
    """The impacts of the worst disturbances."""
    exposed: tuple[Exposure, ...] = ()
    """The pods that are disrupted by most failures."""
    blocking_budgets: tuple[BlockingBudget, ...] = ()
    """The disruption budgets that block drains."""
    spare_rooms: tuple[SpareRoom, ...] = ()
    """For each shape of nodes, how many to add so that no pod is pending."""
    untried_shapes: Annotated[tuple[str, ...], IF_ANY] = ()
    """Less common shapes of nodes, which weren't tried."""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
