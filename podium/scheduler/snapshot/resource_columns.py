"""Amounts of each resource that nodes have and their pods hold, a column for each resource."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from podium.api.resources import is_scalar_resource

NATIVE_RESOURCES = ("cpu", "memory", "ephemeral-storage")
CPU, MEMORY, EPHEMERAL_STORAGE = range(3)

Column = NDArray[np.int64]

_ROWS_MIN = 8


class ResourceColumns:
    """Columns int64[nodes] by resource, cpu in thousandths, others in units.

    Attributes:
        names: resources in the order of their columns; the native three come first.
        free: `allocatable` less `requested`; may be negative, as may `free_pods`.
        nonzero_cpu: requested cpu; containers without requests count with scoring's defaults.
    """

    def __init__(self) -> None:
        self.names: list[str] = list(NATIVE_RESOURCES)
        self._index = {name: index for index, name in enumerate(self.names)}
        self._node_count = self._length = 0
        blank: Column = np.zeros(0, np.int64)
        self._allocatable, self._requested, self._free, self._counts = (
            [blank] * count for count in (*[len(self.names)] * 3, 5)
        )
        self._make_views()

    def index_of(self, resource: str) -> int:
        index = self._index.get(resource)
        if index is None:
            index = self._index[resource] = len(self.names)
            self.names.append(resource)
            for whole, columns in (
                (self._allocatable, self.allocatable),
                (self._requested, self.requested),
                (self._free, self.free),
            ):
                whole.append(np.zeros(self._length, np.int64))
                columns.append(whole[-1][: self._node_count])
            self.requested_at.append(self.requested[-1].data)
            self.free_at.append(self.free[-1].data)
        return index

    def counted(self, amounts: Mapping[str, int]) -> tuple[tuple[int, int], ...]:
        return tuple(
            (self.index_of(name), amount)
            for name, amount in amounts.items()
            if name in NATIVE_RESOURCES or is_scalar_resource(name)
        )

    def append_row(self) -> None:
        self._node_count += 1
        if self._node_count > self._length:
            extra = np.zeros(max(_ROWS_MIN, self._length // 8), np.int64)
            self._length += len(extra)
            self._allocatable, self._requested, self._free, self._counts = (
                [np.concatenate((column, extra)) for column in columns]
                for columns in (self._allocatable, self._requested, self._free, self._counts)
            )
        self._make_views()

    def remove_row(self, row: int) -> None:
        self._node_count -= 1
        for column in (*self._allocatable, *self._requested, *self._free, *self._counts):
            column[row] = column[self._node_count]
            column[self._node_count] = 0
        self._make_views()

    def set_allocatable(self, row: int, amounts: Mapping[str, int]) -> None:
        """Replace the allocatable amounts of a row; `pods` is the allowed number of pods."""
        for column in self.allocatable:
            column[row] = 0
        for index, amount in self.counted(amounts):
            self.allocatable[index][row] = amount
        for free, has, held in zip(self.free, self.allocatable, self.requested, strict=True):
            free[row] = has[row] - held[row]
        self.allowed_pods[row] = amounts.get("pods", 0)
        self.free_pods[row] = self.allowed_pods[row] - self.pods[row]

    def add(
        self, row: int, amounts: Iterable[tuple[int, int]], nonzero: tuple[int, int], sign: int
    ) -> None:
        """Add (sign 1) or remove (sign -1) a pod's amounts by column, and its `held_nonzero`."""
        for index, amount in amounts:
            self.requested_at[index][row] += sign * amount
            self.free_at[index][row] -= sign * amount
        self.nonzero_cpu_at[row] += sign * nonzero[0]
        self.nonzero_memory_at[row] += sign * nonzero[1]
        self.pods_at[row] += sign
        self.free_pods_at[row] -= sign

    def _make_views(self) -> None:
        """Make the columns, and memory views, whose elements are read ten times as fast."""
        count = self._node_count
        self.allocatable, self.requested, self.free, counts = (
            [column[:count] for column in columns]
            for columns in (self._allocatable, self._requested, self._free, self._counts)
        )
        self.nonzero_cpu, self.nonzero_memory, self.pods, self.allowed_pods, self.free_pods = counts
        self.requested_at = [column.data for column in self.requested]
        self.free_at = [column.data for column in self.free]
        self.nonzero_cpu_at = self.nonzero_cpu.data
        self.nonzero_memory_at = self.nonzero_memory.data
        self.pods_at = self.pods.data
        self.free_pods_at = self.free_pods.data
