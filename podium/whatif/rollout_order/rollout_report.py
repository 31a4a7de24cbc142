"""The report of an order in which to introduce priority classes."""

from dataclasses import dataclass
from typing import Annotated, Literal

from podium.api.documents.report import API_VERSION, HIDDEN, IF_ANY, Report
from podium.whatif.plan.plan_report import PreemptedPod, RejectedObject, StalePriority


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPod(PreemptedPod):
    """A pod that a step of a rollout preempts.

    Attributes:
        final_priority: the priority of its workload once all classes are introduced.
        by_final_priority: the priority of the preemptor's workload then.
        is_dangerous: whether the pod is important, so that it mustn't be preempted.
    """

    final_priority: int
    by_final_priority: int
    is_dangerous: Annotated[bool, HIDDEN] = False


@dataclass(frozen=True, slots=True)
class StepOutcome(Report):
    """The effects of one step of a rollout.

    Attributes:
        step: a description of the step.
        took_s: the duration of its rollouts, in seconds.
        preempted: preempted pods that aren't important.
        endangered: important pods that are preempted.
        stuck: rollouts that don't complete, with the reasons.
        rejected: objects that the API server refuses.
        stale_priorities: running pods that keep a priority which their successors don't get from
            this step on, with the outcomes of such successors.
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
        """Whether the step harms no important pod, and the next step may follow."""
        return not (self.endangered or self.outranked or self.stuck or self.rejected)


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class DeadEnd(Report):
    """A step that isn't safe after others.

    Attributes:
        done: the steps before, in order.
        next: the outcome of the step that isn't safe.
    """

    done: tuple[str, ...]
    next: StepOutcome


@dataclass(frozen=True, slots=True)
class Room(Report):
    """Additional nodes with which an order is safe.

    Attributes:
        nodes: the number of nodes.
        like: nodes of their shape, one of each zone; the new ones are copies of them in turn.
        steps: the safe order.
    """

    nodes: int
    like: tuple[str, ...]
    steps: tuple[StepOutcome, ...]


@dataclass(frozen=True, slots=True)
class RolloutAdvice(Report):
    """An order in which to introduce priority classes without preempting important pods.

    Attributes:
        verdict: `Safe` if the order as given is safe, `Reordered` if another order is,
            `Impossible` if no order is, `Unknown` if none was found and not all were tried.
        important: pods of at least this final priority are important, and mustn't be preempted; if
            None, no pod may be preempted by one whose final priority isn't higher.
        preparation: the objects that are applied first.
        steps: the safe order.
        stale_priorities: running pods that keep a priority which their successors don't get,
            before any step; they don't count against an order.
        obvious: the outcomes of the order as given, and of all steps at once.
        dead_ends: the steps that make each order unsafe; empty if an order is safe.
        tried: the number of simulated steps.
        room: additional nodes with which an order is safe; None if an order is safe without, or if
            none was found with `room_tried` nodes.
        room_tried: the most additional nodes that were tried; 0 where pods keep a priority that
            their successors don't get, as more nodes fill up.
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
