"""Integer linear programs with several objectives in order, solved by HiGHS.

Each objective is minimised among the solutions that are best by the objectives before it.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

Term = tuple[int, int]
"""A variable with its factor."""
Derived = Callable[[Sequence[int]], int]
"""Computes the value of a variable from the values of the variables before it."""

# A bound this close below an integer is meant to be that integer.
_ROUNDING = 1e-6
_OPTIONS: Mapping[str, bool | int | float | str] = {
    "output_flag": False,
    "threads": 1,
    "parallel": "off",
    "random_seed": 0,
    "mip_rel_gap": 0.0,
    # Costs are integers.
    "mip_abs_gap": 0.999,
    "mip_feasibility_tolerance": 1e-9,
    "primal_feasibility_tolerance": 1e-9,
}


class Solved(msgspec.Struct, frozen=True):
    """The result of minimising an objective, with a lower bound of its value."""

    values: Sequence[int]
    value: int
    bound: int
    seconds: float = 0.0

    @property
    def is_proven(self) -> bool:
        """Whether no solution is better."""
        return self.value <= self.bound


class LinearProgram:
    """Integer variables between 0 and a limit, and upper bounds of weighted sums of them.

    All constraints must hold if all variables are 0, so that there is always a solution.
    """

    def __init__(self) -> None:
        self._limits: list[int] = []
        self._derived: dict[int, Derived] = {}
        self._rows: list[tuple[dict[int, int], int]] = []

    @property
    def size(self) -> int:
        """The number of variables."""
        return len(self._limits)

    def variable(self, limit: int = 1, derived: Derived | None = None) -> int:
        """Add a variable from 0 to `limit`; `derived` computes its value in the first solution."""
        self._limits.append(limit)
        number = len(self._limits) - 1
        if derived is not None:
            self._derived[number] = derived
        return number

    def completed(self, chosen: Mapping[int, int]) -> Sequence[int] | None:
        """Complete chosen values to a solution; None if it violates a constraint."""
        values = [0] * self.size
        for number in range(self.size):
            derived = self._derived.get(number)
            values[number] = chosen.get(number, 0) if derived is None else derived(values)
        is_within = all(one <= limit for one, limit in zip(values, self._limits, strict=True))
        return values if is_within and self._holds(values) else None

    def limit(self, variable: int) -> int:
        """Return the upper limit of a variable."""
        return self._limits[variable]

    def most(self, terms: Iterable[Term]) -> int:
        """Return an upper bound of a sum of terms."""
        return sum(factor * self._limits[one] for one, factor in terms if factor > 0)

    def forbid(self, variable: int) -> None:
        """Fix a variable at 0."""
        self._limits[variable] = 0

    def at_most(self, terms: Iterable[Term], most: int) -> None:
        """Constrain a sum of terms to at most `most`."""
        factors: dict[int, int] = {}
        for variable, factor in terms:
            factors[variable] = factors.get(variable, 0) + factor
        factors = {one: factor for one, factor in factors.items() if factor and self._limits[one]}
        if self.most(factors.items()) <= most:
            return
        # All are integers, so amounts of memory come down to small numbers.
        divisor = math.gcd(*factors.values())
        self._rows.append(
            ({one: factor // divisor for one, factor in factors.items()}, most // divisor)
        )

    def minimise(
        self, costs: Mapping[int, int], seconds: float, start: Sequence[int] | None = None
    ) -> Solved:
        """Minimise the sum of costs, given by variable, from a first solution (all 0 if None)."""
        known = start or [0] * len(self._limits)
        lowest = sum(cost * self._limits[one] for one, cost in costs.items() if cost < 0)
        value = _sum(costs, known)
        if value <= lowest or seconds <= 0:
            return Solved(known, value, lowest)
        divisor = math.gcd(*costs.values())
        scaled = {one: cost // divisor for one, cost in costs.items()}
        solver = self._solver(scaled, seconds, known)
        solver.run()
        info = solver.getInfo()
        found = [round(one) for one in solver.getSolution().col_value]
        if len(found) != len(known) or not self._holds(found) or _sum(costs, found) > value:
            found = [*known]
        if math.isfinite(info.mip_dual_bound):
            lowest = max(lowest, math.ceil(info.mip_dual_bound - _ROUNDING) * divisor)
        return Solved(found, _sum(costs, found), lowest, solver.getRunTime())

    def _holds(self, values: Sequence[int]) -> bool:
        return all(_sum(factors, values) <= most for factors, most in self._rows)

    def _solver(self, costs: Mapping[int, int], seconds: float, start: Sequence[int]) -> Any:
        # An optional package.
        import highspy

        solver = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, value in {**_OPTIONS, "time_limit": seconds}.items():
            solver.setOptionValue(option, value)
        count, rows = len(self._limits), self._rows
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = count, len(rows)
        model.col_cost_ = np.array([costs.get(one, 0) for one in range(count)], np.double)
        model.col_lower_ = np.zeros(count)
        model.col_upper_ = np.array(self._limits, np.double)
        model.integrality_ = [highspy.HighsVarType.kInteger] * count
        model.row_lower_ = np.full(len(rows), -highspy.kHighsInf)
        model.row_upper_ = np.array([most for _, most in rows], np.double)
        matrix = model.a_matrix_
        matrix.format_ = highspy.MatrixFormat.kRowwise
        lengths = [len(factors) for factors, _ in rows]
        matrix.start_ = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
        matrix.index_ = np.array([one for factors, _ in rows for one in factors], np.int32)
        matrix.value_ = np.array([f for factors, _ in rows for f in factors.values()], np.double)
        solver.passModel(model)
        solution = highspy.HighsSolution()
        solution.col_value = [*map(float, start)]
        solver.setSolution(solution)
        return solver


def total(terms: Iterable[Term], values: Sequence[int]) -> int:
    """Compute a sum of terms."""
    return sum(factor * values[one] for one, factor in terms)


def _sum(factors: Mapping[int, int], values: Sequence[int]) -> int:
    return total(factors.items(), values)
