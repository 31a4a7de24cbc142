"""What a cluster withstands, as it is reported."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from podium.api.documents.report import API_VERSION, IF_ANY, OrNull, Report
from podium.whatif.plan.plan_report import PodRow
from podium.whatif.resilience.impact import Disturbance, Impact


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedDisturbance(Report):
    """A disturbance among all that were tried.

    Attributes:
        name: what happens, in words.
        disturbance: the same.
        unavailable: how many workloads are without a ready pod for a while.
        unavailable_for_s: for how long the one that takes longest is, in seconds altogether.
        unplaced: how many pods are without a place in the end.
        highest_priority: of those workloads and pods; null if there are none.
        lost: how many pods lose their places.
        moved: how many of them have another place in the end.
        preempted: how many of them give way in turn.
        is_drained: whether the nodes are drained in the end, if they were to be.
        settled_s: when the last pod got a place, in seconds since the beginning.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage(Report):
    """A workload that some disturbances leave without any ready pod for a while.

    Attributes:
        workload: `Kind namespace/name`.
        namespace: where it is.
        priority: the highest among its pods.
        priority_class: of that pod; null if it names none.
        ready_before: how many of its pods are ready today.
        disturbances: those that do so, the longest outage first, by what happens.
        longest_s: for how long in the worst of them, in seconds altogether.
        is_over: whether it has a ready pod again in the end of each of them.
    """

    workload: str
    namespace: str
    priority: int
    priority_class: OrNull
    ready_before: int
    disturbances: tuple[str, ...]
    longest_s: Annotated[float, Field(serialization_alias="longestSeconds")]
    is_over: Annotated[bool, Field(serialization_alias="over")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure(PodRow):
    """A pod that loses its place in several failures.

    Attributes:
        hit: in how many of them.
        failures: how many were tried.
        is_never_spared: whether it loses its place in all of them.
    """

    hit: int
    failures: int
    is_never_spared: Annotated[bool, Field(serialization_alias="neverSpared")]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockingBudget(Report):
    """A budget on account of which nodes can't be drained, so that upgrades are impossible.

    Attributes:
        budget: `namespace/name`.
        nodes: which can't.
        pods: which it keeps there.
        reasons: why, and what would help.
    """

    budget: str
    nodes: tuple[str, ...]
    pods: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpareRoom(Report):
    """Nodes to add, so that pods don't wait that failures and drains leave without a place.

    Attributes:
        like: nodes of the shape, one of each zone; copies of them were added in turn.
        shape: what such a node has, in words.
        count: how many nodes; the smallest number that was found to do.
        cures: how many disturbances leave no pod waiting then; each was played again.
        of: how many leave pods waiting without them.
        left: the disturbances that leave pods waiting all the same.
    """

    like: tuple[str, ...]
    shape: str
    count: int
    cures: int
    of: int
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resilience(Report):
    """What a cluster withstands.

    Attributes:
        tried: how many disturbances were played, by kind.
        harmless: how many of them leave each workload with ready pods all the time, every pod with
            a place in the end, and every drain done.
        outages: the workloads that are without a ready pod for a while, the most important first.
        ranking: all of them, the worst first.
        worst: the impacts of the first of them.
        exposed: the pods that failures hit most often.
        blocking_budgets: those that make drains impossible.
        spare_rooms: for each shape of nodes, how many would do for the pods that wait.
        untried_shapes: less common ones, of which no node was added to find that out.
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
