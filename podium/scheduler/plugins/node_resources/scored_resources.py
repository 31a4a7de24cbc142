"""Capacity and usage of scored resources, as columns that many classes of pods share.

They are converted once to the form that a score needs, and then updated as pods are added and
removed. For each class, only what depends on its own requests is computed. Devices take the place
of an extended resource on nodes that don't provide it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from podium.api.objects import Object
from podium.api.objects import name as name_of
from podium.api.resources import is_scalar_resource
from podium.scheduler.config.args import ResourceSpec
from podium.scheduler.devices.device_counts import DeviceCounts
from podium.scheduler.devices.device_manager import CLASS, DeviceManager
from podium.scheduler.devices.node_shapes import SLICE
from podium.scheduler.framework.handle import Handle
from podium.scheduler.snapshot.resource_columns import NATIVE_RESOURCES, Column
from podium.scheduler.snapshot.snapshot import Change, PerNodes, Snapshot, rows_of

Matrix = NDArray[Any]

# Whole numbers up to here are exact as floats, and are divided five times as fast.
_EXACT_MAX = 2**53
_ROW_BY_ROW_MAX = 8


class DeviceColumns:
    """Amounts of an extended resource, or of the devices that a DeviceClass selects for it."""

    def __init__(self, counts: DeviceCounts, requested: Column, allocatable: Column) -> None:
        self._counts = counts
        self._requested = requested
        self._are_devices = (allocatable == 0) & (counts.selected > 0)
        self.allocatable = np.where(self._are_devices, counts.selected, allocatable)
        """int64[nodes], as `used`."""
        self._changes = counts.log.cursor()
        self.used = np.zeros_like(requested)
        self.take_rows(slice(None))

    def changed(self) -> list[int] | None:
        """Return the rows whose devices have changed; None for all rows."""
        self._counts.refresh()
        return self._changes.new(at_most=len(self.used))

    def take_rows(self, rows: NDArray[np.intp] | slice) -> None:
        held, of_devices = self._requested[rows], self._counts.allocated[rows]
        self.used[rows] = np.where(self._are_devices[rows], of_devices, held)


class ScoredColumns(ABC):
    """Capacity and usage of some resources by row, updated from the log of pods.

    Args:
        snapshot: the nodes, which must not change while this object is used.
        used: int64[nodes] for each resource, requested by pods on nodes.
        allocatable: int64[nodes] for each resource; a resource counts on nodes where it isn't 0.
    """

    factor: ClassVar[int]
    """Factor by which subclasses multiply amounts."""
    bound: ClassVar[int]
    """Limit that subclasses apply to columns."""

    def __init__(
        self,
        snapshot: Snapshot,
        used: Sequence[Column],
        allocatable: Sequence[Column],
        weights: Sequence[int],
        devices: Sequence[DeviceColumns] = (),
    ) -> None:
        self._snapshot = snapshot
        self._changes = snapshot.log.cursor()
        self.devices = devices
        self.used = used
        self.at = [(u.data, a.data) for u, a in zip(used, allocatable, strict=True)]
        has = np.array(allocatable, np.int64).reshape(len(used), snapshot.node_count)
        self.has: NDArray[np.bool_] = has > 0
        self.is_exact = int(has.max(initial=0)) * self.factor < _EXACT_MAX
        self.dtype = np.float64 if self.is_exact else np.int64
        self.capacity: Matrix = np.maximum(has, 1).astype(self.dtype)
        self.weights: Matrix = np.array(weights, self.dtype)
        self.weights_of = list(weights)
        # Reused when all rows are scored, so that it stays in the processor's cache.
        self.scratch: Matrix = np.zeros_like(self.capacity)
        self._bounds: Matrix = np.full(snapshot.node_count, self.bound, self.dtype)
        self.prepare()
        self.take_rows(slice(None))

    def follow(self) -> None:
        changes = self._changes.new(at_most=self._snapshot.node_count)
        if self.devices:
            self._follow_devices(changes)
        elif changes is None:
            self.take_rows(slice(None))
        elif len(changes) > _ROW_BY_ROW_MAX:
            self.take_rows(rows_of(changes))
        else:
            for row, _, _ in changes:
                self.take_row(row)

    def _follow_devices(self, changes: Sequence[Change] | None) -> None:
        rows = None if changes is None else rows_of(changes)
        for columns in self.devices:
            changed = columns.changed()
            rows = None if rows is None or changed is None else np.union1d(rows, changed)
        taken = slice(None) if rows is None else rows.astype(np.intp)
        for columns in self.devices:
            columns.take_rows(taken)
        self.take_rows(taken)

    def column_of(self, requests: Sequence[int]) -> Matrix:
        """Return requests times `factor`, as an array [resources, 1] to combine with columns."""
        multiplied = [request * self.factor for request in requests]
        return np.array(multiplied, self.dtype).reshape(len(requests), 1)

    def bound_of(self, rows: NDArray[np.intp] | slice) -> Matrix | int:
        """Return `bound`; for all rows as a column, which NumPy compares twice as fast."""
        return self._bounds if isinstance(rows, slice) else self.bound

    @abstractmethod
    def prepare(self) -> None: ...

    @abstractmethod
    def take_rows(self, rows: NDArray[np.intp] | slice) -> None: ...

    @abstractmethod
    def take_row(self, row: int) -> None: ...


C = TypeVar("C", bound=ScoredColumns)


class ScoredResources(Generic[C]):
    """Scored columns for each set of resources that counts for a class of pods.

    With `nonzero`, containers without requests for cpu or memory count with defaults.
    """

    def __init__(
        self, handle: Handle, specs: Sequence[ResourceSpec], kind: type[C], *, nonzero: bool
    ) -> None:
        self._snapshot = handle.snapshot
        self._epochs = handle.listers.epochs
        self._manager = DeviceManager(handle.snapshot, handle.allocated)
        self._specs = tuple(specs)
        self._names = tuple([spec.name for spec in specs])
        self._are_native = set(NATIVE_RESOURCES).issuperset(self._names)
        self._kind = kind
        self._nonzero = nonzero
        self._columns: PerNodes[C] = PerNodes(handle.snapshot)

    def of(self, requests: Mapping[str, int]) -> tuple[C, list[int]]:
        """Return the columns of the resources that count, and the pod's request of each.

        Scalar resources only count if the pod requests them.
        """
        names, of_devices = self._names, dict[str, Object]()
        if not self._are_native:
            names = tuple(
                [
                    name
                    for name in names
                    if name in NATIVE_RESOURCES or (requests.get(name) and is_scalar_resource(name))
                ]
            )
            classes = self._manager.classes_by_resource()
            of_devices = {name: classes[name] for name in names if name in classes}

        def make() -> C:
            counted = [spec for spec in self._specs if spec.name in names]
            columns = self._snapshot.resources
            indexes = [columns.index_of(spec.name) for spec in counted]
            special = {0: columns.nonzero_cpu, 1: columns.nonzero_memory} if self._nonzero else {}
            used = [special.get(index, columns.requested[index]) for index in indexes]
            allocatable = [columns.allocatable[index] for index in indexes]
            devices = []
            for place, spec in enumerate(counted):
                if spec.name in of_devices:
                    counts = self._manager.counts(name_of(of_devices[spec.name]))
                    mixed = DeviceColumns(counts, used[place], allocatable[place])
                    used[place], allocatable[place] = mixed.used, mixed.allocatable
                    devices.append(mixed)
            weights = [spec.weight for spec in counted]
            return self._kind(self._snapshot, used, allocatable, weights, devices)

        published = self._epochs[SLICE], self._epochs[CLASS]
        columns = self._columns.of((names, published if of_devices else None), make)
        columns.follow()
        return columns, [requests.get(name, 0) for name in names]
