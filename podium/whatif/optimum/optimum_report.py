"""The report of the least disruption that places pending pods."""

from typing import Annotated, Literal

from pydantic import Field

from podium.api.documents.report import HIDDEN, IF_ANY, Report


class OptimalPlacement(Report):
    """A pod that is placed."""

    pod: str
    node: str
    priority: int


class OptimalVictim(Report):
    """A pod that is preempted.

    Attributes:
        pod: the victim.
        node: the node of the victim.
        priority: the priority of the victim.
        by: the preemptor.
        is_violating: whether its disruption violates a disruption budget.
        moves_to: the node of its replacement; empty if that fits no node, or if it isn't replaced.
    """

    pod: str
    node: str
    priority: int
    by: str
    is_violating: Annotated[bool, Field(serialization_alias="pdbViolation")]
    moves_to: Annotated[str, IF_ANY] = ""


class OptimumStep(Report):
    """A step towards the least disruption.

    Attributes:
        action: `Nominate` a pending pod to a node, `Delete` a victim there, `Bind` the nominated
            pod, `Move` the replacement of a victim to a node.
        pod: the pending pod or the victim.
        node: the node of the action.
    """

    action: Literal["Nominate", "Delete", "Bind", "Move"]
    pod: str
    node: str


class OptimumTally(Report):
    """The sums of a set of victims, by the keys that compare candidate nodes.

    Attributes:
        placed: the number of pods that are placed.
        violations: the number of victims whose disruption violates a budget.
        highest_priority: the highest priority of the victims; None if there are none.
        priority_sum: the sum of the priorities of the victims.
        victims: the number of victims.
    """

    placed: int
    violations: Annotated[int, Field(serialization_alias="pdbViolations")]
    highest_priority: int | None
    priority_sum: int
    victims: int


class OptimumGap(Report):
    """An objective that isn't proven to be minimal.

    Attributes:
        key: the key that compares solutions.
        priority: the priority of the pending pods of the objective.
        value: the value of the solution, as the solver counts it.
        bound: a lower bound of the value of any solution.
    """

    key: str
    priority: int
    value: int
    bound: int


class UnexpressedPod(Report):
    """A pod that the solver neither places nor preempts.

    Attributes:
        pod: the name of the pod.
        reason: the property of the pod that the model can't express.
    """

    pod: str
    reason: str


class Optimum(Report):
    """The least disruption that places the pending pods.

    Attributes:
        is_proven: whether the solver has shown that no solution is better.
        is_verified: whether the scheduler's filters allow the solution, step by step.
        pods: the number of pods to place.
        tally: the sums of the solution.
        ordinary: the sums of the scheduler's own decisions about these pods.
        placements: the pods that are placed, by name.
        victims: the preempted pods, by node.
        steps: the steps in order.
        gaps: the objectives that aren't proven to be minimal.
        unexpressed: pods that the solver neither places nor preempts.
        notes: remarks about the solution.
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
