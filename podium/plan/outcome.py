"""What a plan comes to, as values; pods are named `namespace/name`."""

from dataclasses import dataclass
from enum import StrEnum

from podium.api.disruption import Cause
from podium.simulation.observing.preemption import PreemptionOutcome


@dataclass(frozen=True, slots=True)
class Placement:
    """A pod that got a place.

    Attributes:
        pod: the pod.
        node: where it is now.
        priority: of the pod.
        by_node_name: its own `spec.nodeName` said so, and no scheduler was asked.
        at_s: when it was bound, in seconds since the plan began.
        replaces: the lost pod in whose place it comes; empty if in nobody's.
    """

    pod: str
    node: str
    priority: int
    by_node_name: bool = False
    at_s: float = 0.0
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class PendingPod:
    """A pod that no place was found for.

    Attributes:
        pod: the pod.
        message: as in kube-scheduler's FailedScheduling event.
        nominated_node: where it waits for room; empty if nowhere.
        replaces: the lost pod in whose place it was to come; empty if in nobody's.
    """

    pod: str
    message: str
    nominated_node: str = ""
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class GatedPod:
    """A pod that isn't queued yet.

    Attributes:
        pod: the pod.
        plugin: who keeps it out.
        message: why.
    """

    pod: str
    plugin: str
    message: str


@dataclass(frozen=True, slots=True)
class NodeRefusal:
    """A pod that named its node and is refused by it.

    Attributes:
        pod: the pod.
        node: the node that it named.
        reason: as in the status of the failed pod, such as `OutOfcpu`.
        message: likewise.
    """

    pod: str
    node: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class RejectedObject:
    """An object that the API would not let in, or pods of a workload.

    Attributes:
        object: `Kind namespace/name`, or how many pods.
        message: why, as the client is told.
        workload: whose pods they are, `Kind namespace/name`; empty for an object of its own.
        count: how many there are.
    """

    object: str
    message: str
    workload: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True)
class RemovedPod:
    """A pod of the state that the changes take away.

    Attributes:
        pod: the pod.
        node: where it was; empty if nowhere.
        reason: what takes it away, in words.
        is_evicted: it loses its place without it or its workload having been changed.
        at_s: when it has to go, in seconds since the plan began.
    """

    pod: str
    node: str
    reason: str
    is_evicted: bool = False
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class IgnoredPod:
    """A pod that asks for another scheduler."""

    pod: str
    scheduler_name: str


@dataclass(frozen=True, slots=True)
class BudgetChange:
    """What becomes of a disruption budget.

    Attributes:
        budget: `namespace/name`.
        allowed_before: disruptions allowed in the state.
        allowed_after: disruptions allowed at the end of the plan.
        violated_by: victims whose disruption breaks it.
        is_touched: whether it covers a pod that goes, or another number is allowed.
        allowed_least: the fewest disruptions allowed in between.
        least_at_s: when that was first so, in seconds since the plan began.
    """

    budget: str
    allowed_before: int
    allowed_after: int
    violated_by: tuple[str, ...] = ()
    is_touched: bool = False
    allowed_least: int = 0
    least_at_s: float = 0.0


class Happening(StrEnum):
    """What can happen to a pod."""

    CREATED = "created"
    BOUND = "bound"
    READY = "ready"
    TERMINATING = "terminating"
    FAILED = "failed"
    SUCCEEDED = "succeeded"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Moment:
    """A line of the timeline.

    Attributes:
        at_s: when, in seconds since the plan began.
        happening: what.
        pod: to whom.
        uid: of the pod.
        node: where the pod is; empty if nowhere.
        detail: the reason, as in the pod's status; empty if there is none.
        by: the pod that is behind it: the preemptor, or the lost pod that a new one replaces.
    """

    at_s: float
    happening: Happening
    pod: str
    uid: str
    node: str = ""
    detail: str = ""
    by: str = ""


class Return(StrEnum):
    """Whether a lost pod comes again."""

    CERTAIN = "Certain"
    NEVER = "Never"
    UNKNOWN = "Unknown"


@dataclass(frozen=True, slots=True)
class Disruption:
    """A pod that loses its place through no change of its own.

    Attributes:
        pod: the pod.
        node: where it was.
        priority: of the pod.
        at_s: when, in seconds since the plan began.
        cause: what made it lose its place.
        by: the preemptor; empty if it wasn't preempted.
        depth: 1 if the changes themselves are behind it, or a pod that waited already; 2 if it
            gives way to a pod that itself comes in place of such a one, and so on.
        owner: its controller, `Kind namespace/name`; empty if it has none.
        comes_again: whether another pod comes in its place.
        replacement: that pod; empty if there is none.
        replaced_on: where the replacement is in the end; empty if nowhere.
        replaced_at_s: when the replacement was bound; None if it wasn't.
    """

    pod: str
    node: str
    priority: int
    at_s: float
    cause: Cause
    by: str = ""
    depth: int = 1
    owner: str = ""
    comes_again: Return = Return.CERTAIN
    replacement: str = ""
    replaced_on: str = ""
    replaced_at_s: float | None = None


@dataclass(frozen=True, slots=True)
class Fate:
    """What comes of a pod: the name of a node, or a few words."""

    pod: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Chance:
    """A pod whose fate depends on chance.

    Attributes:
        pod: the pod.
        outcomes: what comes of it, the name of a node or a few words, with how many times.
    """

    pod: str
    outcomes: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The outcome of a plan; each list is in the order in which things happen.

    `until_s` says for how long it was played, in seconds, and `seeds` how many times; all but
    `chances` is of the first time. `interrupted` says that there would have been more. `anyway` has
    what would happen without the changes, too.
    """

    placements: tuple[Placement, ...] = ()
    preemptions: tuple[PreemptionOutcome, ...] = ()
    pending: tuple[PendingPod, ...] = ()
    budgets: tuple[BudgetChange, ...] = ()
    refusals: tuple[NodeRefusal, ...] = ()
    rejected: tuple[RejectedObject, ...] = ()
    gated: tuple[GatedPod, ...] = ()
    removed: tuple[RemovedPod, ...] = ()
    ignored: tuple[IgnoredPod, ...] = ()
    disruptions: tuple[Disruption, ...] = ()
    timeline: tuple[Moment, ...] = ()
    until_s: float = 0.0
    interrupted: bool = False
    seeds: int = 1
    chances: tuple[Chance, ...] = ()
    anyway: tuple[Fate, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
