"""The dry run on a single row, in plain integers.

Most dry runs follow a change of one row, and arrays of one element cost more than they save. What
is decided is the same as in `dry_run`, pod by pod.
"""

from collections.abc import Sequence

import msgspec

from podium.api.policy.disruption_budgets import spend
from podium.scheduler.framework.evaluation.filtering import NOBODY, Filtering
from podium.scheduler.framework.interface import FITS, FilterState
from podium.scheduler.preemption.victim_order import Importance
from podium.scheduler.snapshot.budget_columns import BudgetColumns
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot


class RowResult(msgspec.Struct, frozen=True):
    """What preemption would take on a row.

    Attributes:
        outcome: the code of the filter that still objects; `FITS` if none does.
        blame: the index of that filter.
        victims: the most important first.
        violations: how many of them break a budget.
    """

    outcome: int
    blame: int
    victims: tuple[PodInfo, ...] = ()
    violations: int = 0


class RowWorld:
    """One row without some of its pods; see `World`."""

    def __init__(
        self, filtering: Filtering, snapshot: Snapshot, row: int, rivals: Sequence[PodInfo]
    ) -> None:
        self._filtering = filtering
        self._row = row
        self._rivals = rivals
        self._present = list(snapshot.pods_on[row])
        filtering.meet(rivals)
        self._sums = [[0] * state.width for state in filtering.states]
        self._weights: dict[PodClass, list[tuple[list[int], Sequence[int]]]] = {}

    def remove(self, pod: PodInfo) -> None:
        """Take a pod away."""
        self._present.remove(pod)
        self._count(pod, -1)

    def give_back(self, pod: PodInfo) -> None:
        """Undo `remove`."""
        self._present.append(pod)
        self._count(pod, 1)

    def judge(self) -> tuple[int, int]:
        """Outcome and blame, both with and without the pods nominated here."""
        outcome = self.judge_with_rivals() if self._rivals else (FITS, NOBODY)
        return outcome if outcome[0] != FITS else self._judge(())

    def judge_with_rivals(self) -> tuple[int, int]:
        """Outcome and blame with the pods nominated here."""
        for pod in self._rivals:
            self._count(pod, 1)
        outcome = self._judge(self._rivals)
        for pod in self._rivals:
            self._count(pod, -1)
        return outcome

    def _judge(self, rivals: Sequence[PodInfo]) -> tuple[int, int]:
        for number, state in enumerate(self._filtering.states):
            code = self._code(number, state, rivals)
            if code != FITS:
                return code, number
        return FITS, NOBODY

    def _code(self, number: int, state: FilterState, rivals: Sequence[PodInfo]) -> int:
        if not state.additive:
            return state.code_among(self._row, [*self._present, *rivals])
        if not state.width:
            return int(self._filtering.codes[number][self._row])
        return state.code(self._row, self._sums[number])

    def _count(self, pod: PodInfo, sign: int) -> None:
        weights = self._weights.get(pod.cls)
        if weights is None:
            weights = self._weights[pod.cls] = self._weights_of(pod.cls)
        for sums, of_state in weights:
            for place, weight in enumerate(of_state):
                sums[place] += sign * weight

    def _weights_of(self, cls: PodClass) -> list[tuple[list[int], Sequence[int]]]:
        pairs = zip(self._sums, self._filtering.states, strict=True)
        return [(sums, state.weights(cls)) for sums, state in pairs if state.width]


def run_row(
    world: RowWorld,
    lower: Sequence[PodInfo],
    budgets: BudgetColumns,
    importance: Importance,
) -> RowResult:
    """Find the victims among the pods of lower priority of a row, of which there is at least one.

    Args:
        world: the row, with all its pods.
        lower: in the order in which they are on the row.
        budgets: that victims may break.
        importance: the order of reprieve.
    """
    ordered = list(lower)
    for pod in ordered:
        world.remove(pod)
    outcome, blame = world.judge()
    if outcome != FITS:
        return RowResult(outcome, blame)
    importance.sort(ordered)
    violating, others = grouped(ordered, budgets)
    victims = [pod for pod in violating if not _reprieved(world, pod)]
    violations = len(victims)
    victims += [pod for pod in others if not _reprieved(world, pod)]
    if violating and others:
        importance.sort(victims)
    return RowResult(FITS, NOBODY, tuple(victims), violations)


def grouped(ordered: list[PodInfo], budgets: BudgetColumns) -> tuple[list[PodInfo], list[PodInfo]]:
    """Pods whose disruption breaks a budget, and the others."""
    if not budgets.budgets:
        return [], ordered
    covering = [
        [n for n in budgets.covering(pod.cls) if pod.name not in budgets.budgets[n].disrupted]
        for pod in ordered
    ]
    broken = spend(covering, [budget.allowed for budget in budgets.budgets])
    pairs = list(zip(ordered, broken, strict=True))
    return [p for p, breaks in pairs if breaks], [p for p, breaks in pairs if not breaks]


def _reprieved(world: RowWorld, pod: PodInfo) -> bool:
    world.give_back(pod)
    if world.judge()[0] == FITS:
        return True
    world.remove(pod)
    return False
