"""The compiler of CEL: an expression becomes closures, and its types are checked meanwhile.

A closure takes a frame, the list of the values of variables, and returns a value or raises
`CelError`. Where the types of arguments are known, the overload is chosen at once, otherwise by the
arguments of each call. Costs are those of cel-go's tracker. They are counted only in expressions
with loops: without one, an expression of the greatest length costs less than any limit.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn

from podium.api.cel.functions import FUNCTIONS, NULLABLE, UNSUPPORTED, Overload
from podium.api.cel.syntax import (
    Binding,
    Call,
    CelSyntaxError,
    Index,
    ListOf,
    Literal,
    Loop,
    MapOf,
    Name,
    Node,
    Select,
    UInt,
    parse,
    position,
)
from podium.api.cel.values import (
    ABSENT,
    ANY,
    BOOL,
    BYTES,
    DOUBLE,
    DYN,
    INT,
    NULL,
    STRING,
    TYPE,
    UINT,
    CelError,
    CelType,
    OptionalValue,
    Type,
    is_of,
    no_such_overload,
    type_of,
)

Run = Callable[[list[Any]], Any]
Typed = tuple[Type, Run]
Fields = Mapping[str, Mapping[str, Type]]
"""Types of the fields of messages, by type of message and name of field."""

_LITERAL_TYPES: Mapping[type, Type] = {
    bool: BOOL, int: INT, UInt: UINT, float: DOUBLE, str: STRING, bytes: BYTES, type(None): NULL,
}  # fmt: skip
_TYPE_NAMES = (BOOL, INT, UINT, DOUBLE, STRING, BYTES, NULL, TYPE, "list", "map")
_LIST_COST, _MAP_COST = 10, 30
_FAILED = "compilation failed: ERROR: <input>:"


class CompileError(ValueError):
    """An expression that can't be compiled; the message has the line and column."""


