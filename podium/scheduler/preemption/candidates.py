"""How many candidates preemption looks at, when it is limited as kube-scheduler limits itself.

kube-scheduler starts its dry runs at a random node and stops once it has enough candidates, at
least one of which breaks no budget (GetOffsetAndNumCandidates and DryRunPreemption, v1.36).
Podium runs all of them unless the configuration sets a number.
"""

from random import Random

import msgspec
import numpy as np

from podium.scheduler.preemption.dry_run import DryRun
from podium.scheduler.snapshot.arrays import Mask


class CandidateLimit(msgspec.Struct, frozen=True):
    """The limits of DefaultPreemptionArgs: the greater of a percentage and a number of nodes."""

    percentage: int
    absolute: int
    rng: Random

    def shortlist(self, run: DryRun, potential: Mask) -> Mask:
        """The potential rows, bool[nodes], that are looked at; the dry run must know them."""
        rows = np.flatnonzero(potential)
        count = len(rows)
        wanted = min(max(count * self.percentage // 100, self.absolute), count)
        order = np.roll(rows, -self.rng.randrange(count))
        is_candidate = run.is_candidate[order]
        clean = np.cumsum(is_candidate & (run.violations[order] == 0))
        enough = (np.cumsum(is_candidate) >= wanted) & (clean > 0)
        end = int(enough.argmax()) + 1 if enough.any() else count
        listed = np.zeros_like(potential)
        listed[order[:end]] = True
        return listed
