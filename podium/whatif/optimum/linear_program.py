"""Integer programs, solved by HiGHS for one objective after the other."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
import numpy as np

Term = tuple[int, int]
"""A variable and its factor."""
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
    """A solution for one objective; no solution has a smaller value than `bound`."""

    values: Sequence[int]
    value: int
    bound: int
    seconds: float = 0.0


class LinearProgram:
    """An integer program: variables from 0 to a limit, and upper bounds of weighted sums.

    Variables are indices. All constraints must hold if all variables are 0, so that there is
    always a solution.
    """

    def __init__(self) -> None:
        self.limits: list[int] = []
        self._derived: dict[int, Derived] = {}
        self._rows: list[tuple[dict[int, int], int]] = []

    def variable(self, limit: int = 1, derived: Derived | None = None) -> int:
        """Add a variable; `derived` computes its value in the first solution."""
        self.limits.append(limit)
        number = len(self.limits) - 1
        if derived is not None:
            self._derived[number] = derived
        return number

    def flag(self, terms: Sequence[Term]) -> int:
        """Add a variable that is 1 in the first solution if a sum of terms isn't 0."""
        return self.variable(derived=lambda values: int(total(terms, values) > 0))

    def completed(self, chosen: Mapping[int, int]) -> Sequence[int] | None:
        """Return the values of all variables, by chosen values and derivations; None if invalid."""
        values = [0] * len(self.limits)
        for number in range(len(values)):
            derived = self._derived.get(number)
            values[number] = chosen.get(number, 0) if derived is None else derived(values)
        is_within = all(value <= limit for value, limit in zip(values, self.limits, strict=True))
        return values if is_within and self._holds(values) else None

    def most(self, terms: Iterable[Term]) -> int:
        """Return an upper bound of a sum of terms."""
        return sum(factor * self.limits[variable] for variable, factor in terms if factor > 0)

    def forbid(self, terms: Iterable[Term]) -> None:
        """Fix the variables of some terms at 0."""
        for variable, _ in terms:
            self.limits[variable] = 0

    def at_most(self, terms: Iterable[Term], most: int) -> None:
        """Add the constraint that a sum of terms is no more than `most`."""
        factors: dict[int, int] = {}
        for variable, factor in terms:
            factors[variable] = factors.get(variable, 0) + factor
        factors = {one: factor for one, factor in factors.items() if factor and self.limits[one]}
        if self.most(factors.items()) <= most:
            return
        # All are integers, so that amounts of memory become small numbers.
        divisor = math.gcd(*factors.values())
        scaled = {variable: factor // divisor for variable, factor in factors.items()}
        self._rows.append((scaled, most // divisor))

    def minimise(
        self, costs: Mapping[int, int], seconds: float, start: Sequence[int] | None = None
    ) -> Solved:
        """Find values with the least sum of costs by variable; start at `start`, or at all 0."""
        known = start or [0] * len(self.limits)
        lowest = sum(cost * self.limits[one] for one, cost in costs.items() if cost < 0)
        value = total(costs.items(), known)
        if value <= lowest or seconds <= 0:
            return Solved(known, value, lowest)
        # An optional package.
        import highspy

        solver = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, setting in {**_OPTIONS, "time_limit": seconds}.items():
            solver.setOptionValue(option, setting)
        divisor = math.gcd(*costs.values())
        count, rows = len(self.limits), self._rows
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = count, len(rows)
        scaled = [costs.get(variable, 0) // divisor for variable in range(count)]
        model.col_cost_ = np.array(scaled, np.double)
        model.col_lower_ = np.zeros(count)
        model.col_upper_ = np.array(self.limits, np.double)
        model.integrality_ = [highspy.HighsVarType.kInteger] * count
        model.row_lower_ = np.full(len(rows), -highspy.kHighsInf)
        model.row_upper_ = np.array([most for _, most in rows], np.double)
        matrix = model.a_matrix_
        matrix.format_ = highspy.MatrixFormat.kRowwise
        lengths = [len(factors) for factors, _ in rows]
        matrix.start_ = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
        matrix.index_ = np.array([factor for factors, _ in rows for factor in factors], np.int32)
        matrix.value_ = np.array([f for factors, _ in rows for f in factors.values()], np.double)
        solver.passModel(model)
        solution = highspy.HighsSolution()
        solution.col_value = [*map(float, known)]
        solver.setSolution(solution)
        solver.run()
        values: Sequence[int] = [round(one) for one in solver.getSolution().col_value]
        is_solution = len(values) == count and self._holds(values)
        if not is_solution or total(costs.items(), values) > value:
            values = known
        bound = solver.getInfo().mip_dual_bound
        if math.isfinite(bound):
            lowest = max(lowest, math.ceil(bound - _ROUNDING) * divisor)
        return Solved(values, total(costs.items(), values), lowest, solver.getRunTime())

    def _holds(self, values: Sequence[int]) -> bool:
        return all(total(factors.items(), values) <= most for factors, most in self._rows)


def total(terms: Iterable[Term], values: Sequence[int]) -> int:
    """Compute a sum of terms for values of all variables."""
    return sum(factor * values[variable] for variable, factor in terms)
