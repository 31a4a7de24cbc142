"""Columns derived from node objects, computed on first use and kept until a node changes."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.api.nodes import taints_of
from podium.api.objects import Object, entries, labels, spec_of, status_of
from podium.api.selectors.labels import Requirement
from podium.api.selectors.node_selector import (
    NAME_FIELD,
    NodeSelector,
    NodeSelectorTerm,
    RequiredNodeAffinity,
)
from podium.scheduler.snapshot.arrays import Mask

ABSENT = -1


class NodeColumn:
    """A property of nodes, such as a label, as a column."""

    def __init__(self, codes: NDArray[np.int32], values: Sequence[Any]) -> None:
        self.codes = codes
        """Int32[nodes], an index into `values`; `ABSENT` if the node lacks the property."""
        self.values = values
        """The distinct values, in the order in which nodes were added."""

    def having(self, wanted: Iterable[str]) -> Mask:
        codes = [self._code_of[value] for value in wanted if value in self._code_of]
        result: Mask = self.codes == codes[0] if len(codes) == 1 else np.isin(self.codes, codes)
        return result

    def meets(self, requirement: Requirement) -> Mask:
        """Return which rows meet a requirement, bool[nodes]; compares each distinct value once."""
        if requirement.operator == "In":
            return self.having(requirement.values)
        verdicts = [*map(requirement.matches, self.values), requirement.matches(None)]
        return self.lookup(verdicts, bool)

    def lookup(self, answers: Sequence[int], dtype: Any = np.int64) -> NDArray[Any]:
        result: NDArray[Any] = np.array(answers, dtype)[self.codes]
        return result

    @cached_property
    def _code_of(self) -> Mapping[str, int]:
        return {value: code for code, value in enumerate(self.values)}


class NodeColumns:
    """Properties of nodes as columns; `row_of` has the order in which nodes were added."""

    def __init__(self, nodes: Sequence[Object], row_of: Mapping[str, int]) -> None:
        self._nodes = nodes
        self._row_of = row_of
        self._labels: dict[str, NodeColumn] = {}
        self._groups: dict[str, NodeColumn] = {}

    def forget(self) -> None:
        self._labels.clear()
        self._groups.clear()

    def label(self, key: str) -> NodeColumn:
        column = self._labels.get(key)
        if column is None:
            column = self._encoded(lambda node: labels(node).get(key))
            self._labels[key] = column
        return column

    def matching(self, selector: NodeSelector | NodeSelectorTerm | RequiredNodeAffinity) -> Mask:
        """Return the rows whose nodes a selector matches, as a new bool[nodes]."""
        if isinstance(selector, NodeSelector):
            rows = np.zeros(len(self._nodes), bool)
            for alternative in selector.terms:
                rows |= self.matching(alternative)
            return rows
        if isinstance(selector, RequiredNodeAffinity):
            rows = self.meeting(selector.selector.requirements)
            return rows if selector.affinity is None else rows & self.matching(selector.affinity)
        if selector.error or selector.is_empty:
            return np.zeros(len(self._nodes), bool)
        rows = self.meeting(selector.expressions)
        for requirement in selector.fields:
            if requirement.key != NAME_FIELD:
                # Other fields count as empty.
                rows &= requirement.matches("")
                continue
            named = np.zeros(len(self._nodes), bool)
            named[[self._row_of[name] for name in requirement.values if name in self._row_of]] = (
                True
            )
            rows &= named if requirement.operator == "In" else ~named
        return rows

    def meeting(self, requirements: Iterable[Requirement]) -> Mask:
        """Return the rows whose labels meet all requirements, as a new bool[nodes]."""
        rows = np.ones(len(self._nodes), bool)
        for requirement in requirements:
            rows &= self.label(requirement.key).meets(requirement)
        return rows

    def taints(self) -> NodeColumn:
        return self._group("taints", taints_of)

    def unschedulable(self) -> NodeColumn:
        return self._group("unschedulable", lambda node: bool(spec_of(node).get("unschedulable")))

    def declared_features(self) -> NodeColumn:
        return self._group("features", lambda node: entries(status_of(node), "declaredFeatures"))

    def images(self) -> NodeColumn:
        return self._group("images", lambda node: entries(status_of(node), "images"))

    def _group(self, name: str, read: Callable[[Object], Any]) -> NodeColumn:
        column = self._groups.get(name)
        if column is None:
            encoded = self._encoded(lambda node: msgspec.json.encode(read(node)))
            column = NodeColumn(encoded.codes, [*map(msgspec.json.decode, encoded.values)])
            self._groups[name] = column
        return column

    def _encoded(self, read: Callable[[Object], Hashable | None]) -> NodeColumn:
        known: dict[Hashable, int] = {}
        codes = np.full(len(self._nodes), ABSENT, np.int32)
        for row in self._row_of.values():
            value = read(self._nodes[row])
            if value is not None:
                codes[row] = known.setdefault(value, len(known))
        return NodeColumn(codes, list(known))
