"""A preemption in detail: its victims, the budgets that they break, and why the others lost."""

from dataclasses import dataclass

from podium.core.preemption.choice import KEYS
from podium.core.preemption.dry_run import PRIORITY_OFFSET

KEY_NAMES = tuple(key.name for key in KEYS)
# What decides between candidates that no key tells apart: see docs/decisions.
NAME_KEY = "smallest node name"
NOT_SELECTED_BY_NAME = len(KEYS)


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
    """A preemption that a scheduler decided, with all that it weighed.

    Attributes:
        preemptor: the pod that needed room.
        chosen: the node that was taken, with the victims.
        alternatives: the other candidates, those that got furthest in the choice first.
        left_out: how many further candidates there were.
        at_s: when it was decided, in seconds since the observer began.
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
