"""Pods nominated to other nodes, counted as if they were there (addGENominatedPods, v1.36).

A node has to suit a pod with them and without them, so they only close open rows. What they change
of a closed row's reason is looked at when the pod fits nowhere.
"""

import numpy as np

from podium.scheduler.framework.evaluation.filtering import Filtering
from podium.scheduler.framework.evaluation.hypothetical_rows import HypotheticalRow
from podium.scheduler.framework.evaluation.unchanged_rows import KnownRows
from podium.scheduler.framework.interface import FITS
from podium.scheduler.snapshot.arrays import Codes, Mask, Rows
from podium.scheduler.snapshot.budget_columns import BudgetColumns
from podium.scheduler.snapshot.nominator import Nominator
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

_ONE_BY_ONE_MAX = 4


class Rivalry:
    """The rows that nominated pods close to a class of pods; only changed rows are judged again."""

    def __init__(self, snapshot: Snapshot, nominator: Nominator) -> None:
        self._snapshot = snapshot
        self._nominator = nominator
        self._rows = KnownRows(snapshot, BudgetColumns(), nominator)
        self._codes, self._blame = np.zeros((2, snapshot.node_count), np.int32)

    def closed(self, pod: PodInfo, filtering: Filtering) -> Rows:
        """The open rows that are closed once rivals are counted, int[n]."""
        is_open = filtering.outcome == FITS
        self._judge(pod, filtering, is_open)
        return np.flatnonzero(is_open & (self._codes != FITS))

    def outcome(self, pod: PodInfo, filtering: Filtering) -> tuple[Codes, Codes]:
        """Outcome and blame, int32[nodes], of all rows once rivals are counted."""
        self._judge(pod, filtering)
        is_closed = self._codes != FITS
        outcome = np.where(is_closed, self._codes, filtering.outcome)
        return outcome, np.where(is_closed, self._blame, filtering.blame)

    def _judge(self, pod: PodInfo, filtering: Filtering, wanted: Mask | None = None) -> None:
        if self._rows.follow(filtering, filtering.generation):
            self._codes, self._blame = np.zeros((2, self._snapshot.node_count), np.int32)
        known = self._rows.known
        own = self._nominator.rows_of(pod, self._snapshot)
        # Its own nomination doesn't count, while it does for others of its class.
        known[own] = False
        is_stale = ~known if wanted is None else wanted & ~known
        stale = np.flatnonzero(is_stale)
        self._codes[stale] = FITS
        if len(stale) <= _ONE_BY_ONE_MAX:
            for row in stale.tolist():
                rivals_here = self._nominator.rivals_on(pod, self._snapshot.names[row])
                if rivals_here:
                    judged = HypotheticalRow(filtering, self._snapshot, row, rivals_here)
                    self._codes[row], self._blame[row] = judged.judge_with_rivals()
        else:
            rivals = self._nominator.rivals(pod, self._snapshot)
            if among := [(row, pods) for row, pods in rivals if is_stale[row]]:
                rows, codes, blame = filtering.with_pods(among)
                self._codes[rows], self._blame[rows] = codes, blame
        known[stale] = True
        known[own] = False
