"""Rows as filters would judge them without some of their pods.

A pod fits a row only if it fits both with and without the pods nominated there, as in
RunFilterPluginsWithNominatedPods of v1.36.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from podium.scheduler.framework.evaluation.filtering import NO_FILTER, Filtering
from podium.scheduler.framework.interface import FITS
from podium.scheduler.snapshot.arrays import Codes, Mask, Rows
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_columns import ManyPods
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

Integers = NDArray[np.int64]
Rivals = Sequence[tuple[int, Sequence[PodInfo]]]
"""Rows, each with the pods nominated to it that have to be counted."""


class HypotheticalRow:
    """One row, from which pods are taken one by one; in plain integers.

    For a single row, arrays of one element cost more than they save.
    """

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
        """Outcome and blame, both with and without the pods nominated here."""
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
    """Many rows without their potential victims, which are given back in turn; in arrays."""

    def __init__(
        self,
        filtering: Filtering,
        snapshot: Snapshot,
        rows: Rows,
        victims: ManyPods,
        rivals: Rivals = (),
    ) -> None:
        """Take all potential victims away.

        Args:
            rows: int[n], ascending.
            victims: arrays of the shape [turns, n], in the order in which they are given back.
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
        """Outcomes and blames, int32[n], of the rows number indexes[i], int64[n]."""
        return self._judge_twice(range(len(self._filtering.states)), indexes)

    def reprieve(self, in_play: Mask) -> Mask:
        """Give pods back in turn where the preemptor goes on fitting; victims, bool[turns, n]."""
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
        """What is left for each sum that only has a limit, int64[n], and its weights by turn.

        Sums with enough left on all rows for all pods are left out.
        """
        found = []
        for number, weights in self._weights.items():
            headroom = self._filtering.states[number].headroom(self._rows)
            if headroom is not None:
                taken = self._sums[number].copy()
                for index in self._nominated:
                    taken[:, index] += self._weight_of_rivals(number, index)
                found += [
                    (space - held, by_turn)
                    for space, held, total, by_turn in zip(
                        headroom, taken, self._sums[number], weights, strict=True
                    )
                    if ((space - held + total < 0) & in_play).any()
                ]
        return found

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
            codes = self._codes(number, indexes[open_places], with_rivals)
            objects = codes != FITS
            if objects.any():
                refused = open_places[objects]
                outcome[refused], blame[refused] = codes[objects], number
                open_places = open_places[~objects]
                if not len(open_places):
                    break
        return outcome, blame

    def _codes(self, number: int, indexes: Integers, with_rivals: bool) -> Codes:
        rows, state = self._rows[indexes], self._filtering.states[number]
        if not state.additive:
            nominated = self._nominated if with_rivals else {}
            judged = [
                state.code_among(row, [*self._present[index], *nominated.get(index, ())])
                for index, row in zip(indexes.tolist(), rows.tolist(), strict=True)
            ]
            return np.array(judged, np.int32)
        if not state.width:
            return self._filtering.codes[number][rows]
        sums: Integers = self._sums[number][:, indexes]
        if with_rivals:
            for place, index in enumerate(indexes.tolist()):
                sums[:, place] += self._weight_of_rivals(number, index)
        return state.codes(rows, list(sums))

    def _weight_of_rivals(self, number: int, index: int) -> Integers:
        state = self._filtering.states[number]
        weights = [state.weights(pod.cls) for pod in self._nominated[index]]
        total: Integers = np.array(weights, np.int64).sum(axis=0)
        return total
