"""Rows as filters judge them with nominated pods added, or with potential victims removed.

A pod fits a row only if it fits both with and without the pods nominated there, as in
RunFilterPluginsWithNominatedPods of v1.36.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from podium.scheduler.framework.evaluation.filtering import NO_FILTER, Filtering
from podium.scheduler.framework.evaluation.unchanged_rows import KnownRows
from podium.scheduler.framework.interface import FITS
from podium.scheduler.snapshot.arrays import Codes, Mask, Rows
from podium.scheduler.snapshot.budget_columns import BudgetColumns
from podium.scheduler.snapshot.nominator import Nominator
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_columns import ManyPods
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

Integers = NDArray[np.int64]
Rivals = Sequence[tuple[int, Sequence[PodInfo]]]
"""Rows, each with its nominated pods that have to be counted."""

_ONE_BY_ONE_MAX = 4


class HypotheticalRow:
    """One row from which pods are removed one by one, in integers, as arrays would be slower."""

    def __init__(
        self, filtering: Filtering, snapshot: Snapshot, row: int, rivals: Sequence[PodInfo]
    ) -> None:
        self._filtering = filtering
        self._row = row
        self._rivals = rivals
        self._present = list(snapshot.pods_on[row])
        filtering.register(rivals)
        self._sums = [[0] * state.width for state in filtering.states]
        self._weights: dict[PodClass, list[tuple[list[int], Sequence[int]]]] = {}

    def remove(self, pod: PodInfo) -> None:
        self._present.remove(pod)
        self._count(pod, -1)

    def restore(self, pod: PodInfo) -> None:
        self._present.append(pod)
        self._count(pod, 1)

    def judge(self) -> tuple[int, int]:
        """Return outcome and blame; the row has to fit both with its nominated pods and without."""
        outcome = self.judge_with_rivals() if self._rivals else (FITS, NO_FILTER)
        return outcome if outcome[0] != FITS else self._judge(())

    def judge_with_rivals(self) -> tuple[int, int]:
        for pod in self._rivals:
            self._count(pod, 1)
        outcome = self._judge(self._rivals)
        for pod in self._rivals:
            self._count(pod, -1)
        return outcome

    def _judge(self, rivals: Sequence[PodInfo]) -> tuple[int, int]:
        for number, state in enumerate(self._filtering.states):
            if not state.additive:
                code = state.code_among(self._row, [*self._present, *rivals])
            elif not state.width:
                code = int(self._filtering.codes[number][self._row])
            else:
                code = state.code(self._row, self._sums[number])
            if code != FITS:
                return code, number
        return FITS, NO_FILTER

    def _count(self, pod: PodInfo, sign: int) -> None:
        weights = self._weights.get(pod.cls)
        if weights is None:
            pairs = zip(self._sums, self._filtering.states, strict=True)
            weights = [(sums, state.weights(pod.cls)) for sums, state in pairs if state.width]
            self._weights[pod.cls] = weights
        for sums, of_state in weights:
            for place, weight in enumerate(of_state):
                sums[place] += sign * weight


class HypotheticalRows:
    """Many rows without their potential victims, which are restored turn by turn; in arrays."""

    def __init__(
        self,
        filtering: Filtering,
        snapshot: Snapshot,
        rows: Rows,
        victims: ManyPods,
        rivals: Rivals = (),
    ) -> None:
        """Remove all potential victims of rows, int[n], ascending.

        `victims` has arrays of shape [turns, n]: for each row, pods in the order of their reprieve.
        """
        self._filtering = filtering
        self._snapshot = snapshot
        self._rows = rows
        self._slots = victims.slots
        filtering.register(pod for _, pods in rivals for pod in pods)
        self._weights = {
            number: state.weights_of(victims, snapshot.classes)
            for number, state in enumerate(filtering.states)
            if state.width
        }
        self._sums = {
            number: np.array([-of_turns.sum(axis=0) for of_turns in weights])
            for number, weights in self._weights.items()
        }
        by_row = dict(rivals)
        self._nominated: dict[int, Sequence[PodInfo]] = {}
        if by_row:
            indexed = enumerate(rows.tolist())
            self._nominated = {index: by_row[row] for index, row in indexed if row in by_row}
        self._present: dict[int, list[PodInfo]] = {}
        if not all(state.additive for state in filtering.states):
            pairs = zip(rows.tolist(), self._slots.T.tolist(), strict=True)
            for index, (row, gone) in enumerate(pairs):
                away = set(gone)
                self._present[index] = [p for p in snapshot.pods_on[row] if p.slot not in away]

    def judge(self, indexes: Integers) -> tuple[Codes, Codes]:
        """Return outcome and blame, int32[m] each, of `rows[indexes]`; `indexes` is int64[m]."""
        return self._judge_twice(range(len(self._filtering.states)), indexes)

    def reprieve(self, in_play: Mask) -> Mask:
        """Restore pods in turn while the preemptor still fits; return victims, bool[turns, n]."""
        victims = np.zeros(self._slots.shape, bool)
        headroom = self._headroom(in_play)
        others = [
            number
            for number, state in enumerate(self._filtering.states)
            if not state.additive or (state.width and state.headroom(self._rows) is None)
        ]
        for turn, slots in enumerate(self._slots):
            here = in_play & (slots >= 0)
            fits = here.copy()
            left = [space - weights[turn] for space, weights in headroom]
            for space in left:
                fits &= space >= 0
            if others:
                indexes = np.flatnonzero(fits)
                self._restore(turn, indexes, others, 1)
                outcome, _ = self._judge_twice(others, indexes)
                refused = indexes[outcome != FITS]
                self._restore(turn, refused, others, -1)
                fits[refused] = False
            for space, weights in headroom:
                space -= weights[turn] * fits
            np.greater(here, fits, out=victims[turn])
        return victims

    def _headroom(self, in_play: Mask) -> list[tuple[Integers, Integers]]:
        """Return (space, weights by turn) of each sum that only has an upper limit.

        Leaves out sums that stay below the limit on all rows even if all pods are restored.
        """
        bounds = []
        for number, weights in self._weights.items():
            headroom = self._filtering.states[number].headroom(self._rows)
            if headroom is not None:
                taken = self._sums[number].copy()
                for index in self._nominated:
                    taken[:, index] += self._weight_of_rivals(number, index)
                bounds += [
                    (space - held, by_turn)
                    for space, held, total, by_turn in zip(
                        headroom, taken, self._sums[number], weights, strict=True
                    )
                    if ((space - held + total < 0) & in_play).any()
                ]
        return bounds

    def _restore(self, turn: int, indexes: Integers, numbers: Sequence[int], sign: int) -> None:
        for number in numbers:
            if number in self._sums:
                for sums, weights in zip(self._sums[number], self._weights[number], strict=True):
                    sums[indexes] += sign * weights[turn, indexes]
        if self._present:
            for index in indexes.tolist():
                pod = self._snapshot.pods.pods[self._slots[turn, index]]
                present = self._present[index]
                present.append(pod) if sign > 0 else present.remove(pod)

    def _judge_twice(self, numbers: Sequence[int], indexes: Integers) -> tuple[Codes, Codes]:
        outcome, blame = self._judge(numbers, indexes, with_rivals=False)
        if self._nominated:
            among = np.flatnonzero(np.isin(indexes, list(self._nominated)))
            stricter, who = self._judge(numbers, indexes[among], with_rivals=True)
            refused = stricter != FITS
            outcome[among[refused]] = stricter[refused]
            blame[among[refused]] = who[refused]
        return outcome, blame

    def _judge(
        self, numbers: Sequence[int], indexes: Integers, with_rivals: bool
    ) -> tuple[Codes, Codes]:
        outcome = np.zeros(len(indexes), np.int32)
        blame = np.full(len(indexes), NO_FILTER, np.int32)
        open_places = np.arange(len(indexes))
        for number in numbers:
            open_indexes, state = indexes[open_places], self._filtering.states[number]
            rows = self._rows[open_indexes]
            if not state.additive:
                nominated = self._nominated if with_rivals else {}
                judged = [
                    state.code_among(row, [*self._present[index], *nominated.get(index, ())])
                    for index, row in zip(open_indexes.tolist(), rows.tolist(), strict=True)
                ]
                codes: Codes = np.array(judged, np.int32)
            elif not state.width:
                codes = self._filtering.codes[number][rows]
            else:
                sums: Integers = self._sums[number][:, open_indexes]
                if with_rivals:
                    for place, index in enumerate(open_indexes.tolist()):
                        sums[:, place] += self._weight_of_rivals(number, index)
                codes = state.codes(rows, list(sums))
            objects = codes != FITS
            if objects.any():
                refused = open_places[objects]
                outcome[refused], blame[refused] = codes[objects], number
                open_places = open_places[~objects]
                if not len(open_places):
                    break
        return outcome, blame

    def _weight_of_rivals(self, number: int, index: int) -> Integers:
        state = self._filtering.states[number]
        weights = [state.weights(pod.cls) for pod in self._nominated[index]]
        total: Integers = np.array(weights, np.int64).sum(axis=0)
        return total


class Rivalry:
    """Rows that nominated pods close to a class of pods; only changed rows are filtered again."""

    def __init__(self, snapshot: Snapshot, nominator: Nominator) -> None:
        self._snapshot = snapshot
        self._nominator = nominator
        self._rows = KnownRows(snapshot, BudgetColumns(), nominator)
        self._codes, self._blame = np.zeros((2, snapshot.node_count), np.int32)

    def closed(self, pod: PodInfo, filtering: Filtering) -> Rows:
        """Return the feasible rows, int[n], that don't fit once nominated pods are counted."""
        is_open = filtering.outcome == FITS
        self._judge(pod, filtering, is_open)
        return np.flatnonzero(is_open & (self._codes != FITS))

    def outcome(self, pod: PodInfo, filtering: Filtering) -> tuple[Codes, Codes]:
        """Return outcome and blame, int32[nodes] each, with nominated pods counted."""
        self._judge(pod, filtering)
        is_closed = self._codes != FITS
        outcome = np.where(is_closed, self._codes, filtering.outcome)
        return outcome, np.where(is_closed, self._blame, filtering.blame)

    def _judge(self, pod: PodInfo, filtering: Filtering, wanted: Mask | None = None) -> None:
        if self._rows.follow(filtering, filtering.generation):
            self._codes, self._blame = np.zeros((2, self._snapshot.node_count), np.int32)
        known = self._rows.known
        own = self._nominator.rows_of(pod, self._snapshot)
        # The pod's own nomination counts for other pods of its class, but not for itself.
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
