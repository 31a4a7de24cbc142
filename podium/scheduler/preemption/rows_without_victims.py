"""Rows as they would be without some of their pods."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from podium.scheduler.framework.evaluation.filtering import NOBODY, Filtering
from podium.scheduler.framework.interface import FITS, FilterState
from podium.scheduler.preemption.victim_table import Victims, VictimTable
from podium.scheduler.snapshot.arrays import Codes, Rows
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]
Rivals = Sequence[tuple[int, Sequence[PodInfo]]]


class World:
    """Rows without their potential victims, which are given back in turn; for one class of pods.

    A pod fits a row only if it fits both with and without the pods nominated there, as in
    RunFilterPluginsWithNominatedPods of v1.36.
    """

    def __init__(
        self,
        filtering: Filtering,
        snapshot: Snapshot,
        rows: Rows,
        table: VictimTable,
        rivals: Rivals = (),
    ) -> None:
        """Take all potential victims away.

        Args:
            filtering: of the class of pods.
            snapshot: the cluster.
            rows: int[n], ascending; none of them tall.
            table: has these rows.
            rivals: rows, each with the pods nominated there that count.
        """
        self._filtering = filtering
        self._snapshot = snapshot
        self._rows = rows
        turns = int(table.counts[rows].max(initial=0))
        columns = slice(None) if len(rows) == snapshot.node_count else rows
        victims = Victims(table, turns, columns)
        self._slots = victims.slots
        filtering.meet(pod for _, pods in rivals for pod in pods)
        self._weights = {
            number: state.weights_of(victims, snapshot.classes)
            for number, state in enumerate(filtering.states)
            if state.width
        }
        self._sums = {
            number: np.array([-of_turns.sum(axis=0) for of_turns in weights])
            for number, weights in self._weights.items()
        }
        self._nominated = self._place_rivals(rivals)
        self._present = self._remaining() if self._needs_pods() else {}

    def judge(self, indexes: Integers) -> tuple[Codes, Codes]:
        """Outcomes and blames, int32[n], of the rows number indexes[i], int64[n]."""
        return self._judge_twice(range(len(self._filtering.states)), indexes)

    def reprieve(self, in_play: Mask) -> Mask:
        """Give pods back in turn, where the pod goes on fitting; bool[turns, n]: who has to go.

        Args:
            in_play: bool[n], the rows that the pod fits without any of the pods.
        """
        victims = np.zeros(self._slots.shape, bool)
        room, others = self._room(in_play), self._judging()
        for turn, slots in enumerate(self._slots):
            here = in_play & (slots >= 0)
            fits = here.copy()
            left = [space - weights[turn] for space, weights in room]
            for space in left:
                fits &= space >= 0
            if others:
                self._try(turn, fits, others)
            for space, weights in room:
                space -= weights[turn] * fits
            np.greater(here, fits, out=victims[turn])
        return victims

    def _room(self, in_play: Mask) -> list[tuple[Integers, Integers]]:
        """What is left for each sum that only has a limit, int64[n], and its weights by turn.

        Sums aren't told of which there is enough on all rows even if everybody comes back.
        """
        found = []
        for number, weights in self._weights.items():
            room = self._filtering.states[number].room(self._rows)
            if room is not None:
                taken = self._sums[number].copy()
                for index in self._nominated:
                    taken[:, index] += self._weight_of_rivals(number, index)
                found += [
                    (space - held, by_turn)
                    for space, held, total, by_turn in zip(
                        room, taken, self._sums[number], weights, strict=True
                    )
                    if ((space - held + total < 0) & in_play).any()
                ]
        return found

    def _judging(self) -> list[int]:
        return [
            number
            for number, state in enumerate(self._filtering.states)
            if not state.additive or (state.width and state.room(self._rows) is None)
        ]

    def _try(self, turn: int, fits: Mask, numbers: Sequence[int]) -> None:
        """Give the pods of a turn back where the pod may still fit; correct `fits` in place."""
        indexes = np.flatnonzero(fits)
        self._give_back(turn, indexes, numbers, 1)
        outcome, _ = self._judge_twice(numbers, indexes)
        refused = indexes[outcome != FITS]
        self._give_back(turn, refused, numbers, -1)
        fits[refused] = False

    def _give_back(self, turn: int, indexes: Integers, numbers: Sequence[int], sign: int) -> None:
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
        blame = np.full(len(indexes), NOBODY, np.int32)
        open_places = np.arange(len(indexes))
        for number in numbers:
            state = self._filtering.states[number]
            codes = self._codes(number, state, indexes[open_places], with_rivals)
            objects = codes != FITS
            if objects.any():
                refused = open_places[objects]
                outcome[refused], blame[refused] = codes[objects], number
                open_places = open_places[~objects]
                if not len(open_places):
                    break
        return outcome, blame

    def _codes(
        self, number: int, state: FilterState, indexes: Integers, with_rivals: bool
    ) -> Codes:
        rows = self._rows[indexes]
        if not state.additive:
            judged = [
                state.code_among(int(self._rows[i]), self._pods(i, with_rivals))
                for i in indexes.tolist()
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

    def _pods(self, index: int, with_rivals: bool) -> list[PodInfo]:
        rivals = self._nominated.get(index, ()) if with_rivals else ()
        return [*self._present[index], *rivals]

    def _needs_pods(self) -> bool:
        return any(not state.additive for state in self._filtering.states)

    def _remaining(self) -> dict[int, list[PodInfo]]:
        on_rows, remaining = self._snapshot.pods_on, {}
        for index, (row, gone) in enumerate(
            zip(self._rows.tolist(), self._slots.T.tolist(), strict=True)
        ):
            away = set(gone)
            remaining[index] = [pod for pod in on_rows[row] if pod.slot not in away]
        return remaining

    def _place_rivals(self, rivals: Rivals) -> dict[int, Sequence[PodInfo]]:
        if not rivals:
            return {}
        by_row = dict(rivals)
        return {
            index: by_row[row] for index, row in enumerate(self._rows.tolist()) if row in by_row
        }
