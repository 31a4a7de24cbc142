"""The greatest cost that an evaluation may have, found before it is evaluated.

As in cel-go's estimate, all parts count with the greatest sizes of their values: those of literals,
those that follow from functions, and those that are known of what variables hold.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from podium.api.cel.checker import Checker
from podium.api.cel.functions.overloads import LIST_COST, MAP_COST, UNKNOWN, Size, Sized, bounded
from podium.api.cel.loops import LOOPS
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
)
from podium.api.cel.type_system import SCALAR, Type, is_a

Path = tuple[str, ...]
"""Where a value is within variables: a variable, then fields, `@keys` or `@values` of maps,
`@items` and `@indices` of lists."""

Sizes = Callable[[Path], int | None]
"""Returns the greatest size of the values at a path; None if nothing is known."""

_ONE = Size(1, 1)


class _Entries(msgspec.Struct, frozen=True):
    """The sizes of keys (or indexes) and values of a list or map."""

    is_list: bool
    keys: Size
    values: Size


class _Part(msgspec.Struct, frozen=True):
    """What is known of a part of an expression.

    Attributes:
        cost: the greatest cost of its evaluation.
        size: None if it depends on the variables.
        path: where its value is; empty if it is computed.
    """

    cost: int
    size: Size | None = None
    path: Path = ()
    entries: _Entries | None = None


def estimated_cost(tree: Node, checked: Checker, sizes: Sizes) -> int:
    """Return the greatest cost of an evaluation, at most that of a value of unbounded size."""
    return _Estimator(checked, sizes).estimate(tree).cost


class _Estimator:
    def __init__(self, checked: Checker, sizes: Sizes) -> None:
        self._checked, self._sizes = checked, sizes
        self._scope: dict[str, _Part] = {}

    def estimate(self, node: Node) -> _Part:
        part = _RULES[type(node)](self, node)
        if part.size is not None:
            return part
        size = self._size_at(part.path, self._checked.kinds[id(node)])
        return part if size is None else replace(part, size=size)

    def _size_at(self, path: Path, kind: Type) -> Size | None:
        most = self._sizes(path) if path else None
        if most is not None:
            return Size(0, most)
        inner = kind[1] if is_a(kind, "optional") else kind
        return _ONE if isinstance(inner, str) and inner in SCALAR else None

    def _literal(self, node: Literal) -> _Part:
        value = node.value
        length = len(value) if isinstance(value, str | bytes) else 1
        return _Part(0, Size(length, length))

    def _name(self, node: Name) -> _Part:
        known = self._scope.get(node.name)
        if known is None:
            return _Part(1, path=(node.name,))
        size = self._size_at(known.path, self._checked.kinds[id(node)]) or known.size
        return replace(known, cost=1, size=size)

    def _select(self, node: Select) -> _Part:
        if id(node) in self._checked.types:
            return _Part(1)
        operand = self.estimate(node.operand)
        kind = self._checked.kinds[id(node.operand)]
        if node.is_test:
            return _Part(operand.cost)
        has_fields = is_a(kind, "map") or (isinstance(kind, str) and "." in kind)
        cost = operand.cost + (has_fields or node.is_optional)
        return _Part(cost, path=operand.path and (*operand.path, node.field))

    def _index(self, node: Index) -> _Part:
        operand, key = self.estimate(node.operand), self.estimate(node.key)
        kind = self._checked.kinds[id(node.operand)]
        path: Path = ()
        if operand.path and not node.is_optional and isinstance(kind, tuple):
            path = (*operand.path, "@items" if is_a(kind, "list") else "@values")
        size = None if operand.entries is None or node.is_optional else operand.entries.values
        return _Part(bounded(operand.cost + key.cost + 1), size, path)

    def _list(self, node: ListOf) -> _Part:
        parts = [self.estimate(element) for element in node.elements]
        length = Size(len(parts), len(parts))
        return _Part(
            _total(parts) + LIST_COST, length, entries=_Entries(True, _ONE, _any_of(parts))
        )

    def _map(self, node: MapOf) -> _Part:
        keys = [self.estimate(key) for key, _ in node.entries]
        values = [self.estimate(value) for _, value in node.entries]
        entries = _Entries(False, _any_of(keys), _any_of(values))
        length = Size(len(keys), len(keys))
        return _Part(bounded(_total(keys) + _total(values) + MAP_COST), length, entries=entries)

    def _call(self, node: Call) -> _Part:
        if node.function in ("_&&_", "_||_"):
            return _Part(_total([self.estimate(argument) for argument in node.arguments]))
        if node.function == "_?_:_":
            return self._choice(node)
        candidates = self._checked.overloads[id(node)]
        arguments = node.arguments
        if candidates[0].is_method:
            assert node.target is not None
            arguments = (node.target, *arguments)
        parts = [self.estimate(argument) for argument in arguments]
        if node.function == "dyn":
            return replace(parts[0], cost=parts[0].cost + 1, path=())
        sized = [self._sized(*of) for of in zip(arguments, parts, strict=True)]
        most = max(overload.cost.estimate(sized) for overload in candidates)
        size = None
        for overload in candidates:
            if overload.size is not None:
                other = overload.size(sized)
                size = other if size is None else size | other
        entries = None
        if node.function == "_+_" and parts[0].entries and parts[1].entries:
            entries = _either(parts[0].entries, parts[1].entries)
        return _Part(bounded(_total(parts) + most), size, entries=entries)

    def _choice(self, node: Call) -> _Part:
        condition, then, other = map(self.estimate, node.arguments)
        entries = None
        if then.entries is not None and other.entries is not None:
            entries = _either(then.entries, other.entries)
        size = (then.size or UNKNOWN) | (other.size or UNKNOWN)
        return _Part(bounded(condition.cost + max(then.cost, other.cost)), size, entries=entries)

    def _sized(self, node: Node, part: _Part) -> Sized:
        literal = node.value if isinstance(node, Literal) else None
        return Sized(self._checked.kinds[id(node)], part.size or UNKNOWN, literal)

    def _binding(self, node: Binding) -> _Part:
        value = self.estimate(node.value)
        (body,) = self._within({node.variable: value}, (node.body,))
        # As if for a loop over an empty list.
        return replace(body, cost=bounded(value.cost + body.cost + LIST_COST))

    def _loop(self, node: Loop) -> _Part:
        over = self.estimate(node.over)
        if node.kind in ("optMap", "optFlatMap"):
            return self._optional_map(node, over)
        parts = self._within(self._variables(node, over), node.body)
        macro = LOOPS[node.kind]
        # A step that leaves an element out costs no more than one that takes it.
        each = _total(parts) + macro.step + macro.condition
        size = over.size or UNKNOWN
        cost = bounded(over.cost + macro.start + bounded(size.most * each) + macro.end)
        if node.kind in ("all", "exists", "exists_one"):
            return _Part(cost, _ONE)
        if node.kind == "sortBy":
            return self._sorted(node, size, cost)
        return _Part(cost, size, entries=self._made(node, over, parts[-1]))

    def _variables(self, node: Loop, over: _Part) -> dict[str, _Part]:
        is_list = is_a(self._checked.kinds[id(node.over)], "list")
        entries = over.entries
        if entries is not None:
            # Known even of what `dyn` hides.
            is_list = entries.is_list
        keys, values = ("@indices", "@items") if is_list else ("@keys", "@values")
        key = _Part(1, path=over.path and (*over.path, keys))
        value = _Part(1, path=over.path and (*over.path, values))
        if entries is not None:
            key, value = replace(key, size=entries.keys), replace(value, size=entries.values)
        parts = (key, value) if len(node.variables) == 2 else (value if is_list else key,)
        return dict(zip(node.variables, parts, strict=True))

    def _made(self, node: Loop, over: _Part, body: _Part) -> _Entries | None:
        """Return the sizes of the entries that a loop makes, besides those that it starts with."""
        if node.kind in ("filter", "map", "transformList"):
            values = over.entries.values if node.kind == "filter" and over.entries else body.size
            return _Entries(True, _ONE, values or UNKNOWN)
        return None

    def _sorted(self, node: Loop, size: Size, cost: int) -> _Part:
        keys = Sized(("list", self._checked.kinds[id(node.body[0])]), size)
        candidates = self._checked.overloads[id(node)]
        sorting = max(overload.cost.estimate((keys, keys)) for overload in candidates)
        return _Part(bounded(cost + sorting), size * size)

    def _optional_map(self, node: Loop, over: _Part) -> _Part:
        value = _Part(1)
        (body,) = self._within({node.variables[0]: value}, node.body)
        # The optional is looked at twice, and its value bound to the variable.
        present = over.cost + 1 + LIST_COST + body.cost + (node.kind == "optMap")
        return _Part(bounded(over.cost + 1 + max(present, 1)))

    def _within(self, variables: Mapping[str, _Part], nodes: Sequence[Node]) -> list[_Part]:
        outer = self._scope
        self._scope = {**outer, **variables}
        parts = [self.estimate(node) for node in nodes]
        self._scope = outer
        return parts


def _total(parts: Sequence[_Part]) -> int:
    return bounded(sum(part.cost for part in parts))


def _any_of(parts: Sequence[_Part]) -> Size:
    if not parts:
        return Size(0, 0)
    size = parts[0].size or UNKNOWN
    for part in parts[1:]:
        size |= part.size or UNKNOWN
    return size


def _either(entries: _Entries, other: _Entries) -> _Entries:
    return _Entries(entries.is_list, entries.keys | other.keys, entries.values | other.values)


_RULES: Mapping[type, Callable[[_Estimator, Any], _Part]] = {
    Literal: _Estimator._literal,
    Name: _Estimator._name,
    Select: _Estimator._select,
    Index: _Estimator._index,
    Call: _Estimator._call,
    ListOf: _Estimator._list,
    MapOf: _Estimator._map,
    Loop: _Estimator._loop,
    Binding: _Estimator._binding,
}
