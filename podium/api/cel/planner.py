"""The planner of CEL: a checked expression becomes closures.

A closure takes a frame, the list of the values of variables, and returns a value or raises
`CelError`. Where the types of arguments are known, the overload is chosen at once, otherwise by the
arguments of each call.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podium.api.cel.checker import Checker
from podium.api.cel.entries import entry_of, has_entry, optional_entry, present_values
from podium.api.cel.functions.operators import CONVERSIONS
from podium.api.cel.functions.overloads import LIST_COST, MAP_COST, Overload
from podium.api.cel.loops import LOOPS, Budget, Run, items
from podium.api.cel.syntax import (
    Binding,
    Call,
    Index,
    ListOf,
    Literal,
    Loop,
    MapOf,
    Name,
    Node,
    Select,
    UInt,
)
from podium.api.cel.type_system import is_a, is_certain
from podium.api.cel.values import (
    ABSENT,
    CelError,
    CelType,
    OptionalValue,
    is_of,
    no_such_overload,
    type_of,
)

_PENDING = object()


class Planner:
    """Makes the closures of an expression.

    Attributes:
        slots_max: length of the frame.
    """

    def __init__(
        self,
        checked: Checker,
        variables: Sequence[str],
        budget: Budget | None = None,
        *,
        traces: bool = False,
    ) -> None:
        """Prepare the closures of a checked expression.

        Args:
            budget: counts costs; None if they needn't be counted.
            traces: whether errors get the place of the part that failed.
        """
        self._checked, self._budget, self._traces = checked, budget, traces
        self._scope: dict[str, Run] = {name: _variable(slot) for slot, name in enumerate(variables)}
        self._slots = self.slots_max = len(variables)

    def plan(self, node: Node) -> Run:
        """Return the closure of a node."""
        run = _RULES[type(node)](self, node)
        return _traced(run, node.place) if self._traces else run

    def _literal(self, node: Literal) -> Run:
        value = node.value
        return lambda frame: value

    def _name(self, node: Name) -> Run:
        named = self._type(node)
        return self._costing(self._scope[node.name]) if named is None else named

    def _type(self, node: Node) -> Run | None:
        name = self._checked.types.get(id(node))
        if name is None:
            return None
        kind = CelType(name)
        return lambda frame: kind

    def _select(self, node: Select) -> Run:
        named = self._type(node)
        if named is not None:
            return named
        operand, field = self.plan(node.operand), node.field
        if node.is_test:
            return lambda frame: has_entry(operand(frame), field)
        is_lifted = is_a(self._checked.kinds[id(node.operand)], "optional")
        if node.is_optional or is_lifted:
            return self._costing(lambda frame: optional_entry(operand(frame), field))

        def selected(frame: list[Any]) -> Any:
            of = operand(frame)
            try:
                return of[field]
            except KeyError:
                raise CelError(f"no such key: {field}") from None
            except TypeError:
                if isinstance(of, OptionalValue):
                    return optional_entry(of, field)
                raise no_such_overload() from None

        return self._costing(selected)

    def _index(self, node: Index) -> Run:
        operand, key = self.plan(node.operand), self.plan(node.key)
        is_lifted = is_a(self._checked.kinds[id(node.operand)], "optional")
        if node.is_optional or is_lifted:
            return self._costing(lambda frame: optional_entry(operand(frame), key(frame)))
        return self._costing(lambda frame: entry_of(operand(frame), key(frame)))

    def _list(self, node: ListOf) -> Run:
        runs = [self.plan(element) for element in node.elements]
        cost = 0 if all(isinstance(e, Literal) for e in node.elements) else LIST_COST
        if not node.optional:
            return self._costing(lambda frame: [run(frame) for run in runs], cost)

        def made(frame: list[Any]) -> list[Any]:
            values: list[Any] = []
            for index, run in enumerate(runs):
                values += present_values(run(frame)) if index in node.optional else [run(frame)]
            return values

        return self._costing(made, cost)

    def _map(self, node: MapOf) -> Run:
        runs = [(self.plan(key), self.plan(value)) for key, value in node.entries]

        def made(frame: list[Any]) -> dict[Any, Any]:
            entries: dict[Any, Any] = {}
            for index, (key_run, value_run) in enumerate(runs):
                key, value = key_run(frame), value_run(frame)
                if type(key) not in (bool, int, UInt, str):
                    raise CelError(f"unsupported key type '{type_of(key)}' in map")
                if key in entries:
                    raise CelError(f"Failed with repeated key: {key}")
                for present in present_values(value) if index in node.optional else (value,):
                    entries[key] = present
            return entries

        return self._costing(made, MAP_COST)

    def _call(self, node: Call) -> Run:
        special = _SPECIAL.get(node.function)
        if special is not None:
            return special(self, node)
        candidates = self._checked.overloads[id(node)]
        arguments = node.arguments
        if candidates[0].is_method:
            assert node.target is not None
            arguments = (node.target, *arguments)
        runs = [self.plan(argument) for argument in arguments]
        if node.function in ("or", "orValue") and candidates[0].is_method:
            return self._costing(_alternative(*runs, is_value=node.function == "orValue"))
        kinds = [self._checked.kinds[id(argument)] for argument in arguments]
        is_known = all(map(is_certain, candidates[0].parameters, kinds))
        if is_known and all(isinstance(argument, Literal) for argument in arguments):
            constant = self._constant(candidates[0], arguments)
            if constant is not None:
                return constant
        return self._calling(candidates, is_known, runs)

    def _constant(self, overload: Overload, literals: Sequence[Any]) -> Run | None:
        """Call a function of literals once; raises CelError if it converts none of them."""
        try:
            value = overload.call(*(literal.value for literal in literals))
        except CelError:
            if overload.name in CONVERSIONS:
                raise
            return None
        return (lambda frame: value) if self._budget is None else None

    def _calling(self, candidates: Sequence[Overload], is_known: bool, runs: Sequence[Run]) -> Run:
        overload, budget = candidates[0], self._budget
        if budget is None and is_known:
            call = overload.call
            if len(runs) == 1:
                one = runs[0]
                return lambda frame: call(one(frame))
            if len(runs) == 2:
                left, right = runs
                return lambda frame: call(left(frame), right(frame))

        def called(frame: list[Any]) -> Any:
            values = [run(frame) for run in runs]
            chosen = overload if is_known else _chosen(candidates, values)
            result = chosen.call(*values)
            if budget is not None:
                budget.spend(chosen.cost.actual(values, result))
            return result

        return called

    def _both(self, node: Call) -> Run:
        return self._logical(node, False)

    def _either(self, node: Call) -> Run:
        return self._logical(node, True)

    def _logical(self, node: Call, decisive: bool) -> Run:
        """Plan `&&` or `||`: one decisive side decides even if the other fails."""
        left, right = map(self.plan, node.arguments)

        def decided(frame: list[Any]) -> bool:
            try:
                value = left(frame)
                if value is decisive:
                    return bool(value)
                error = None if isinstance(value, bool) else no_such_overload()
            except CelError as failure:
                error = failure
            value = right(frame)
            if value is decisive:
                return bool(value)
            if error is None and not isinstance(value, bool):
                error = no_such_overload()
            if error is not None:
                raise error
            return not decisive

        return decided

    def _choice(self, node: Call) -> Run:
        condition, then, other = map(self.plan, node.arguments)

        def chosen(frame: list[Any]) -> Any:
            value = condition(frame)
            if not isinstance(value, bool):
                raise no_such_overload()
            return then(frame) if value else other(frame)

        return chosen

    def _binding(self, node: Binding) -> Run:
        value = self.plan(node.value)

        def read(frame: list[Any]) -> Any:
            # Evaluated where it is first read, so that nothing fails that isn't needed.
            if frame[slot] is _PENDING:
                frame[slot] = value(frame)
            return frame[slot]

        slot = self._slots
        (body,) = self._within({node.variable: read}, (node.body,))

        def bound(frame: list[Any]) -> Any:
            frame[slot] = _PENDING
            return body(frame)

        return bound

    def _loop(self, node: Loop) -> Run:
        over, first = self.plan(node.over), self._slots
        slots = range(first, first + len(node.variables))
        variables = {
            name: _variable(slot) for name, slot in zip(node.variables, slots, strict=True)
        }
        runs = self._within(variables, node.body)
        if node.kind in ("optMap", "optFlatMap"):
            return _optional_map(over, first, runs[0], is_flat=node.kind == "optFlatMap")
        macro = LOOPS[node.kind]
        if macro.tests:
            runs[0] = self._costing_if_true(runs[0], macro.step)
        else:
            runs[-1] = self._costing(runs[-1], macro.step)
        runs[0] = self._costing(runs[0], macro.condition)
        loop = macro.run
        if node.kind == "sortBy":
            return self._sorting(
                node, over, lambda frame, of: list(loop(items(of, frame, slots), frame, runs))
            )
        return self._costing(
            lambda frame: loop(items(over(frame), frame, slots), frame, runs), macro.end
        )

    def _sorting(
        self, node: Loop, over: Run, find_keys: Callable[[list[Any], Any], list[Any]]
    ) -> Run:
        sort, budget = self._checked.overloads[id(node)][0], self._budget

        def run(frame: list[Any]) -> Any:
            values = over(frame)
            keys = find_keys(frame, values)
            if budget is not None:
                budget.spend(sort.cost.actual((values, keys), None))
            return sort.call(values, keys)

        return run

    def _within(self, variables: Mapping[str, Run], nodes: Sequence[Node]) -> list[Run]:
        outer, first = self._scope, self._slots
        self._scope = {**outer, **variables}
        self._slots += len(variables)
        self.slots_max = max(self.slots_max, self._slots)
        runs = [self.plan(node) for node in nodes]
        self._scope, self._slots = outer, first
        return runs

    def _costing(self, run: Run, cost: int = 1) -> Run:
        budget = self._budget
        if budget is None or not cost:
            return run

        def costing(frame: list[Any]) -> Any:
            budget.spend(cost)
            return run(frame)

        return costing

    def _costing_if_true(self, run: Run, cost: int) -> Run:
        budget = self._budget
        if budget is None:
            return run

        def costing(frame: list[Any]) -> Any:
            value = run(frame)
            if value is True:
                budget.spend(cost)
            return value

        return costing


def _variable(slot: int) -> Run:
    return lambda frame: frame[slot]


def _traced(run: Run, place: int) -> Run:
    def traced(frame: list[Any]) -> Any:
        try:
            return run(frame)
        except CelError as error:
            if error.place is None:
                error.place = place
            raise

    return traced


def _chosen(candidates: Sequence[Overload], values: Sequence[Any]) -> Overload:
    for overload in candidates:
        if all(map(is_of, values, overload.parameters)):
            return overload
    raise no_such_overload()


def _alternative(left: Run, right: Run, *, is_value: bool) -> Run:
    def run(frame: list[Any]) -> Any:
        optional = left(frame)
        if not isinstance(optional, OptionalValue):
            raise no_such_overload()
        if not optional.is_present:
            return right(frame)
        return optional.value if is_value else optional

    return run


def _optional_map(over: Run, slot: int, body: Run, *, is_flat: bool) -> Run:
    def mapped(frame: list[Any]) -> OptionalValue:
        optional = over(frame)
        if not isinstance(optional, OptionalValue):
            raise no_such_overload()
        if not optional.is_present:
            return ABSENT
        frame[slot] = optional.value
        value = body(frame)
        return value if is_flat else OptionalValue(True, value)

    return mapped


_RULES: Mapping[type, Callable[[Planner, Any], Run]] = {
    Literal: Planner._literal,
    Name: Planner._name,
    Select: Planner._select,
    Index: Planner._index,
    Call: Planner._call,
    ListOf: Planner._list,
    MapOf: Planner._map,
    Loop: Planner._loop,
    Binding: Planner._binding,
}
_SPECIAL: Mapping[str, Callable[[Planner, Call], Run]] = {
    "_&&_": Planner._both,
    "_||_": Planner._either,
    "_?_:_": Planner._choice,
}
