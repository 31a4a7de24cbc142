"""Selectors of devices: CEL expressions about one device, as in resource.k8s.io/v1.

An expression sees the variable `device`: its driver, whether it may be allocated several times, and
its attributes and capacities by domain and name. A domain without any is an empty map, while a
missing name fails the evaluation.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from podium.api.cel.checker import Fields
from podium.api.cel.compiler import CompileError, Program
from podium.api.cel.estimator import Path
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
from podium.api.cel.type_system import ANY, BOOL, QUANTITY, STRING, declared_name
from podium.api.cel.values import CelError, type_of

COST_MAX = 1_000_000
"""The greatest cost of an evaluation (CELSelectorExpressionMaxCost)."""

_DEVICE = "kubernetes.DRADevice"
_FIELDS: Fields = {
    _DEVICE: {
        "driver": STRING,
        "allowMultipleAllocations": BOOL,
        "attributes": ("map", STRING, ("map", STRING, ANY)),
        "capacity": ("map", STRING, ("map", STRING, QUANTITY)),
    }
}
# What ResourceSlices allow: the lengths of domains, names and values, and the number of names.
_DOMAIN_MAX, _NAME_MAX, _VALUE_MAX, _NAMES_MAX = 63, 32, 64, 32
_SIZES: Mapping[Path, int] = {
    (): 0,
    ("driver",): _DOMAIN_MAX,
    ("allowMultipleAllocations",): 1,
    **{
        (kind, *within): size
        for kind, value_size in (("attributes", _VALUE_MAX), ("capacity", 0))
        for within, size in (
            ((), _NAMES_MAX),
            (("@keys",), _DOMAIN_MAX),
            (("@values",), _NAMES_MAX),
            (("@values", "@keys"), _NAME_MAX),
            (("@values", "@values"), value_size),
        )
    },
}
_NAMED = frozenset({"attributes", "capacity"})

Read = tuple[str, ...]
"""What is read of a device: `("driver",)`, or `("attributes", domain, name)`."""


class Domains(dict[str, dict[str, Any]]):
    """Attributes or capacities by domain and name; a domain without any is empty."""

    def __missing__(self, domain: str) -> dict[str, Any]:
        return {}


class Selector(msgspec.Struct, frozen=True, eq=False):
    """A compiled selector.

    Attributes:
        reads: what its result depends on; None if that can be anything of a device.
    """

    program: Program
    reads: frozenset[Read] | None

    def matches(self, device: Mapping[str, Any]) -> bool:
        """Return whether a device is selected.

        Args:
            device: values of the fields, with `Domains` of attributes and capacities.

        Raises:
            CelError: the evaluation failed.
        """
        value = self.program.evaluate(device)
        if not isinstance(value, bool):
            kind = type_of(value)
            raise CelError(f"CEL result of type {kind} could not be converted to bool")
        return value


@lru_cache(1024)
def device_selector(expression: str) -> Selector:
    """Compile a selector.

    Raises:
        CompileError: the expression isn't CEL, its types don't fit, or it isn't true or false.
    """
    program = Program(expression, {"device": _DEVICE}, _FIELDS, _size_at, COST_MAX)
    if program.result not in (BOOL, ANY):
        shown = declared_name(program.result)
        raise CompileError(f"must evaluate to bool or the unknown type, not {shown}")
    reads: set[Read] = set()
    try:
        _collect(program.tree, {"device": ()}, reads)
    except _ReadsAnythingError:
        return Selector(program, None)
    return Selector(program, frozenset(reads))


def _size_at(path: Path) -> int | None:
    _, *within = path
    if len(within) == 3 and within[0] == "attributes" and not within[2].startswith("@"):
        # All attributes are of one size, whatever their names.
        within[2] = "@values"
    return _SIZES.get(tuple(within))


class _ReadsAnythingError(Exception):
    pass


def _collect(node: Node, paths: Mapping[str, Read], reads: set[Read]) -> None:
    """Collect what a part of an expression reads; `paths` are those of variables."""
    path = _path_of(node, paths)
    if path is not None:
        if not path or (path[0] in _NAMED and len(path) < 3):
            raise _ReadsAnythingError
        reads.add(path)
        return
    if isinstance(node, Call):
        if node.function == "@in" and isinstance(node.arguments[0], Literal):
            path = _path_of(Index(0, node.arguments[1], node.arguments[0]), paths)
            if path is not None and len(path) == 3:
                reads.add(path)
                return
        if (node.target is not None and not isinstance(node.target, Name)) or (
            isinstance(node.target, Name) and node.target.name in paths
        ):
            _collect(node.target, paths, reads)
        for argument in node.arguments:
            _collect(argument, paths, reads)
    elif isinstance(node, Binding):
        value = _path_of(node.value, paths)
        inner = {name: path for name, path in paths.items() if name != node.variable}
        if value is None or len(value) > 2:
            _collect(node.value, paths, reads)
        else:
            inner[node.variable] = value
        _collect(node.body, inner, reads)
    elif isinstance(node, Loop):
        _collect(node.over, paths, reads)
        inner = {name: path for name, path in paths.items() if name not in node.variables}
        for part in node.body:
            _collect(part, inner, reads)
    else:
        for part in _parts(node):
            _collect(part, paths, reads)


def _path_of(node: Node, paths: Mapping[str, Read]) -> Read | None:
    """Return the path of a node that reads a device by constant names; None for any other."""
    if isinstance(node, Name):
        return paths.get(node.name)
    if isinstance(node, Select):
        field: object = node.field
    elif isinstance(node, Index) and isinstance(node.key, Literal):
        field = node.key.value
    else:
        return None
    outer = _path_of(node.operand, paths)
    if outer is None or not isinstance(field, str):
        return None
    # What is read of an attribute's value is part of the attribute.
    return outer if len(outer) == 3 or outer[:1] == ("driver",) else (*outer, field)


def _parts(node: Node) -> list[Node]:
    if isinstance(node, Select):
        return [node.operand]
    if isinstance(node, Index):
        return [node.operand, node.key]
    if isinstance(node, MapOf):
        return [part for entry in node.entries for part in entry]
    return [*node.elements] if isinstance(node, ListOf) else []
