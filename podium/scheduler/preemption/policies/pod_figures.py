"""A figure of each pod on a node, as a column: what a pod's annotations say, mostly."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from podium.scheduler.framework.evaluation.unchanged_rows import KnownRows
from podium.scheduler.snapshot.budget_columns import BudgetColumns
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot


class PodFigures:
    """Figures by slot, each found out when it is first asked for, and anew if its row changed.

    Args:
        snapshot: the pods.
        of_pod: the figure of a pod.
        of_nobody: what stands for no pod.
    """

    def __init__(
        self, snapshot: Snapshot, of_pod: Callable[[PodInfo], float], of_nobody: float = 0.0
    ) -> None:
        self._snapshot = snapshot
        self._of_pod = of_pod
        self._of_nobody = of_nobody
        self._rows = KnownRows(snapshot, BudgetColumns())
        self._column: NDArray[np.float64] = np.zeros(0)

    def of(self, slots: NDArray[np.int64]) -> NDArray[np.float64]:
        """The figures of the pods in these slots of the snapshot, of any shape; -1 for nobody."""
        self._rows.follow()
        pods, known = self._snapshot.pods, self._rows.known
        if len(self._column) != len(pods.rows) + 1:
            self._column = np.full(len(pods.rows) + 1, self._of_nobody)
            known[:] = False
        rows = pods.rows[slots]
        for row in np.unique(rows[(slots >= 0) & ~known[rows]]).tolist():
            for pod in self._snapshot.pods_on[row]:
                self._column[pod.slot] = self._of_pod(pod)
            known[row] = True
        found: NDArray[np.float64] = self._column[slots]
        return found
