"""The report of an order in which to introduce priority classes."""

from typing import Annotated, Literal

from podium.api.documents.report import API_VERSION, HIDDEN, IF_ANY, Report
from podium.whatif.plan.plan_report import PreemptedPod, RejectedObject, StalePriority


class JudgedPod(PreemptedPod, kw_only=True):
    """A pod that a step of a rollout preempts."""

    final_priority: int
    """The priority of the pod's workload once all classes are introduced."""
    by_final_priority: int
    """The priority of the preemptor's workload once all are introduced."""
    is_dangerous: Annotated[bool, HIDDEN] = False
    """Whether the pod is important, so that it mustn't be preempted."""


class StepOutcome(Report):
    """The effects of one step of a rollout."""

    step: str
    """A description of the step."""
    took_s: float
    """The duration of the step's rollouts, in seconds."""
    preempted: tuple[JudgedPod, ...] = ()
    """Preempted pods that aren't important."""
    endangered: tuple[JudgedPod, ...] = ()
    """Important pods that are preempted."""
    stuck: Annotated[tuple[str, ...], IF_ANY] = ()
    """Rollouts that don't complete, with the reasons."""
    rejected: Annotated[tuple[RejectedObject, ...], IF_ANY] = ()
    """Objects that the API server refuses."""
    stale_priorities: Annotated[tuple[StalePriority, ...], IF_ANY] = ()
    """Running pods whose successors get another priority from this step on, with trials of such
    successors."""
    outranked: Annotated[tuple[JudgedPod, ...], IF_ANY] = ()
    """Important pods that such a successor preempts."""

    @property
    def is_safe(self) -> bool:
        """Whether the step preempts no important pod, and is complete."""
        return not (self.endangered or self.outranked or self.stuck or self.rejected)


class OrderTrial(Report):
    """The effects of steps in one order, up to the first step that isn't safe."""

    order: str
    """A description of the order."""
    steps: tuple[StepOutcome, ...]
    """The outcomes of the steps."""

    @property
    def is_safe(self) -> bool:
        """Whether every step of the order is safe: complete, and without a forbidden preemption."""
        return all(step.is_safe for step in self.steps)


class DeadEnd(Report):
    """A step that isn't safe after the steps before."""

    done: tuple[str, ...]
    """The steps before, in order."""
    next: StepOutcome
    """The outcome of the unsafe step."""


class Room(Report):
    """Additional nodes with which an order is safe."""

    nodes: int
    """The number of additional nodes."""
    like: tuple[str, ...]
    """Existing nodes, one of each zone, of which the additional nodes are copies in turn."""
    steps: tuple[StepOutcome, ...]
    """The safe order."""


class RolloutAdvice(Report):
    """An order in which to introduce priority classes without preempting important pods."""

    api_version: str = API_VERSION
    kind: Literal["RolloutAdvice"] = "RolloutAdvice"
    verdict: Literal["Safe", "Reordered", "Impossible", "Unknown"] = "Unknown"
    """`Safe` if the given order is safe, `Reordered` if another order is, `Impossible` if no order
    is, `Unknown` if no safe order was found and not all were tried."""
    important: int | None = None
    """Pods of at least this final priority are important, and mustn't be preempted; if None, no pod
    may be preempted by a pod whose final priority isn't higher."""
    preparation: tuple[str, ...] = ()
    """The objects that are applied before the first step."""
    steps: tuple[StepOutcome, ...] = ()
    """The steps in a safe order; empty if none was found."""
    stale_priorities: tuple[StalePriority, ...] = ()
    """Running pods whose successors would get another priority even before the first step; they
    don't make an order unsafe."""
    obvious: tuple[OrderTrial, ...] = ()
    """The outcomes of the given order, and of all steps at once."""
    dead_ends: tuple[DeadEnd, ...] = ()
    """The steps that make each order unsafe; empty if an order is safe."""
    tried: int = 0
    """The number of simulated steps."""
    room: Room | None = None
    """Additional nodes with which an order is safe; None if they aren't needed, or if `room_tried`
    nodes don't help."""
    room_tried: int = 0
    """The most additional nodes that were tried; 0 if important pods are preempted because of stale
    priorities, which more nodes wouldn't prevent."""
    non_preempting: Annotated[tuple[StepOutcome, ...], IF_ANY] = ()
    """A safe order with `preemptionPolicy: Never` on the classes that become the default; empty if
    that wasn't tried, or doesn't help."""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
