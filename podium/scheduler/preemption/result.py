"""What DefaultPreemption came to."""

import msgspec
import numpy as np

from podium.scheduler.framework.interface import PreemptionResult
from podium.scheduler.preemption.choice import Choice
from podium.scheduler.preemption.dry_run import DryRun
from podium.scheduler.snapshot.arrays import Mask, Rows


class Preemption(PreemptionResult, frozen=True):
    """The answer of DefaultPreemption, with what it weighed.

    Rows are those of the snapshot as it was at the time.

    Attributes:
        candidate_rows: where preemption would make room, int[n].
        is_rejected: where the dry run failed, bool[nodes].
        run: the dry run with the details of those rows; it goes on changing with the cluster.
        choice: how the candidates were narrowed down; None if there is none.
    """

    candidate_rows: Rows = msgspec.field(default_factory=lambda: np.zeros(0, np.intp))
    is_rejected: Mask = msgspec.field(default_factory=lambda: np.zeros(0, bool))
    run: DryRun | None = None
    choice: Choice | None = None
