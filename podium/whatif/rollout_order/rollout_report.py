"""The report of an order in which to introduce priority classes."""

from typing import Annotated, Literal

from podium.api.documents.report import API_VERSION, HIDDEN, IF_ANY, Report
from podium.whatif.plan.plan_report import PreemptedPod, RejectedObject, StalePriority


class JudgedPod(PreemptedPod, kw_only=True):
    """A pod that a step of a rollout preempts.

    Attributes:
        final_priority: the priority of the pod's workload once all classes are introduced.
        by_final_priority: the priority of the preemptor's workload once all are introduced.
        is_dangerous: whether the pod is important, so that it mustn't be preempted.
    """

    final_priority: int
    by_final_priority: int
    is_dangerous: Annotated[bool, HIDDEN] = False


class StepOutcome(Report):
    """The effects of one step of a rollout.

    Attributes:
        step: a description of the step.
        took_s: the duration of the step's rollouts, in seconds.
        preempted: preempted pods that aren't important.
        endangered: important pods that are preempted.
        stuck: rollouts that don't complete, with the reasons.
        rejected: objects that the API server refuses.
        stale_priorities: running pods whose successors get another priority from this step on,
            with trials of such successors.
        outranked: important pods that such a successor preempts.
    """

    step: str
    took_s: float
    preempted: tuple[JudgedPod, ...] = ()
    endangered: tuple[JudgedPod, ...] = ()
    stuck: Annotated[tuple[str, ...], IF_ANY] = ()
    rejected: Annotated[tuple[RejectedObject, ...], IF_ANY] = ()
    stale_priorities: Annotated[tuple[StalePriority, ...], IF_ANY] = ()
    outranked: Annotated[tuple[JudgedPod, ...], IF_ANY] = ()

    @property
    def is_safe(self) -> bool:
        """Whether the step preempts no important pod, and is complete."""
        return not (self.endangered or self.outranked or self.stuck or self.rejected)


class OrderTrial(Report):
    """The effects of steps in one order, up to the first step that isn't safe.

    Attributes:
        order: a description of the order.
        steps: the outcomes of the steps.
    """

    order: str
    steps: tuple[StepOutcome, ...]

    @property
    def is_safe(self) -> bool:
        """Whether every step of the order is safe: complete, and without a forbidden preemption."""
        return all(step.is_safe for step in self.steps)


class DeadEnd(Report):
    """A step that isn't safe after the steps before.

    Attributes:
        done: the steps before, in order.
        next: the outcome of the unsafe step.
    """

    done: tuple[str, ...]
    next: StepOutcome


class Room(Report):
    """Additional nodes with which an order is safe.

    Attributes:
        nodes: the number of additional nodes.
        like: existing nodes, one of each zone, of which the additional nodes are copies in turn.
        steps: the safe order.
    """

    nodes: int
    like: tuple[str, ...]
    steps: tuple[StepOutcome, ...]


class RolloutAdvice(Report):
    """An order in which to introduce priority classes without preempting important pods.

    Attributes:
        verdict: `Safe` if the given order is safe, `Reordered` if another order is, `Impossible`
            if no order is, `Unknown` if no safe order was found and not all were tried.
        important: pods of at least this final priority are important, and mustn't be preempted; if
            None, no pod may be preempted by a pod whose final priority isn't higher.
        preparation: the objects that are applied before the first step.
        steps: the steps in a safe order; empty if none was found.
        stale_priorities: running pods whose successors would get another priority even before the
            first step; they don't make an order unsafe.
        obvious: the outcomes of the given order, and of all steps at once.
        dead_ends: the steps that make each order unsafe; empty if an order is safe.
        tried: the number of simulated steps.
        room: additional nodes with which an order is safe; None if they aren't needed, or if
            `room_tried` nodes don't help.
        room_tried: the most additional nodes that were tried; 0 if important pods are preempted
            because of stale priorities, which more nodes wouldn't prevent.
        non_preempting: a safe order with `preemptionPolicy: Never` on the classes that become the
            default; empty if that wasn't tried, or doesn't help.
    """

    api_version: str = API_VERSION
    kind: Literal["RolloutAdvice"] = "RolloutAdvice"
    verdict: Literal["Safe", "Reordered", "Impossible", "Unknown"] = "Unknown"
    important: int | None = None
    preparation: tuple[str, ...] = ()
    steps: tuple[StepOutcome, ...] = ()
    stale_priorities: tuple[StalePriority, ...] = ()
    obvious: tuple[OrderTrial, ...] = ()
    dead_ends: tuple[DeadEnd, ...] = ()
    tried: int = 0
    room: Room | None = None
    room_tried: int = 0
    non_preempting: Annotated[tuple[StepOutcome, ...], IF_ANY] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
