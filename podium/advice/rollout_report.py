"""An order in which to introduce priority classes: the report that is printed as it is."""

from dataclasses import dataclass
from typing import Annotated, Literal

from podium.documents.report import API_VERSION, HIDDEN, IF_ANY, Report, Seconds
from podium.plan.outcome import PodRow, RejectedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptedPod(PodRow):
    """A pod that is preempted on the way.

    Attributes:
        node: where it was.
        at_s: when, in seconds since the step began.
        final_priority: of its workload, once everything is introduced.
        by: the preemptor.
        by_workload: whose pod that is.
        by_priority: the preemptor's priority at the time.
        by_final_priority: of its workload in the end.
        is_dangerous: whether it mustn't happen.
    """

    node: str
    at_s: Seconds
    final_priority: int
    by: str
    by_workload: str
    by_priority: int
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
    """

    step: str
    took_s: float
    preempted: tuple[PreemptedPod, ...] = ()
    endangered: tuple[PreemptedPod, ...] = ()
    stuck: Annotated[tuple[str, ...], IF_ANY] = ()
    rejected: Annotated[tuple[RejectedObject, ...], IF_ANY] = ()

    @property
    def is_safe(self) -> bool:
        """Whether the next step may follow."""
        return not (self.endangered or self.stuck or self.rejected)


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
        obvious: the outcomes of the order as given, and of everything at once.
        dead_ends: why no order is safe; none if one is.
        tried: how many steps were played to find out.
        room: with how much more room an order is safe; None if one is without, or if none was
            found with as many nodes as `room_tried` says.
        room_tried: how many more nodes of a shape were tried.
    """

    api_version: str = API_VERSION
    kind: Literal["RolloutAdvice"] = "RolloutAdvice"
    verdict: Literal["Safe", "Reordered", "Impossible", "Unknown"] = "Unknown"
    important: int | None = None
    preparation: tuple[str, ...] = ()
    steps: tuple[StepOutcome, ...] = ()
    obvious: tuple[OrderTrial, ...] = ()
    dead_ends: tuple[DeadEnd, ...] = ()
    tried: int = 0
    room: Room | None = None
    room_tried: int = 0
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
