"""An order in which to introduce priority classes: the report that is printed as it is."""

from dataclasses import dataclass
from typing import Annotated, Literal

from podium.api.documents.report import API_VERSION, HIDDEN, IF_ANY, Report
from podium.whatif.plan.plan_report import PreemptedPod, RejectedObject, StalePriority


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPod(PreemptedPod):
    """A pod that is preempted on the way.

    Attributes:
        final_priority: of its workload, once everything is introduced.
        by_final_priority: of the preemptor's workload in the end.
        is_dangerous: whether it mustn't happen.
    """

    final_priority: int
    by_final_priority: int
    is_dangerous: Annotated[bool, HIDDEN] = False


@dataclass(frozen=True, slots=True)
class StepOutcome(Report):
    """The effects of one step of a rollout.

    Attributes:
        step: what is done.
        took_s: how long its rollout takes, in seconds.
        preempted: pods that are preempted, and may be.
        endangered: important pods that are preempted.
        stuck: rollouts that come to no end, with what is lacking.
        rejected: what the API doesn't let in.
        stale_priorities: running pods that keep a priority which their successors don't get from
            this step on, with what such successors did when they were tried.
        outranked: the pods among these that a successor preempts, and mustn't.
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
        """Whether the next step may follow."""
        return not (self.endangered or self.outranked or self.stuck or self.rejected)


@dataclass(frozen=True, slots=True)
class OrderTrial(Report):
    """The effects of steps in one order, up to the first step that isn't safe.

    Attributes:
        order: in words.
        steps: those that were played.
    """

    order: str
    steps: tuple[StepOutcome, ...]

    @property
    def is_safe(self) -> bool:
        """Whether every step is."""
        return all(step.is_safe for step in self.steps)


@dataclass(frozen=True, slots=True)
class DeadEnd(Report):
    """Why there is no going on after some steps.

    Attributes:
        done: these steps, in order.
        next: what follows them, and isn't safe.
    """

    done: tuple[str, ...]
    next: StepOutcome


@dataclass(frozen=True, slots=True)
class Room(Report):
    """With how much more room there is a safe order.

    Attributes:
        nodes: how many nodes more.
        like: nodes of their shape, one of each zone; the new ones are like them in turn.
        steps: the order.
    """

    nodes: int
    like: tuple[str, ...]
    steps: tuple[StepOutcome, ...]


@dataclass(frozen=True, slots=True)
class RolloutAdvice(Report):
    """An order in which to introduce priority classes without preempting important pods.

    Attributes:
        verdict: `Safe` if the order as given is, `Reordered` if another one is, `Impossible` if
            none is, each of them having been played; `Unknown` if not all were.
        important: pods of at least this final priority mustn't be preempted by anybody, and
            others may be; None if no pod may be by what isn't above it in the end.
        preparation: what comes first, in words.
        steps: the safe order.
        stale_priorities: running pods that keep a priority which their successors don't get,
            before any step; they don't count against an order.
        obvious: the outcomes of the order as given, and of everything at once.
        dead_ends: why no order is safe; none if one is.
        tried: how many steps were played to find out.
        room: with how much more room an order is safe; None if one is without, or if none was
            found with as many nodes as `room_tried` says.
        room_tried: how many more nodes of a shape were tried. None are where pods keep a priority
            that their successors don't get: more nodes fill up.
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
