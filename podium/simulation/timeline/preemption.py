"""A preemption in detail: its victims, the budgets that they break, and why the others lost."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, PlainSerializer

from podium.api.documents.report import HIDDEN, IF_ANY, OrNull, PodReport, Report, Seconds

# What decides between candidates that no key tells apart: see docs/decisions.
NAME_KEY = "smallest node name"


@dataclass(frozen=True, slots=True)
class VictimsBudget(Report):
    """A disruption budget that covers a victim.

    Attributes:
        budget: `namespace/name`.
        allowed: disruptions allowed at the time.
        is_broken: whether the victim's disruption breaks it.
    """

    budget: str
    allowed: int
    is_broken: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Victim(PodReport):
    """A pod that would have to go.

    Attributes:
        node: the node that it has to leave, which may be another than its preemptor's.
        budgets: those that cover it; reports say whether its disruption breaks any.
        is_leaving: whether it had to go already, as for an earlier preemptor.
    """

    node: str
    budgets: Annotated[
        tuple[VictimsBudget, ...],
        PlainSerializer(lambda covering: any(one.is_broken for one in covering), return_type=bool),
        Field(serialization_alias="pdbViolation"),
    ] = ()
    is_leaving: Annotated[bool, IF_ANY, Field(serialization_alias="leaving")] = False

    @property
    def broken(self) -> tuple[str, ...]:
        return tuple(b.budget for b in self.budgets if b.is_broken)


@dataclass(frozen=True, slots=True)
class CandidateNode(Report):
    """A node on which preemption would make room, and how it fared in the choice.

    Attributes:
        node: the node.
        victims: the most important first.
        pdb_violations: how many of them break a budget.
        values: by which the keys compare it, in words.
        lost_at: the name of the key at which it lost, `NAME_KEY` if only its name was against it;
            None for the node that was chosen.
    """

    node: str
    victims: tuple[Victim, ...]
    pdb_violations: int
    values: Annotated[tuple[str, ...], HIDDEN]
    lost_at: str | None = None

    @property
    def is_chosen(self) -> bool:
        return self.lost_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptionOutcome(Report):
    """A preemption that a scheduler decided, with all that it weighed.

    Attributes:
        preemptor: the pod that needed room.
        namespace: of the preemptor.
        owner: its controller, `Kind namespace/name`; empty if it has none.
        priority: of the preemptor.
        priority_class: likewise; empty if it names none.
        node: the node that was taken.
        at_s: when it was decided, in seconds since the observer began.
        victims: of that node.
        alternatives: the other candidates, those that got furthest in the choice first.
        left_out: how many further candidates there were.
        chosen: the candidate that was taken.
        keys: by which candidates were compared: name and heading of each, in order.
    """

    preemptor: str
    namespace: str = ""
    owner: Annotated[str, IF_ANY] = ""
    priority: int = 0
    priority_class: OrNull = ""
    node: str
    at_s: Seconds
    victims: tuple[Victim, ...]
    alternatives: tuple[CandidateNode, ...]
    left_out: Annotated[int, IF_ANY, Field(serialization_alias="alternativesLeftOut")]
    chosen: Annotated[CandidateNode, HIDDEN]
    keys: Annotated[tuple[tuple[str, str], ...], HIDDEN]

    @property
    def taken(self) -> tuple[Victim, ...]:
        """Victims that go for this preemptor, without those that were leaving already."""
        return tuple(victim for victim in self.victims if not victim.is_leaving)

    @property
    def candidate_count(self) -> int:
        return 1 + len(self.alternatives) + self.left_out
