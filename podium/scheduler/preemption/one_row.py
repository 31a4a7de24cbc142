"""The dry run on a single row, in plain integers.

Most dry runs follow a change of one row, and arrays of one element cost more than they save. What
is decided is the same as in `dry_run`, pod by pod.
"""

from collections.abc import Sequence

import msgspec

from podium.api.policy.disruption_budgets import spend
from podium.scheduler.framework.evaluation.filtering import NOBODY
from podium.scheduler.framework.evaluation.hypothetical_rows import HypotheticalRow
from podium.scheduler.framework.interface import FITS
from podium.scheduler.preemption.victim_order import Importance
from podium.scheduler.snapshot.budget_columns import BudgetColumns
from podium.scheduler.snapshot.pod_info import PodInfo


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


def run_row(
    row: HypotheticalRow,
    lower: Sequence[PodInfo],
    budgets: BudgetColumns,
    importance: Importance,
) -> RowResult:
    """Find the victims among the pods of lower priority of a row, of which there is at least one.

    Args:
        row: the row, with all its pods.
        lower: in the order in which they are on the row.
        budgets: that victims may break.
        importance: the order of reprieve.
    """
    ordered = list(lower)
    for pod in ordered:
        row.remove(pod)
    outcome, blame = row.judge()
    if outcome != FITS:
        return RowResult(outcome, blame)
    importance.sort(ordered)
    violating, others = grouped(ordered, budgets)
    victims = [pod for pod in violating if not _reprieved(row, pod)]
    violations = len(victims)
    victims += [pod for pod in others if not _reprieved(row, pod)]
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


def _reprieved(row: HypotheticalRow, pod: PodInfo) -> bool:
    row.give_back(pod)
    if row.judge()[0] == FITS:
        return True
    row.remove(pod)
    return False
