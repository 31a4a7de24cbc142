"""The checker of CEL: the types of all parts of an expression, and what is wrong with them.

As in cel-go, all faults are reported at once, each with its line and column and what is there.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from podium.api.cel.functions.lists import SORT_BY_KEYS
from podium.api.cel.functions.overloads import Overload
from podium.api.cel.functions.registry import FUNCTIONS
from podium.api.cel.literal_checks import literal_fault
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
    fault_text,
)
from podium.api.cel.type_system import (
    BOOL,
    BYTES,
    CIDR,
    COMPARABLE,
    DOUBLE,
    DURATION,
    DYN,
    ERROR,
    FREE,
    INT,
    IP,
    NULL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    Type,
    has_free_part,
    is_a,
    is_assignable,
    is_equivalent,
    is_unknown,
    joined,
    substituted,
    type_name,
)

Fields = Mapping[str, Mapping[str, Type]]
"""Types of the fields of messages, by type of message and name of field."""

_LITERALS: Mapping[type, Type] = {
    bool: BOOL, int: INT, UInt: UINT, float: DOUBLE, str: STRING, bytes: BYTES, type(None): NULL,
}  # fmt: skip
_TYPES = frozenset(
    [*COMPARABLE, NULL, TYPE, TIMESTAMP, DURATION, IP, CIDR, "list", "map", "optional_type"]
)
# Of dotted names; most names of fields and methods are none of them.
_LAST_WORDS = {name.rpartition(".")[2] for name in (*_TYPES, *FUNCTIONS) if "." in name}


class Checker:
    """A checked expression.

    Attributes:
        kinds: the types of parts, by the identity of their nodes.
        overloads: the overloads that a call may have.
        types: names of the types that are named as values.
    """

    def __init__(self, text: str, variables: Mapping[str, Type], fields: Fields) -> None:
        self.kinds: dict[int, Type] = {}
        self.overloads: dict[int, Sequence[Overload]] = {}
        self.types: dict[int, str] = {}
        self._text, self._fields = text, fields
        self._scope = dict(variables)
        self._faults: list[tuple[int, str]] = []
        # Of literals, which are only looked at if all types fit.
        self._literal_faults: list[tuple[int, str]] = []
        self._within_format = 0

    def check(self, tree: Node) -> Type:
        """Return the type of an expression; raises CelSyntaxError with all its faults."""
        kind = self._check(tree)
        faults = sorted(self._faults or self._literal_faults)
        if faults:
            raise CelSyntaxError("\n".join(fault_text(self._text, *fault) for fault in faults))
        return kind

    def _check(self, node: Node) -> Type:
        kind = self.kinds[id(node)] = _RULES[type(node)](self, node)
        return kind

    def _fail(self, place: int, why: str) -> Type:
        self._faults.append((place, why))
        return ERROR

    def _mismatch(self, place: int, wanted: Type, kind: Type) -> Type:
        return self._fail(place, _mismatch_text(wanted, kind))

    def _no_overload(
        self, place: int, name: str, kinds: Sequence[Type], is_method: bool = False
    ) -> Type:
        shown = [*map(type_name, kinds)]
        target = f"{shown.pop(0)}." if is_method else ""
        applied = f"{target}({', '.join(shown)})"
        return self._fail(place, f"found no matching overload for '{name}' applied to '{applied}'")

    def _literal(self, node: Literal) -> Type:
        return _LITERALS[type(node.value)]

    def _name(self, node: Name) -> Type:
        if node.name in self._scope:
            return self._scope[node.name]
        if node.name in _TYPES:
            self.types[id(node)] = node.name
            return TYPE
        return self._fail(node.place, f"undeclared reference to '{node.name}' (in container '')")

    def _select(self, node: Select) -> Type:
        if node.field in _LAST_WORDS and (qualified := _qualified_name(node)) in _TYPES:
            self.types[id(node)] = qualified
            return TYPE
        kind = self._check(node.operand)
        is_lifted = is_a(kind, "optional")
        result = self._field(node, kind[1] if is_lifted else kind)
        if node.is_test:
            return BOOL
        return ("optional", result) if is_lifted or node.is_optional else result

    def _field(self, node: Select, kind: Type) -> Type:
        if is_a(kind, "map"):
            return kind[2]
        if isinstance(kind, str) and kind in self._fields:
            if node.field in self._fields[kind]:
                return self._fields[kind][node.field]
            return self._fail(node.place, f"undefined field '{node.field}'")
        if is_unknown(kind):
            return DYN
        what = type_name(kind)
        return self._fail(node.place, f"type '{what}' does not support field selection")

    def _index(self, node: Index) -> Type:
        kind, key = self._check(node.operand), self._check(node.key)
        is_lifted = is_a(kind, "optional")
        inner = kind[1] if is_lifted else kind
        if is_unknown(inner):
            return DYN
        name = "_[?_]" if node.is_optional else "_[_]"
        if not (is_a(inner, "map") or is_a(inner, "list")):
            return self._no_overload(node.place, name, (kind, key))
        wanted, result = (inner[1], inner[2]) if inner[0] == "map" else (INT, inner[1])
        if not is_assignable(wanted, key, {}):
            return self._no_overload(node.place, name, (kind, key))
        return ("optional", result) if is_lifted or node.is_optional else result

    def _list(self, node: ListOf) -> Type:
        kinds = self._elements(node.elements, node.optional)
        return ("list", self._common(node.elements, kinds, faults_max=1))

    def _map(self, node: MapOf) -> Type:
        keys, values = zip(*node.entries, strict=True) if node.entries else ((), ())
        kinds = self._elements(keys), self._elements(values, node.optional)
        return ("map", *map(self._common, (keys, values), kinds))

    def _elements(self, nodes: Sequence[Node], optional: Collection[int] = ()) -> Sequence[Type]:
        kinds = []
        for index, node in enumerate(nodes):
            kind = self._check(node)
            if index in optional and is_a(kind, "optional"):
                kind = kind[1]
            elif index in optional and kind != DYN:
                self._mismatch(node.place, ("optional", kind), kind)
            kinds.append(kind)
        return kinds

    def _common(
        self, nodes: Sequence[Node], kinds: Sequence[Type], faults_max: int | None = None
    ) -> Type:
        """Return the one type of the elements of a literal, which may differ within `format`."""
        others = [n for n, kind in enumerate(kinds) if not is_equivalent(kinds[0], kind)]
        if not self._within_format:
            for index in others[:faults_max]:
                why = _mismatch_text(kinds[0], kinds[index])
                self._literal_faults.append((nodes[index].place, why))
        if not all(is_assignable(kinds[0], kinds[index], {}) for index in others):
            return DYN
        common: Type = FREE
        for kind in kinds:
            common = joined(common, kind)
        return common

    def _call(self, node: Call) -> Type:
        name, target = node.function, node.target
        if target is not None and name in _LAST_WORDS:
            qualified = f"{_qualified_name(target)}.{name}"
            if qualified in FUNCTIONS:
                name, target = qualified, None
        is_method = target is not None
        self._within_format += name == "format"
        arguments = ([] if target is None else [target]) + [*node.arguments]
        kinds = tuple([self._check(argument) for argument in arguments])
        self._within_format -= name == "format"
        if name in ("_&&_", "_||_"):
            for argument, kind in zip(arguments, kinds, strict=True):
                if not is_assignable(BOOL, kind, {}):
                    self._mismatch(argument.place, BOOL, kind)
            return BOOL
        if name not in FUNCTIONS:
            return self._fail(node.place, f"undeclared reference to '{name}' (in container '')")
        candidates, result = _overloads(name, is_method, kinds)
        if not candidates:
            return self._no_overload(node.place, name, kinds, is_method)
        self.overloads[id(node)] = candidates
        if fault := literal_fault(node.place, candidates[0], arguments, self.kinds):
            self._literal_faults.append(fault)
        return result

    def _binding(self, node: Binding) -> Type:
        return self._within({node.variable: self._check(node.value)}, (node.body,))[0]

    def _loop(self, node: Loop) -> Type:
        kind = self._check(node.over)
        if node.kind in ("optMap", "optFlatMap"):
            return self._optional_map(node, kind)
        variables = dict(zip(node.variables, self._variables(node, kind), strict=True))
        kinds = self._within(variables, node.body)
        body = kinds[-1]
        if node.kind in ("all", "exists") and not is_assignable(BOOL, body, {}):
            self._mismatch(node.body[0].place, BOOL, body)
        is_conditional = node.kind in ("exists_one", "filter") or len(kinds) == 2
        result = self._result(node, kind, body)
        if is_conditional and not is_assignable(BOOL, kinds[0], {}):
            branch: Type = INT if node.kind == "exists_one" else result
            return self._no_overload(node.place, "_?_:_", (kinds[0], branch, branch))
        return result

    def _variables(self, node: Loop, kind: Type) -> Sequence[Type]:
        """Return the types of a loop's variables: if one, the element of a list, a map's key."""
        if is_a(kind, "list"):
            return (INT, kind[1])[-len(node.variables) :]
        if is_a(kind, "map"):
            return kind[1:][: len(node.variables)]
        if kind not in (DYN, FREE, ERROR):
            what = f"expression of type '{type_name(kind)}' cannot be range of a comprehension"
            self._fail(node.over.place, f"{what} (must be list, map, or dynamic)")
        return (DYN, DYN)[: len(node.variables)]

    def _result(self, node: Loop, over: Type, body: Type) -> Type:
        key: Type = over[1] if is_a(over, "map") else INT if is_a(over, "list") else DYN
        match node.kind:
            case "all" | "exists" | "exists_one":
                return BOOL
            case "filter":
                return over if is_a(over, "list") else ("list", key)
            case "transformMap":
                return ("map", key, body)
            case "transformMapEntry":
                if is_a(body, "map") or is_unknown(body):
                    return body
                return self._no_overload(node.place, "cel.@mapInsert", (("map", DYN, DYN), body))
            case "sortBy":
                kinds = over, ("list", body)
                candidates, result = _overloads(SORT_BY_KEYS, True, kinds)
                self.overloads[id(node)] = candidates
                if candidates:
                    return result
                return self._no_overload(node.place, SORT_BY_KEYS, kinds, True)
        return ("list", body)

    def _optional_map(self, node: Loop, kind: Type) -> Type:
        if not (is_a(kind, "optional") or is_unknown(kind)):
            for name in ("hasValue", "value"):
                self._no_overload(node.place, name, (kind,), True)
        value = kind[1] if is_a(kind, "optional") else DYN
        (body,) = self._within({node.variables[0]: value}, node.body)
        if node.kind == "optMap":
            return ("optional", body)
        if not (is_a(body, "optional") or is_unknown(body)):
            return self._no_overload(node.place, "_?_:_", (BOOL, body, ("optional", DYN)))
        return body

    def _within(self, variables: Mapping[str, Type], nodes: Sequence[Node]) -> list[Type]:
        outer = self._scope
        self._scope = {**outer, **variables}
        kinds = [self._check(node) for node in nodes]
        self._scope = outer
        return kinds


def _mismatch_text(wanted: Type, kind: Type) -> str:
    return f"expected type '{type_name(wanted)}' but found '{type_name(kind)}'"


def _qualified_name(node: Node) -> str:
    """Return a dotted name, such as `net.IP`; empty if a node isn't one."""
    if isinstance(node, Name):
        return node.name
    if not isinstance(node, Select) or node.is_test or node.is_optional:
        return ""
    outer = _qualified_name(node.operand)
    return outer and f"{outer}.{node.field}"


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
            is_assignable(wanted, kind, bound)
            for wanted, kind in zip(parameters, kinds, strict=True)
        ):
            candidates.append(overload)
            results.append(substituted(overload.result, bound))
    if any(map(has_free_part, kinds)):
        # The first that fits decides of which type the elements of an empty list are.
        candidates, results = candidates[:1], results[:1]
    is_one = bool(results) and all(result == results[0] for result in results)
    return tuple(candidates), results[0] if is_one else DYN


_RULES: Mapping[type, Callable[[Checker, Any], Type]] = {
    Literal: Checker._literal,
    Name: Checker._name,
    Select: Checker._select,
    Index: Checker._index,
    Call: Checker._call,
    ListOf: Checker._list,
    MapOf: Checker._map,
    Loop: Checker._loop,
    Binding: Checker._binding,
}
