"""What preemption came to."""

import msgspec
import numpy as np

from podium.scheduler.framework.interface import PostFilterResult
from podium.scheduler.preemption.choice import Choice
from podium.scheduler.preemption.dry_run import DryRun
from podium.scheduler.preemption.policies.policy import Held
from podium.scheduler.snapshot.arrays import Mask, Rows
from podium.scheduler.snapshot.pod_info import PodInfo


def _no_rows() -> Rows:
    return np.zeros(0, np.intp)


class Candidate(msgspec.Struct, frozen=True):
    """A node on which preemption would make room.

    Attributes:
        node_name: the node.
        victims: who would have to go, the most important first.
        pdb_violations: how many of them break a budget.
    """

    node_name: str
    victims: tuple[PodInfo, ...]
    pdb_violations: int


class Preemption(PostFilterResult, frozen=True):
    """The answer of DefaultPreemption, with what it weighed.

    Rows are those of the snapshot as it was at the time.

    Attributes:
        eligible: whether the pod may preempt at all.
        message: why there is no candidate, or why it isn't eligible; empty if a node was selected.
        candidate_rows: where preemption would make room, int[n].
        is_rejected: where the dry run failed, bool[nodes].
        run: the dry run with the details of those rows; it goes on changing with the cluster.
        choice: how the candidates were narrowed down; None if there is none.
        pdb_violations: how many victims break a budget.
        cleared: pods of lower priority that lose their nomination to the node.
        held: what holds the preemption back; None if a node was selected, or no option forbids it.
    """

    eligible: bool = True
    message: str = ""
    candidate_rows: Rows = msgspec.field(default_factory=_no_rows)
    is_rejected: Mask = msgspec.field(default_factory=lambda: np.zeros(0, bool))
    run: DryRun | None = None
    choice: Choice | None = None
    pdb_violations: int = 0
    cleared: tuple[PodInfo, ...] = ()
    held: Held | None = None

    @property
    def node_name(self) -> str:
        """The node that is nominated; empty if none."""
        return self.nominated_node_name or ""

    @property
    def clears_nomination(self) -> bool:
        """Whether the pod loses its nomination, if it has one."""
        return self.nominated_node_name == ""
