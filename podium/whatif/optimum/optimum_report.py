"""The least disruption as it is told; pods are named `namespace/name`."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from podium.api.documents.report import HIDDEN, IF_ANY, Report


@dataclass(frozen=True, slots=True)
class OptimalPlacement(Report):
    """A pod that gets a place."""

    pod: str
    node: str
    priority: int


@dataclass(frozen=True, slots=True)
class OptimalVictim(Report):
    """A pod that gives way.

    Attributes:
        pod: the pod.
        node: where it is.
        priority: of the pod.
        by: for whom it gives way.
        is_violating: whether its disruption breaks a budget.
        moves_to: where its replacement then fits; empty if nowhere, or if nobody replaces it.
    """

    pod: str
    node: str
    priority: int
    by: str
    is_violating: Annotated[bool, Field(serialization_alias="pdbViolation")]
    moves_to: Annotated[str, IF_ANY] = ""


@dataclass(frozen=True, slots=True)
class OptimumStep(Report):
    """What is to be done next to get there.

    Attributes:
        action: `Nominate` a pending pod to a node, `Delete` a victim there, `Bind` the pod that is
            nominated, `Move` what replaces a victim to a node.
        pod: to whom.
        node: where.
    """

    action: Literal["Nominate", "Delete", "Bind", "Move"]
    pod: str
    node: str


@dataclass(frozen=True, slots=True)
class OptimumTally(Report):
    """The sums of a set of victims, by the keys that compare candidate nodes.

    Attributes:
        placed: how many of the pods get a place.
        violations: how many victims break a budget.
        highest_priority: of the victims; None if there are none.
        priority_sum: of all victims.
        victims: how many there are.
    """

    placed: int
    violations: Annotated[int, Field(serialization_alias="pdbViolations")]
    highest_priority: int | None
    priority_sum: int
    victims: int


@dataclass(frozen=True, slots=True)
class OptimumGap(Report):
    """Something that wasn't minimised to the end.

    Attributes:
        key: by which solutions are compared.
        priority: of the pending pods that were about to be placed.
        value: what the solution has, as the solver counts it.
        bound: no solution has less.
    """

    key: str
    priority: int
    value: int
    bound: int


@dataclass(frozen=True, slots=True)
class UnexpressedPod(Report):
    """A pod that was left as it is.

    Attributes:
        pod: the pod.
        reason: what about it the model can't express.
    """

    pod: str
    reason: str


@dataclass(frozen=True, slots=True)
class Optimum(Report):
    """The least disruption that gives the pending pods a place.

    Attributes:
        is_proven: whether the solver has shown that nothing is better.
        is_verified: whether the scheduler's own filters let all of it happen, step by step.
        pods: how many pods were to be placed.
        tally: what it comes to.
        ordinary: what the scheduler's own way comes to for the same pods.
        placements: by name of the pod.
        victims: by node.
        steps: in order.
        gaps: what wasn't minimised to the end.
        unexpressed: pods that were left as they are.
        notes: what else is to be known.
    """

    is_proven: Annotated[bool, Field(serialization_alias="proven")]
    is_verified: Annotated[bool, Field(serialization_alias="verified")]
    pods: int
    tally: OptimumTally
    ordinary: OptimumTally | None
    placements: tuple[OptimalPlacement, ...] = ()
    victims: tuple[OptimalVictim, ...] = ()
    steps: tuple[OptimumStep, ...] = ()
    gaps: tuple[OptimumGap, ...] = ()
    unexpressed: tuple[UnexpressedPod, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: Annotated[float, HIDDEN] = 0.0
