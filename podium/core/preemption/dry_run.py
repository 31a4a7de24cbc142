"""The dry run of preemption: on which rows would who have to go?

All rows at once: take away every pod of lower priority, see where the preemptor then fits, and
give pods back in turn, those that break a budget first, wherever it goes on fitting
(SelectVictimsOnNode of v1.36). Results are kept by class of preemptors; only rows that have
changed are run again.
"""

import numpy as np
from numpy.typing import NDArray

from podium.core.budget_columns import BudgetColumns
from podium.core.filtering import Filtering
from podium.core.framework import FITS, Rows
from podium.core.nominator import Nominator
from podium.core.pod_columns import NEVER_NS
from podium.core.pods import PodInfo
from podium.core.preemption.importance import Importance
from podium.core.preemption.one_row import RowResult, RowWorld, run_row
from podium.core.preemption.victims import PotentialVictims, potential_victims
from podium.core.preemption.world import World
from podium.core.snapshot import Snapshot

NO_VICTIMS = -2
NO_VICTIMS_REASON = "No preemption victims found for incoming pod"
_ONE_BY_ONE_MAX = 4
# Keeps sums of priorities comparable when some are negative, as upstream does.
PRIORITY_OFFSET = 2**31


class DryRun:
    """What preemption by one class of pods would take, row by row.

    Attributes:
        importance: the order of victims.
        is_candidate: bool[capacity], whether preemption would make room.
        outcome: int32[capacity], why not: the code of the filter that still objects.
        blame: int32[capacity], the index of that filter, `NO_VICTIMS` if there was nobody to take.
        victims: by row, the most important first.
        violations: int64[capacity], how many victims break a budget.
        top_priority: int64[capacity], of the most important victim.
        priority_sum: int64[capacity], of all victims, each raised by `PRIORITY_OFFSET`.
        victim_count: int64[capacity].
        earliest_start: int64[capacity], nanoseconds, among the victims of the top priority;
            `NEVER_NS` if none has started.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        nominator: Nominator,
        budgets: BudgetColumns,
        importance: Importance,
    ) -> None:
        self._snapshot = snapshot
        self._nominator = nominator
        self._budgets = budgets
        self.importance = importance
        self._state: tuple[object, ...] = ()
        self._seen = 0
        self._nominations_seen = 0
        self._restarts_seen = 0
        self._budgets_seen = 0
        self._forget_all()

    def update(self, pod: PodInfo, filtering: Filtering, rows: Rows) -> None:
        """Make results of `rows`, int[n], hold for `pod`, whose class is filtered like that."""
        self._follow(filtering)
        own = self._snapshot.row_of.get(pod.nominated_node_name, -1)
        if own >= 0:
            self._known[own] = False
        stale = rows[~self._known[rows]]
        if len(stale) <= _ONE_BY_ONE_MAX:
            for row in stale.tolist():
                self._run_row(pod, filtering, row)
        else:
            self._run(pod, filtering, stale)
        self._known[stale] = True
        if own >= 0:
            self._known[own] = False

    def _follow(self, filtering: Filtering) -> None:
        """Forget what changes since the last time may have made wrong."""
        snapshot = self._snapshot
        state = (filtering, filtering.generation, self._budgets.epoch, snapshot.node_epoch)
        if state != self._state or not self._remembered():
            self._forget_all()
            self._state = state
            return
        for row, _, _ in snapshot.log.since(self._seen):
            self._known[row] = False
        for row in snapshot.restarts.since(self._restarts_seen):
            self._known[row] = False
        for node_name in self._nominator.log.since(self._nominations_seen):
            row = snapshot.row_of.get(node_name, -1)
            if row >= 0:
                self._known[row] = False
        self._follow_budgets()
        self._seen = snapshot.log.end
        self._restarts_seen = snapshot.restarts.end
        self._nominations_seen = self._nominator.log.end

    def _remembered(self) -> bool:
        """Whether all logs still have what happened since the last time."""
        return (
            self._seen >= self._snapshot.log.start
            and self._restarts_seen >= self._snapshot.restarts.start
            and self._nominations_seen >= self._nominator.log.start
            and self._budgets_seen >= self._budgets.log.start
        )

    def _follow_budgets(self) -> None:
        """Forget rows with pods of budgets that allow another number now."""
        changed = self._budgets.log.since(self._budgets_seen)
        self._budgets_seen = self._budgets.log.end
        if changed:
            pods = self._snapshot.pods
            rows = pods.rows[np.isin(pods.classes, self._budgets.covered(changed))]
            self._known[rows[rows >= 0]] = False

    def _forget_all(self) -> None:
        capacity = self._snapshot.capacity
        self._budgets_seen = self._budgets.log.end
        self._seen = self._snapshot.log.end
        self._restarts_seen = self._snapshot.restarts.end
        self._nominations_seen = self._nominator.log.end
        self._known: NDArray[np.bool_] = np.zeros(capacity, bool)
        self.is_candidate: NDArray[np.bool_] = np.zeros(capacity, bool)
        self.outcome = np.zeros(capacity, np.int32)
        self.blame = np.zeros(capacity, np.int32)
        self.victims: list[tuple[PodInfo, ...]] = [()] * capacity
        (
            self.violations,
            self.top_priority,
            self.priority_sum,
            self.victim_count,
            self.earliest_start,
        ) = (np.zeros(capacity, np.int64) for _ in range(5))

    def _run(self, pod: PodInfo, filtering: Filtering, rows: Rows) -> None:
        snapshot = self._snapshot
        potential = potential_victims(snapshot, pod.cls, rows, self._budgets, self.importance)
        rivals = self._nominator.rivals(pod, snapshot) if self._nominator else ()
        world = World(filtering, snapshot, rows, rivals)
        world.remove(potential.row_indexes, potential.slots)
        indexes = np.flatnonzero(potential.counts)
        outcome, blame = np.full(len(rows), -1, np.int32), np.full(len(rows), NO_VICTIMS, np.int32)
        outcome[indexes], blame[indexes] = world.judge(indexes)
        fits = outcome == FITS
        is_victim = _reprieve(world, potential, fits)
        self.outcome[rows], self.blame[rows], self.is_candidate[rows] = outcome, blame, fits
        self._keep(rows, potential, is_victim)

    def _run_row(self, pod: PodInfo, filtering: Filtering, row: int) -> None:
        snapshot = self._snapshot
        lower = [p for p in snapshot.pods_on[row] if p.priority < pod.priority]
        result = RowResult(-1, NO_VICTIMS)
        if lower:
            rivals = self._nominator.rivals_on(pod, snapshot.names[row])
            world = RowWorld(filtering, snapshot, row, rivals)
            result = run_row(world, lower, self._budgets, self.importance)
        self.outcome[row], self.blame[row] = result.outcome, result.blame
        self.is_candidate[row] = result.outcome == FITS
        self.victims[row], self.violations[row] = result.victims, result.violations
        self.victim_count[row] = len(result.victims)
        if result.victims:
            top = max(victim.priority for victim in result.victims)
            starts = [v.start_ns for v in result.victims if v.priority == top]
            self.top_priority[row] = top
            self.earliest_start[row] = min(NEVER_NS if s is None else s for s in starts)
            self.priority_sum[row] = sum(v.priority + PRIORITY_OFFSET for v in result.victims)

    def _keep(self, rows: Rows, potential: PotentialVictims, is_victim: NDArray[np.bool_]) -> None:
        indexes = potential.row_indexes[is_victim]
        slots, violating = potential.slots[is_victim], potential.violating[is_victim]
        columns = self._snapshot.pods
        priorities = self._snapshot.classes.priorities()[columns.classes[slots]]
        count = len(rows)
        top = np.full(count, np.iinfo(np.int64).min)
        np.maximum.at(top, indexes, priorities)
        of_top = priorities == top[indexes]
        earliest = np.full(count, NEVER_NS)
        np.minimum.at(earliest, indexes[of_top], columns.starts[slots[of_top]])
        total = np.zeros(count, np.int64)
        np.add.at(total, indexes, priorities + PRIORITY_OFFSET)
        self.top_priority[rows], self.earliest_start[rows], self.priority_sum[rows] = (
            top,
            earliest,
            total,
        )
        self.victim_count[rows] = np.bincount(indexes, minlength=count)
        self.violations[rows] = np.bincount(indexes[violating], minlength=count)
        self._keep_victims(rows, potential, indexes, slots)

    def _keep_victims(
        self,
        rows: Rows,
        potential: PotentialVictims,
        indexes: NDArray[np.int64],
        slots: NDArray[np.int64],
    ) -> None:
        pods = [self._snapshot.pods.pods[slot] for slot in slots.tolist()]
        ends = np.cumsum(np.bincount(indexes, minlength=len(rows))).tolist()
        violating = np.bincount(potential.row_indexes[potential.violating], minlength=len(rows))
        mixed = (violating > 0) & (violating < potential.counts)
        start = 0
        for index, row in enumerate(rows.tolist()):
            victims = pods[start : ends[index]]
            if mixed[index]:
                self.importance.sort(victims)
            self.victims[row] = tuple(victims)
            start = ends[index]


def _reprieve(
    world: World, potential: PotentialVictims, fits: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Give pods back in turn, bool[pods]: who has to go."""
    is_victim = np.zeros(len(potential.slots), bool)
    in_play = fits[potential.row_indexes]
    turns = int(potential.ranks[in_play].max(initial=-1)) + 1
    for turn in range(turns):
        places = np.flatnonzero(in_play & (potential.ranks == turn))
        indexes, slots = potential.row_indexes[places], potential.slots[places]
        world.give_back(indexes, slots)
        outcome, _ = world.judge(indexes)
        refused = outcome != FITS
        world.remove(indexes[refused], slots[refused])
        is_victim[places[refused]] = True
    return is_victim
