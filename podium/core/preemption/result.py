"""What preemption came to."""

from dataclasses import dataclass, field

import numpy as np

from podium.core.framework import Rows
from podium.core.pods import PodInfo
from podium.core.preemption.choice import Choice
from podium.core.preemption.dry_run import DryRun
from podium.core.status import SUCCESS, Status, unschedulable


def _no_rows() -> Rows:
    return np.zeros(0, np.intp)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node on which preemption would make room.

    Attributes:
        node_name: the node.
        victims: who would have to go, the most important first.
        pdb_violations: how many of them break a budget.
    """

    node_name: str
    victims: tuple[PodInfo, ...]
    pdb_violations: int


@dataclass(frozen=True, slots=True)
class Preemption:
    """The outcome of PostFilter. Rows are those of the snapshot as it was at the time.

    Attributes:
        eligible: whether the pod may preempt at all.
        message: why there is no candidate, or why it isn't eligible; empty if a node was selected.
        candidate_rows: where preemption would make room, int[n].
        rejected_rows: where the dry run failed, int[n].
        run: the dry run with the details of those rows; it goes on changing with the cluster.
        choice: how the candidates were narrowed down; None if there is none.
        node_name: the node that is nominated; empty if none.
        victims: who has to go there, the most important first.
        pdb_violations: how many of them break a budget.
        clears_nomination: the pod loses its nomination, if it has one.
        cleared: pods of lower priority that lose their nomination to the node.
    """

    eligible: bool
    message: str = ""
    candidate_rows: Rows = field(default_factory=_no_rows)
    rejected_rows: Rows = field(default_factory=_no_rows)
    run: DryRun | None = None
    choice: Choice | None = None
    node_name: str = ""
    victims: tuple[PodInfo, ...] = ()
    pdb_violations: int = 0
    clears_nomination: bool = False
    cleared: tuple[PodInfo, ...] = ()

    @property
    def status(self) -> Status:
        """What DefaultPreemption answers as a PostFilter plugin."""
        return SUCCESS if self.node_name else unschedulable(f"preemption: {self.message}")
