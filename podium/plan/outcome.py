"""What a plan comes to, as values; pods are named `namespace/name`."""

from dataclasses import dataclass
from enum import StrEnum

from podium.api.disruption import Cause
from podium.core.preemption.choice import KEYS
from podium.core.preemption.dry_run import PRIORITY_OFFSET

KEY_NAMES = tuple(key.name for key in KEYS)
# What decides between candidates that no key tells apart: see docs/decisions.
NAME_KEY = "smallest node name"
NOT_SELECTED_BY_NAME = len(KEYS)


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
class VictimsBudget:
    """A disruption budget that covers a victim.

    Attributes:
        budget: `namespace/name`.
        allowed: disruptions allowed at the time.
        is_broken: whether the victim's disruption breaks it.
    """

    budget: str
    allowed: int
    is_broken: bool = False


@dataclass(frozen=True, slots=True)
class Victim:
    """A pod that would have to go.

    Attributes:
        pod: the pod.
        priority: of the pod.
        budgets: those that cover it.
        is_leaving: whether it had to go already, as for an earlier preemptor.
    """

    pod: str
    priority: int
    budgets: tuple[VictimsBudget, ...] = ()
    is_leaving: bool = False

    @property
    def breaks_budget(self) -> bool:
        """Whether its disruption breaks any."""
        return bool(self.budgets) and any(b.is_broken for b in self.budgets)

    @property
    def broken(self) -> tuple[str, ...]:
        """The budgets that its disruption breaks."""
        return tuple(b.budget for b in self.budgets if b.is_broken)


@dataclass(frozen=True, slots=True)
class CandidateNode:
    """A node on which preemption would make room, and how it fared in the choice.

    Attributes:
        node: the node.
        victims: the most important first.
        pdb_violations: how many of them break a budget.
        top_priority: of the most important victim.
        priority_sum: of all victims, each raised by 2**31, as it is compared.
        latest_start_ns: when the first of the victims of the top priority started, in nanoseconds
            since the epoch; None if none of them has.
        lost_at: the index in `KEY_NAMES` of the key at which it lost, `NOT_SELECTED_BY_NAME` if
            only its name was against it; None for the node that was chosen.
    """

    node: str
    victims: tuple[Victim, ...]
    pdb_violations: int
    top_priority: int
    priority_sum: int
    latest_start_ns: int | None
    lost_at: int | None = None

    @property
    def is_chosen(self) -> bool:
        """Whether this is the node that is taken."""
        return self.lost_at is None

    @property
    def lost_at_name(self) -> str | None:
        """What it lost by, in words."""
        return None if self.lost_at is None else (*KEY_NAMES, NAME_KEY)[self.lost_at]

    @property
    def plain_priority_sum(self) -> int:
        """The sum of the victims' priorities as they are."""
        return self.priority_sum - PRIORITY_OFFSET * len(self.victims)


@dataclass(frozen=True, slots=True)
class PreemptionOutcome:
    """A preemption that was carried out.

    Attributes:
        preemptor: the pod that needed room.
        chosen: the node that was taken, with the victims.
        alternatives: the other candidates, those that got furthest in the choice first.
        left_out: how many further candidates there were.
        at_s: when it was decided, in seconds since the plan began.
    """

    preemptor: str
    chosen: CandidateNode
    alternatives: tuple[CandidateNode, ...] = ()
    left_out: int = 0
    at_s: float = 0.0

    @property
    def node(self) -> str:
        """The node that was taken."""
        return self.chosen.node

    @property
    def taken(self) -> tuple[Victim, ...]:
        """The victims that have to go for this preemptor, and not for anybody before it."""
        return tuple(victim for victim in self.chosen.victims if not victim.is_leaving)

    @property
    def candidate_count(self) -> int:
        """How many candidates there were."""
        return 1 + len(self.alternatives) + self.left_out


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
