"""The report of the least disruption that places pending pods."""

from typing import Annotated, Literal

from podium.api.documents.report import HIDDEN, IF_ANY, Report


class OptimalPlacement(Report):
    """A pod that is placed."""

    pod: str
    node: str
    priority: int


class OptimalVictim(Report):
    """A pod that is preempted."""

    pod: str
    """The victim."""
    node: str
    """The node of the victim."""
    priority: int
    """The priority of the victim."""
    by: str
    """The preemptor."""
    pdb_violation: bool
    """Whether its disruption violates a disruption budget."""
    moves_to: Annotated[str, IF_ANY] = ""
    """The node of its replacement; empty if that fits no node, or if it isn't replaced."""


class OptimumStep(Report):
    """A step towards the least disruption."""

    action: Literal["Nominate", "Delete", "Bind", "Move"]
    """`Nominate` a pending pod to a node, `Delete` a victim there, `Bind` the nominated pod, `Move`
    the replacement of a victim to a node."""
    pod: str
    """The pending pod or the victim."""
    node: str
    """The node of the action."""


class OptimumTally(Report):
    """The sums of a set of victims, by the keys that compare candidate nodes."""

    placed: int
    """The number of pods that are placed."""
    pdb_violations: int
    """The number of victims whose disruption violates a budget."""
    highest_priority: int | None
    """The highest priority of the victims; None if there are none."""
    priority_sum: int
    """The sum of the priorities of the victims."""
    victims: int
    """The number of victims."""


class OptimumGap(Report):
    """An objective that isn't proven to be minimal."""

    key: str
    """The key that compares solutions."""
    priority: int
    """The priority of the pending pods of the objective."""
    value: int
    """The value of the solution, as the solver counts it."""
    bound: int
    """A lower bound of the value of any solution."""


class UnexpressedPod(Report):
    """A pod that the solver neither places nor preempts."""

    pod: str
    """The name of the pod."""
    reason: str
    """The property of the pod that the model can't express."""


class Optimum(Report):
    """The least disruption that places the pending pods."""

    proven: bool
    """Whether the solver has shown that no solution is better."""
    verified: bool
    """Whether the scheduler's filters allow the solution, step by step."""
    pods: int
    """The number of pods to place."""
    tally: OptimumTally
    """The sums of the solution."""
    ordinary: OptimumTally | None
    """The sums of the scheduler's own decisions about these pods."""
    placements: tuple[OptimalPlacement, ...] = ()
    """The pods that are placed, by name."""
    victims: tuple[OptimalVictim, ...] = ()
    """The preempted pods, by node."""
    steps: tuple[OptimumStep, ...] = ()
    """The steps in order."""
    gaps: tuple[OptimumGap, ...] = ()
    """The objectives that aren't proven to be minimal."""
    unexpressed: tuple[UnexpressedPod, ...] = ()
    """Pods that the solver neither places nor preempts."""
    notes: tuple[str, ...] = ()
    """Remarks about the solution."""
    seconds: Annotated[float, HIDDEN] = 0.0
