"""Compiled expressions of CEL."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from podium.api.cel.checker import Checker, Fields
from podium.api.cel.estimator import Sizes, estimated_cost
from podium.api.cel.loops import Budget
from podium.api.cel.planner import Planner
from podium.api.cel.syntax import CelSyntaxError, parse, position
from podium.api.cel.type_system import Type
from podium.api.cel.values import CelError

# No expression of this length that does nothing repeatedly costs more than selectors may.
_CHEAP_LENGTH = 1_000


class CompileError(ValueError):
    """An expression that can't be compiled; the message has lines and columns."""


class Program:
    """A compiled expression.

    Attributes:
        tree: the expression's syntax tree.
        result: the type of its value.
    """

    def __init__(
        self,
        text: str,
        variables: Mapping[str, Type],
        fields: Fields,
        sizes: Sizes,
        limit: int,
    ) -> None:
        """Compile an expression.

        Args:
            variables: the types of variables; their values are passed in this order.
            fields: the types of fields by message type and name.
            sizes: the greatest sizes of variables, and of what is in them.
            limit: the greatest cost of an evaluation.

        Raises:
            CompileError: it isn't CEL, or its types don't fit.
        """
        self._text, self._variables, self._fields, self._sizes = text, variables, fields, sizes
        try:
            self.tree, repeats = parse(text)
            checked = self._checked()
            self.result = checked.kinds[id(self.tree)]
            # What can't reach the limit needn't be counted.
            self._budget = None
            if repeats or len(text) > _CHEAP_LENGTH:
                self.cost_max = estimated_cost(self.tree, checked, sizes)
                self._budget = Budget(limit) if self.cost_max > limit else None
            planner = Planner(checked, tuple(variables), self._budget)
            self._run = planner.plan(self.tree)
        except CelSyntaxError as error:
            raise CompileError(f"compilation failed: {error}") from None
        except CelError as error:
            raise CompileError(f"program instantiation failed: {error}") from None
        except RecursionError:
            raise CompileError("compilation failed: expression is nested too deeply") from None
        self._spare = [None] * (planner.slots_max - len(variables))

    @cached_property
    def cost_max(self) -> int:
        """The greatest cost of an evaluation."""
        return estimated_cost(self.tree, self._checked(), self._sizes)

    def _checked(self) -> Checker:
        checked = Checker(self._text, self._variables, self._fields)
        checked.check(self.tree)
        return checked

    def evaluate(self, *values: Any) -> Any:
        """Return the expression's value for values of its variables; raises CelError."""
        if self._budget is not None:
            self._budget.left = self._budget.limit
        try:
            return self._run([*values, *self._spare])
        except RecursionError:
            raise CelError("expression is nested too deeply") from None

    def failure(self, *values: Any) -> str:
        """Return the line and column of the part at which an evaluation fails, such as `1:8`.

        Empty if no part fails by itself.
        """
        planner = Planner(self._checked(), tuple(self._variables), traces=True)
        run = planner.plan(self.tree)
        try:
            run([*values, *self._spare])
        except CelError as error:
            return "" if error.place is None else position(self._text, error.place)
        return ""
