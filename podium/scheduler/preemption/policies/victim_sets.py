"""Sets of victims on several nodes, with the values by which candidate nodes are compared."""

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from podium.scheduler.preemption.choice import Key
from podium.scheduler.preemption.dry_run import NO_VICTIMS, DryRun, RowResult
from podium.scheduler.snapshot.arrays import Rows


class VictimSets(DryRun):
    """A dry run with victims on several nodes, whose number is `nodes_touched`, int64[nodes]."""

    def __init__(
        self, like: DryRun, sets: Mapping[int, RowResult], lost: Collection[int] | None = None
    ) -> None:
        """Make a dry run with other victims for some rows.

        Args:
            like: a dry run for the same pod and cluster.
            sets: results by row.
            lost: rows that are no longer candidates, while rows in neither argument are as in
                `like`; if None, only the rows of `sets` are candidates.
        """
        self.__dict__.update(like.__dict__)
        if lost is None:
            self._forget_all()
            self.nodes_touched: NDArray[np.int64] = np.zeros_like(self.violations)
        else:
            for name, value in vars(like).items():
                if isinstance(value, np.ndarray | dict):
                    setattr(self, name, value.copy())
            self.nodes_touched = np.ones_like(self.violations)
            if isinstance(like, VictimSets):
                self.nodes_touched = like.nodes_touched.copy()
        for row, result in sets.items():
            self._keep_one(row, result)
            self.nodes_touched[row] = len({victim.row for victim in result.victims})
        for row in lost or ():
            self._keep_one(row, RowResult(-1, NO_VICTIMS))


def _nodes_touched(run: DryRun, rows: Rows) -> NDArray[np.int64]:
    if not isinstance(run, VictimSets):
        raise TypeError("only sets of victims on several nodes are compared by their nodes")
    return run.nodes_touched[rows]


NODES_TOUCHED = Key("fewest nodes with victims", "NODES", _nodes_touched)
"""The key that is added last for victims on several nodes."""
