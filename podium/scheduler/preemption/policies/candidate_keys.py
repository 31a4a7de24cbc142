"""The option `candidateOrder`: keys that compare candidate nodes, kube-scheduler's and others."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

import numpy as np
from numpy.typing import NDArray

from podium.api.objects import annotations
from podium.api.pods import deletion_cost
from podium.api.values.times import NANOS_PER_SECOND, TimeError, parse_time
from podium.scheduler.config.scheduler_options import CandidateKey
from podium.scheduler.devices.freed_devices import freed_devices
from podium.scheduler.framework.evaluation.unchanged_rows import KnownRows
from podium.scheduler.framework.handle import Clock, Handle
from podium.scheduler.preemption.choice import (
    LATEST_START,
    PRIORITY_SUM,
    TOP_PRIORITY,
    VICTIMS,
    VIOLATIONS,
    Key,
)
from podium.scheduler.preemption.dry_run import DryRun
from podium.scheduler.preemption.policies.replacements import Cascade, stranded_victims
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.budget_columns import BudgetColumns
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

LAST_CHECKPOINT = "podium.dev/last-checkpoint"

_OF_KUBERNETES: Mapping[CandidateKey, Key] = {
    CandidateKey.PDB_VIOLATIONS: VIOLATIONS,
    CandidateKey.HIGHEST_PRIORITY: TOP_PRIORITY,
    CandidateKey.PRIORITY_SUM: PRIORITY_SUM,
    CandidateKey.VICTIM_COUNT: VICTIMS,
    CandidateKey.LATEST_START: LATEST_START,
}
Foresight = Callable[[Sequence[PodInfo], int], tuple[int, set[int]]]
"""Simulates replacements of victims outside a row; returns a figure, and the replacements' rows."""

_ANY_ROW = -1


class PodFigures:
    """A number for each placed pod by its slot, computed when first requested."""

    def __init__(
        self, snapshot: Snapshot, of_pod: Callable[[PodInfo], float], of_nobody: float = 0.0
    ) -> None:
        self._snapshot = snapshot
        self._of_pod = of_pod
        self._of_nobody = of_nobody
        self._rows = KnownRows(snapshot, BudgetColumns())
        self._column: NDArray[np.float64] = np.zeros(0)

    def of(self, slots: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the numbers of the pods in slots, of any shape; `of_nobody` for slot -1."""
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
        figures: NDArray[np.float64] = self._column[slots]
        return figures


def keys_of(handle: Handle) -> tuple[Key, ...]:
    """Make the keys by which options compare candidate nodes, in order."""
    return tuple(_key(which, handle) for which in handle.options.candidate_keys)


def _key(which: CandidateKey, handle: Handle) -> Key:
    snapshot, clock = handle.snapshot, handle.clock
    match which:
        case CandidateKey.DELETION_COST:
            costs = PodFigures(snapshot, lambda pod: deletion_cost(pod.obj))

            def deletion_costs(run: DryRun, rows: Rows) -> NDArray[np.int64]:
                sums = costs.of(run.victim_slots(rows)).sum(axis=0)
                return np.asarray(sums, np.int64)

            return Key("lowest deletion cost", "DELETION COST", deletion_costs)
        case CandidateKey.LOST_RUN_TIME:
            began_s = PodFigures(snapshot, _began_s, math.inf)

            def lost_run_times_s(run: DryRun, rows: Rows) -> NDArray[np.int64]:
                elapsed_s = clock.now_s - began_s.of(run.victim_slots(rows))
                return np.asarray(np.maximum(np.trunc(elapsed_s), 0).sum(axis=0), np.int64)

            return Key("least run time lost", "LOST RUN TIME", lost_run_times_s)
        case CandidateKey.STRANDED_VICTIMS:
            stranded = partial(_foreseen, snapshot, partial(stranded_victims, handle))
            return Key("fewest stranded victims", "STRANDED", stranded)
        case CandidateKey.CASCADE_SIZE:
            return Key("smallest cascade", "CASCADE", partial(_foreseen, snapshot, Cascade(handle)))
        case CandidateKey.FREED_DEVICES:

            def device_counts(run: DryRun, rows: Rows) -> NDArray[np.int64]:
                victims = map(run.victims_on, rows.tolist())
                counts = [len(freed_devices(handle.allocated, gone)) for gone in victims]
                return np.array(counts, np.int64)

            return Key("fewest devices taken away", "DEVICES", device_counts)
        case _:
            return _OF_KUBERNETES[which]


def _foreseen(snapshot: Snapshot, foresee: Foresight, run: DryRun, rows: Rows) -> NDArray[np.int64]:
    # Simulated once for all rows with victims of equal classes: their replacements go to equal
    # rows, unless these are the row itself.
    slots = run.victim_slots(rows)
    kinds = np.zeros(len(rows), np.int64)
    for classes in np.where(slots < 0, 0, snapshot.pods.classes[slots] + 1):
        kinds = np.unique(kinds * (classes.max() + 1) + classes, return_inverse=True)[1]
    _, firsts, kinds = np.unique(kinds, return_index=True, return_inverse=True)
    place_of = {row: place for place, row in enumerate(rows.tolist())}
    values = np.zeros(len(rows), np.int64)
    for kind, first in enumerate(firsts.tolist()):
        value, taken = foresee(run.victims_on(int(rows[first])), _ANY_ROW)
        values[kinds == kind] = value
        for place in (place_of[row] for row in taken if row in place_of):
            if kinds[place] == kind:
                row = int(rows[place])
                values[place], _ = foresee(run.victims_on(row), row)
    return values


def _began_s(pod: PodInfo) -> float:
    # The start of the work that is lost if the pod goes now; infinity if it is leaving already.
    if pod.start_ns is None or pod.cls.terminating:
        return math.inf
    began_ns = pod.start_ns
    with suppress(TimeError):
        began_ns = max(began_ns, parse_time(annotations(pod.obj).get(LAST_CHECKPOINT, "")))
    return began_ns / NANOS_PER_SECOND


def lost_run_time_s(pod: PodInfo, clock: Clock) -> int:
    """Return the seconds of work lost if a pod is deleted now; 0 if it is terminating already."""
    began_s = _began_s(pod)
    return 0 if began_s == math.inf else max(int(clock.now_s - began_s), 0)
