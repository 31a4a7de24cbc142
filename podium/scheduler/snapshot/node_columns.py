"""Columns derived from node objects, made when first asked for and kept until a node changes."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.api.nodes import taints_of
from podium.api.objects import Object, entries, labels, spec_of, status_of
from podium.api.selectors.labels import Requirement

ABSENT = -1


@dataclass(frozen=True, slots=True)
class LabelColumn:
    """The values that nodes have of one label, as a column.

    Attributes:
        codes: int32[nodes], an index into `values`, `ABSENT` where a node lacks the label.
        values: the distinct values, in the order in which nodes first brought them.
    """

    codes: NDArray[np.int32]
    values: Sequence[str]

    def meets(self, requirement: Requirement) -> NDArray[np.bool_]:
        """Which rows meet a requirement, bool[nodes]; each distinct value is judged once."""
        verdicts = [requirement.matches(value) for value in self.values]
        verdicts.append(requirement.matches(None))
        result: NDArray[np.bool_] = np.array(verdicts, bool)[self.codes]
        return result


@dataclass(frozen=True, slots=True)
class GroupColumn:
    """Nodes grouped by something that many share, with codes and values as in `LabelColumn`."""

    codes: NDArray[np.int32]
    values: Sequence[Any]

    def lookup(self, answers: Sequence[int], dtype: Any = np.int64) -> NDArray[Any]:
        """An answer for each group spread over the rows."""
        result: NDArray[Any] = np.array(answers, dtype)[self.codes]
        return result


class NodeColumns:
    """Properties of nodes by row; `row_of` is in the order in which nodes were added."""

    def __init__(self, nodes: Sequence[Object], row_of: Mapping[str, int]) -> None:
        self._nodes = nodes
        self._row_of = row_of
        self._labels: dict[str, LabelColumn] = {}
        self._groups: dict[str, GroupColumn] = {}

    def forget(self) -> None:
        """Nodes have changed."""
        self._labels.clear()
        self._groups.clear()

    def label(self, key: str) -> LabelColumn:
        """The column of a label."""
        column = self._labels.get(key)
        if column is None:
            codes, values = self._encoded(lambda node: labels(node).get(key))
            column = self._labels[key] = LabelColumn(codes, values)
        return column

    def taints(self) -> GroupColumn:
        """Nodes by their taints (lists of objects)."""
        return self._group("taints", taints_of)

    def unschedulable(self) -> GroupColumn:
        """Nodes by `spec.unschedulable`."""
        return self._group("unschedulable", lambda node: bool(spec_of(node).get("unschedulable")))

    def declared_features(self) -> GroupColumn:
        """Nodes by `status.declaredFeatures`."""
        return self._group("features", lambda node: entries(status_of(node), "declaredFeatures"))

    def images(self) -> GroupColumn:
        """Nodes by `status.images`."""
        return self._group("images", lambda node: entries(status_of(node), "images"))

    def _group(self, name: str, read: Callable[[Object], Any]) -> GroupColumn:
        column = self._groups.get(name)
        if column is None:
            codes, keys = self._encoded(lambda node: msgspec.json.encode(read(node)))
            column = GroupColumn(codes, [msgspec.json.decode(key) for key in keys])
            self._groups[name] = column
        return column

    def _encoded(
        self, read: Callable[[Object], Hashable | None]
    ) -> tuple[NDArray[np.int32], list[Any]]:
        known: dict[Hashable, int] = {}
        codes = np.full(len(self._nodes), ABSENT, np.int32)
        for row in self._row_of.values():
            value = read(self._nodes[row])
            if value is not None:
                codes[row] = known.setdefault(value, len(known))
        return codes, list(known)