class Budget:
    """What an expression may still cost; raises CelError when nothing is left."""

    __slots__ = ("left", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = self.left = limit

    def spend(self, cost: int) -> None:
        self.left -= cost
        if self.left < 0:
            raise CelError("actual cost limit exceeded")


class Program:
    """A compiled expression.

    Attributes:
        tree: the expression's syntax tree.
        result: the type of its value.
    """

    def __init__(
        self, text: str, variables: Mapping[str, Type], fields: Fields, limit: int
    ) -> None:
        """Compile an expression.

        Args:
            variables: the types of variables; their values are passed in this order.
            fields: the types of fields by message type and name.
            limit: the greatest cost of an evaluation.

        Raises:
            CompileError: it isn't CEL, or its types don't fit.
        """
        try:
            self.tree, has_loop = parse(text)
        except CelSyntaxError as error:
            raise CompileError(f"{_FAILED}{error}") from None
        self._budget = Budget(limit) if has_loop else None
        compiler = _Compiler(text, variables, fields, self._budget)
        self.result, self._run = compiler.compile(self.tree)
        self._spare = [None] * (compiler.slots_max - len(variables))

    def evaluate(self, *values: Any) -> Any:
        """Return the expression's value for values of its variables; raises CelError."""
        if self._budget is not None:
            self._budget.left = self._budget.limit
        try:
            return self._run([*values, *self._spare])
        except RecursionError:
            raise CelError("expression is nested too deeply") from None


class _Compiler:
    def __init__(
        self, text: str, variables: Mapping[str, Type], fields: Fields, budget: Budget | None
    ) -> None:
        self._text = text
        self._fields = fields
        self._budget = budget
        self._scope: dict[str, tuple[Type, int]] = {
            name: (kind, slot) for slot, (name, kind) in enumerate(variables.items())
        }
        self._slots = self.slots_max = len(variables)

    def compile(self, node: Node) -> Typed:
        kind, run = _RULES[type(node)](self, node)
        return kind, run

    def _literal(self, node: Literal) -> Typed:
        value = node.value
        return _LITERAL_TYPES[type(value)], lambda frame: value

    def _name(self, node: Name) -> Typed:
        known = self._scope.get(node.name)
        if known is None:
            if node.name in _TYPE_NAMES:
                named = CelType(node.name)
                return TYPE, lambda frame: named
            self._fail(node.place, f"undeclared reference to '{node.name}' (in container '')")
        kind, slot = known
        return kind, self._costing(lambda frame: frame[slot])

    def _select(self, node: Select) -> Typed:
        kind, operand = self.compile(node.operand)
        field, is_lifted = node.field, _is_a(kind, "optional")
        inner = kind[1] if is_lifted else kind
        result: Type = DYN
        if _is_a(inner, "map"):
            result = inner[2]
        elif isinstance(inner, str) and inner in self._fields:
            if field not in self._fields[inner]:
                self._fail(node.place, f"undefined field '{field}'")
            result = self._fields[inner][field]
        elif inner not in (DYN, ANY):
            what = _shown(inner)
            self._fail(node.place, f"type '{what}' does not support field selection")
        if node.is_test:
            return BOOL, lambda frame: _has_entry(operand(frame), field)
        if node.is_optional or is_lifted:
            wrapped = self._costing(lambda frame: _optional_entry(operand(frame), field))
            return ("optional", result), wrapped

        def selected(frame: list[Any]) -> Any:
            of = operand(frame)
            try:
                return of[field]
            except KeyError:
                raise CelError(f"no such key: {field}") from None
            except TypeError:
                raise no_such_overload() from None

        return result, self._costing(selected)

    def _index(self, node: Index) -> Typed:
        kind, operand = self.compile(node.operand)
        key_kind, key = self.compile(node.key)
        is_lifted = _is_a(kind, "optional")
        inner, result = (kind[1] if is_lifted else kind), DYN
        if _is_a(inner, "map") or _is_a(inner, "list"):
            wanted, result = (inner[1], inner[2]) if inner[0] == "map" else (INT, inner[1])
            if not _assignable(wanted, key_kind, {}):
                self._no_overload(node.place, "_[_]", (inner, key_kind))
        elif inner not in (DYN, ANY):
            self._no_overload(node.place, "_[_]", (inner, key_kind))
        if node.is_optional or is_lifted:
            find = self._costing(lambda frame: _optional_entry(operand(frame), key(frame)))
            return ("optional", result), find
        return result, self._costing(lambda frame: _element(operand(frame), key(frame)))

    def _list(self, node: ListOf) -> Typed:
        typed = [self.compile(element) for element in node.elements]
        runs = [run for _, run in typed]
        kind = self._joined(node.place, [kind for kind, _ in typed])
        cost = 0 if all(isinstance(e, Literal) for e in node.elements) else _LIST_COST
        return ("list", kind), self._costing(lambda frame: [run(frame) for run in runs], cost)

    def _map(self, node: MapOf) -> Typed:
        typed = [(self.compile(key), self.compile(value)) for key, value in node.entries]
        key_kind = self._joined(node.place, [key[0] for key, _ in typed])
        value_kind = self._joined(node.place, [value[0] for _, value in typed])
        runs = [(key[1], value[1]) for key, value in typed]
        return ("map", key_kind, value_kind), self._costing(lambda f: _made_map(runs, f), _MAP_COST)

    def _joined(self, place: int, kinds: Sequence[Type]) -> Type:
        """Return the one type of the elements of a literal, as aggregates are homogeneous."""
        known = DYN if not kinds else kinds[0]
        for kind in kinds[1:]:
            if known in (DYN, ANY):
                known = kind
            if not _assignable(known, kind, {}):
                shown = f"expected type '{_shown(known)}' but found '{_shown(kind)}'"
                self._fail(place, shown)
        return known

    def _call(self, node: Call) -> Typed:
        special = _SPECIAL.get(node.function)
        if special is not None:
            return special(self, node)
        name, arguments = node.function, node.arguments
        if node.target is not None:
            qualified = f"{node.target.name}.{name}" if isinstance(node.target, Name) else ""
            if qualified in FUNCTIONS or qualified in UNSUPPORTED:
                name = qualified
            else:
                arguments = (node.target, *arguments)
        is_method = node.target is not None and name is node.function
        if name in UNSUPPORTED:
            self._fail(node.place, f"podium doesn't evaluate the function '{name}' of CEL")
        if name not in FUNCTIONS:
            self._fail(node.place, f"undeclared reference to '{name}' (in container '')")
        typed = [self.compile(argument) for argument in arguments]
        kinds = [kind for kind, _ in typed]
        candidates, result = _overloads(name, is_method, tuple(kinds))
        if not candidates:
            self._no_overload(node.place, name, kinds)
        return result, self._calling(candidates, kinds, [run for _, run in typed])

    def _calling(
        self, candidates: Sequence[Overload], kinds: Sequence[Type], runs: Sequence[Run]
    ) -> Run:
        overload = candidates[0]
        is_certain = all(
            _is_certain(wanted, kind)
            for wanted, kind in zip(overload.parameters, kinds, strict=True)
        )
        budget = self._budget
        if budget is None and is_certain:
            call = overload.call
            if len(runs) == 1:
                one = runs[0]
                return lambda frame: call(one(frame))
            if len(runs) == 2:
                left, right = runs
                return lambda frame: call(left(frame), right(frame))

        def called(frame: list[Any]) -> Any:
            values = [run(frame) for run in runs]
            chosen = overload
            if not is_certain:
                chosen = _chosen(candidates, values)
            if budget is not None:
                budget.spend(1 if chosen.cost is None else chosen.cost(*values))
            return chosen.call(*values)

        return called

    def _both(self, node: Call) -> Typed:
        return self._logical(node, False)

    def _either(self, node: Call) -> Typed:
        return self._logical(node, True)

    def _logical(self, node: Call, decisive: bool) -> Typed:
        """Compile `&&` or `||`: one decisive side decides even if the other fails."""
        left, right = (self._truth(argument) for argument in node.arguments)

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

        return BOOL, decided

    def _truth(self, node: Node) -> Run:
        kind, run = self.compile(node)
        if kind not in (BOOL, DYN, ANY):
            self._fail(node.place, f"expected type 'bool' but found '{_shown(kind)}'")
        return run

    def _choice(self, node: Call) -> Typed:
        condition = self._truth(node.arguments[0])
        (then_kind, then), (else_kind, other) = map(self.compile, node.arguments[1:])
        if not _assignable(then_kind, else_kind, {}):
            self._no_overload(node.place, "_?_:_", (BOOL, then_kind, else_kind))

        def chosen(frame: list[Any]) -> Any:
            value = condition(frame)
            if not isinstance(value, bool):
                raise no_such_overload()
            return then(frame) if value else other(frame)

        return (else_kind if then_kind in (DYN, ANY) else then_kind), chosen

    def _binding(self, node: Binding) -> Typed:
        kind, value = self.compile(node.value)
        with_slot = self._within({node.variable: kind}, lambda: self.compile(node.body))
        (slot,), (result, body) = with_slot

        def bound(frame: list[Any]) -> Any:
            frame[slot] = value(frame)
            return body(frame)

        return result, bound

    def _loop(self, node: Loop) -> Typed:
        kind, over = self.compile(node.over)
        if node.kind in ("optMap", "optFlatMap"):
            return self._optional_map(node, kind, over)
        if _is_a(kind, "list"):
            pair: tuple[Type, Type] = (INT, kind[1])
        elif _is_a(kind, "map"):
            pair = (kind[1], kind[2])
        elif kind == DYN:
            pair = (DYN, DYN)
        else:
            what = f"expression of type '{_shown(kind)}' cannot be range of a comprehension"
            self._fail(node.place, f"{what} (must be list, map, or dynamic)")
        # A single variable is the element of a list, but the key of a map.
        kinds = pair if len(node.variables) == 2 else pair[1:] if _is_a(kind, "list") else pair[:1]
        variables = dict(zip(node.variables, kinds, strict=True))
        slots, typed = self._within(variables, lambda: [self.compile(part) for part in node.body])
        if node.kind in ("all", "exists", "exists_one", "filter") or len(typed) == 2:
            tested = typed[0][0]
            if tested not in (BOOL, DYN, ANY):
                self._fail(node.place, f"expected type 'bool' but found '{_shown(tested)}'")
        runs = [run for _, run in typed]
        result = self._result_of(node.kind, kind, typed[-1][0])
        loop = _LOOP_RUNS[node.kind]
        budget, cost = self._budget, _LOOP_COSTS[node.kind]

        def looped(frame: list[Any]) -> Any:
            return loop(_items(over(frame), frame, slots, budget, cost), frame, runs)

        return result, looped

    def _result_of(self, name: str, over: Type, body: Type) -> Type:
        if name in ("all", "exists", "exists_one"):
            return BOOL
        if name == "filter":
            return over if _is_a(over, "list") else ("list", over[1] if _is_a(over, "map") else DYN)
        if name == "transformMap":
            return ("map", over[1] if _is_a(over, "map") else INT, body)
        return ("list", body)

    def _optional_map(self, node: Loop, kind: Type, over: Run) -> Typed:
        inner = kind[1] if _is_a(kind, "optional") else DYN
        variables = {node.variables[0]: inner}
        (slot,), (result, body) = self._within(variables, lambda: self.compile(node.body[0]))
        is_flat = node.kind == "optFlatMap"

        def mapped(frame: list[Any]) -> OptionalValue:
            optional = over(frame)
            if not isinstance(optional, OptionalValue):
                raise no_such_overload()
            if not optional.is_present:
                return ABSENT
            frame[slot] = optional.value
            value = body(frame)
            return value if is_flat else OptionalValue(True, value)

        return (result if is_flat else ("optional", result)), mapped

    def _within(
        self, variables: Mapping[str, Type], work: Callable[[], Any]
    ) -> tuple[tuple[int, ...], Any]:
        outer, first = dict(self._scope), self._slots
        for name, kind in variables.items():
            self._scope[name] = kind, self._slots
            self._slots += 1
        self.slots_max = max(self.slots_max, self._slots)
        done = work()
        slots = tuple(range(first, first + len(variables)))
        self._scope, self._slots = outer, first
        return slots, done

    def _costing(self, run: Run, cost: int = 1) -> Run:
        budget = self._budget
        if budget is None or not cost:
            return run

        def costing(frame: list[Any]) -> Any:
            budget.spend(cost)
            return run(frame)

        return costing

    def _no_overload(self, place: int, name: str, kinds: Sequence[Type]) -> NoReturn:
        shown = ", ".join(map(_shown, kinds))
        self._fail(place, f"found no matching overload for '{name}' applied to '({shown})'")

    def _fail(self, place: int, why: str) -> NoReturn:
        raise CompileError(f"{_FAILED}{position(self._text, place)}: {why}")


def _is_a(kind: Type, name: str) -> bool:
    return isinstance(kind, tuple) and kind[0] == name


def _assignable(wanted: Type, kind: Type, bound: dict[str, Type]) -> bool:
    """Return whether a value of a type fits a parameter; binds the parameters of types."""
    if _is_a(wanted, "param"):
        name = wanted[1]
        known = bound.get(name)
        if known is None or known in (DYN, ANY):
            bound[name] = kind
            return True
        return _assignable(known, kind, {})
    if wanted in (DYN, ANY) or kind in (DYN, ANY):
        return True
    if isinstance(wanted, tuple) and isinstance(kind, tuple):
        return wanted[0] == kind[0] and all(
            _assignable(a, b, bound) for a, b in zip(wanted[1:], kind[1:], strict=True)
        )
    if kind == NULL and isinstance(wanted, str):
        return wanted == NULL or wanted in NULLABLE or "." in wanted
    return wanted == kind


@lru_cache(4096)
def _overloads(
    name: str, is_method: bool, kinds: tuple[Type, ...]
) -> tuple[tuple[Overload, ...], Type]:
    """Return the overloads of a function for types of arguments, and the type of its value."""
    candidates, results = [], []
    for overload in FUNCTIONS[name]:
        bound: dict[str, Type] = {}
        parameters = overload.parameters
        if overload.is_method != is_method or len(parameters) != len(kinds):
            continue
        if all(
            _assignable(wanted, kind, bound) for wanted, kind in zip(parameters, kinds, strict=True)
        ):
            candidates.append(overload)
            results.append(_substituted(overload.result, bound))
    is_one = bool(results) and all(result == results[0] for result in results)
    return tuple(candidates), results[0] if is_one else DYN


def _is_certain(wanted: Type, kind: Type) -> bool:
    """Return whether a value of a type fits a parameter whatever the value is."""
    if _is_a(wanted, "param") or wanted in (DYN, ANY):
        return True
    if isinstance(wanted, tuple):
        return isinstance(kind, tuple) and all(map(_is_certain, wanted[1:], kind[1:]))
    return wanted == kind


def _substituted(kind: Type, bound: Mapping[str, Type]) -> Type:
    if _is_a(kind, "param"):
        return bound.get(kind[1], DYN)
    if isinstance(kind, tuple):
        return (kind[0], *(_substituted(part, bound) for part in kind[1:]))
    return kind


def _shown(kind: Type) -> str:
    if not isinstance(kind, tuple):
        return kind
    name = "optional_type" if kind[0] == "optional" else kind[0]
    return f"{name}({', '.join(map(_shown, kind[1:]))})"


def _chosen(candidates: Sequence[Overload], values: Sequence[Any]) -> Overload:
    for overload in candidates:
        if all(map(is_of, values, overload.parameters)):
            return overload
    raise no_such_overload()


def _has_entry(value: Any, field: str) -> bool:
    if isinstance(value, OptionalValue):
        return value.is_present and _has_entry(value.value, field)
    if not isinstance(value, Mapping):
        raise no_such_overload()
    return field in value or hasattr(value, "__missing__")


def _optional_entry(value: Any, key: Any) -> OptionalValue:
    if isinstance(value, OptionalValue):
        return _optional_entry(value.value, key) if value.is_present else ABSENT
    try:
        return OptionalValue(True, _element(value, key))
    except CelError:
        if isinstance(value, Mapping | list | tuple):
            return ABSENT
        raise


def _element(value: Any, key: Any) -> Any:
    if isinstance(value, Mapping):
        try:
            return value[key]
        except (KeyError, TypeError):
            raise CelError(f"no such key: {key}") from None
    if not isinstance(value, list | tuple):
        raise no_such_overload()
    if type(key) is float and key.is_integer():
        key = int(key)
    if type(key) not in (int, UInt):
        raise CelError(f"unsupported index type '{type_of(key)}' in list")
    if not 0 <= key < len(value):
        raise CelError(f"index out of bounds: {key}")
    return value[key]


def _made_map(runs: Sequence[tuple[Run, Run]], frame: list[Any]) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    for key_run, value_run in runs:
        key = key_run(frame)
        if type(key) not in (bool, int, UInt, str):
            raise CelError(f"unsupported key type '{type_of(key)}' in map")
        if key in made:
            raise CelError(f"Failed with repeated key: {key}")
        made[key] = value_run(frame)
    return made


def _items(
    over: Any, frame: list[Any], slots: Sequence[int], budget: Budget | None, cost: int
) -> Any:
    """Iterate over a list or map, with the loop's variables set in the frame; yields the first."""
    pairs: Any
    if isinstance(over, Mapping):
        pairs = over.items()
    elif isinstance(over, list | tuple):
        pairs = enumerate(over)
    else:
        raise no_such_overload()
    for key, value in pairs:
        if budget is not None:
            budget.spend(cost)
        if len(slots) == 2:
            frame[slots[0]], frame[slots[1]] = key, value
        else:
            frame[slots[0]] = key if isinstance(over, Mapping) else value
        yield key, frame[slots[0]]


def _tested(run: Run, frame: list[Any]) -> bool:
    value = run(frame)
    if not isinstance(value, bool):
        raise no_such_overload()
    return value


def _quantified(decisive: bool) -> Callable[[Any, list[Any], Sequence[Run]], bool]:
    def run(items: Any, frame: list[Any], runs: Sequence[Run]) -> bool:
        error = None
        for _ in items:
            try:
                if _tested(runs[0], frame) is decisive:
                    return decisive
            except CelError as failure:
                error = failure
        if error is not None:
            raise error
        return not decisive

    return run


def _exists_one(items: Any, frame: list[Any], runs: Sequence[Run]) -> bool:
    return sum(_tested(runs[0], frame) for _ in items) == 1


def _filter(items: Any, frame: list[Any], runs: Sequence[Run]) -> list[Any]:
    return [value for _, value in items if _tested(runs[0], frame)]


def _transform(items: Any, frame: list[Any], runs: Sequence[Run]) -> list[Any]:
    *tests, body = runs
    return [body(frame) for _ in items if all(_tested(test, frame) for test in tests)]


def _transform_map(items: Any, frame: list[Any], runs: Sequence[Run]) -> dict[Any, Any]:
    *tests, body = runs
    return {k: body(frame) for k, _ in items if all(_tested(test, frame) for test in tests)}


_LOOP_RUNS: Mapping[str, Callable[[Any, list[Any], Sequence[Run]], Any]] = {
    "all": _quantified(False),
    "exists": _quantified(True),
    "exists_one": _exists_one,
    "filter": _filter,
    "map": _transform,
    "transformList": _transform,
    "transformMap": _transform_map,
}
# What each iteration costs besides the macro's arguments: conditions, and growing a result.
_LOOP_COSTS = {
    "all": 3, "exists": 4, "exists_one": 1, "filter": 12, "map": 12, "transformList": 12,
    "transformMap": 12,
}  # fmt: skip
_RULES: Mapping[type, Callable[[_Compiler, Any], Typed]] = {
    Literal: _Compiler._literal,
    Name: _Compiler._name,
    Select: _Compiler._select,
    Index: _Compiler._index,
    Call: _Compiler._call,
    ListOf: _Compiler._list,
    MapOf: _Compiler._map,
    Loop: _Compiler._loop,
    Binding: _Compiler._binding,
}
_SPECIAL: Mapping[str, Callable[[_Compiler, Call], Typed]] = {
    "_&&_": _Compiler._both,
    "_||_": _Compiler._either,
    "_?_:_": _Compiler._choice,
}
