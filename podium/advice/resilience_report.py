"""What a cluster withstands, as it is reported."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from podium.advice.disturbance import Disturbance
from podium.advice.impact import Impact
from podium.documents.report import API_VERSION, IF_ANY, Report
from podium.plan.outcome import PodRow


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedDisturbance(Report):
    """A disturbance among all that were tried.

    Attributes:
        name: what happens, in words.
        disturbance: the same.
        unplaced: how many pods are without a place in the end.
        highest_priority: of those; null if there are none.
        lost: how many pods lose their places.
        moved: how many of them have another place in the end.
        preempted: how many of them give way in turn.
        is_drained: whether the nodes are drained in the end, if they were to be.
        settled_s: when the last pod got a place, in seconds since the beginning.
    """

    name: str
    disturbance: Disturbance
    unplaced: int
    highest_priority: int | None
    lost: int
    moved: int
    preempted: int
    is_drained: Annotated[bool, Field(serialization_alias="drained")]
    settled_s: Annotated[float, Field(serialization_alias="settledAt")]


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
        harmless: how many of them leave every pod with a place, and every drain done.
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
    ranking: tuple[RankedDisturbance, ...] = ()
    worst: tuple[Impact, ...] = ()
    exposed: tuple[Exposure, ...] = ()
    blocking_budgets: tuple[BlockingBudget, ...] = ()
    spare_rooms: tuple[SpareRoom, ...] = ()
    untried_shapes: Annotated[tuple[str, ...], IF_ANY] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
