"""Shapes of nodes: nodes of one shape get equal answers, so that one is asked for all of them.

A node's shape is everything about its devices that an allocation depends on, except names: what
claims read of each device, its taints, counters and capacities, and what is allocated of it. Only
attributes that some claim has read tell devices apart. So a cluster of equal nodes has a shape for
each state of a node's devices.

Pools that few nodes reach are part of the shape. Those of many nodes are kept apart, as a group
with a state of its own: when a device of theirs is allocated, no node's shape has to be made again.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping
from itertools import count
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from podium.api.cel.device_selectors import Read
from podium.api.devices.resource_slices import (
    Attribute,
    DeviceKey,
    ResourceSlice,
    resource_slice,
)
from podium.api.objects import Object
from podium.scheduler.devices.allocated_devices import AllocatedDevices, DeviceState
from podium.scheduler.devices.published_devices import PoolView, PublishedDevice, PublishedDevices
from podium.scheduler.devices.selections import Selections
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.log import Log
from podium.scheduler.snapshot.snapshot import Snapshot

K = TypeVar("K", bound=Hashable)

SLICE = "ResourceSlice"
# Pools of more nodes than this are kept apart from the nodes' shapes.
_NODES_OF_POOL_MAX = 16
# Shapes that no node has any more are forgotten beyond this many for each node.
_SHAPES_PER_NODE_MAX = 8

Shape = tuple[int, int]
"""A node's shape, and the state of the pools that many nodes share with it."""


class _Numbers(Generic[K]):
    """A small number for each distinct value."""

    def __init__(self) -> None:
        self._numbers: defaultdict[K, int] = defaultdict(count().__next__)

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, value: K) -> int:
        return self._numbers[value]


class NodeShapes:
    """The shapes of nodes, kept up to date."""

    def __init__(self, snapshot: Snapshot, listers: Listers, allocated: AllocatedDevices) -> None:
        self._snapshot = snapshot
        self._listers = listers
        self._allocated = allocated
        self._read: dict[str, tuple[Object, ResourceSlice]] = {}
        self._epoch: tuple[int, int] = (-1, -1)
        self._reads: set[Read] | None = set()
        self.generation = 0
        """Raised when all shapes are made again, and older ones mean nothing."""
        self.states = 0
        """Raised when the state of a pool of many nodes changes."""
        self.changes: Log[int] = Log()
        """The rows whose shape changed."""
        self._allocations = allocated.changes.cursor()
        self.published = PublishedDevices(snapshot, ())
        self.selections = Selections()
        """Results of selectors by what claims have read of devices."""
        self.shape_of: NDArray[np.int64] = np.zeros(0, np.int64)
        """int64[nodes], the shape of each row."""

    def follow(self, reads: frozenset[Read] | None) -> None:
        """Bring shapes up to date; `reads` is what the next claims read, None for anything."""
        self._allocated.follow()
        epoch = self._snapshot.node_epoch, self._listers.epochs[SLICE]
        is_wider = self._reads is not None and (reads is None or not reads <= self._reads)
        if is_wider:
            self._reads = None if reads is None or self._reads is None else self._reads | reads
        changed = self._allocations.new()
        if epoch != self._epoch:
            self._epoch = epoch
            self._publish()
            self._make()
        elif is_wider or changed is None or self._is_crowded():
            self._make()
        else:
            for device in changed:
                self._device_changed(device)

    def shape(self, row: int) -> Shape:
        """Return the shape of a row's node."""
        shape = int(self.shape_of[row])
        return shape, self._group_state(self._group_of[row])

    def shapes(self) -> dict[int, int]:
        """Return the distinct numbers of shapes, each with a row that has it."""
        shape_of = {}
        for number in np.flatnonzero(np.bincount(self.shape_of)).tolist():
            row = self._row_with.get(number, -1)
            if row < 0 or self.shape_of[row] != number:
                row = self._row_with[number] = int((self.shape_of == number).argmax())
            shape_of[number] = row
        return shape_of

    def _publish(self) -> None:
        read = {}
        for obj in self._listers.list(SLICE):
            known = self._read.get(obj["metadata"]["name"])
            same = known is not None and known[0] is obj
            read[obj["metadata"]["name"]] = known if same and known else (obj, resource_slice(obj))
        self._read = read
        self.published = PublishedDevices(self._snapshot, (one for _, one in read.values()))

    def _make(self) -> None:
        published = self.published
        self.generation += 1
        self.changes.restart()
        contents: _Numbers[Hashable] = _Numbers()
        kinds: _Numbers[Hashable] = _Numbers()
        content_of = [contents.of(self._content(device)) for device in published.devices]
        self.selections = Selections(content_of)
        self._kinds = [
            kinds.of((content, _searched(device)))
            for content, device in zip(content_of, published.devices, strict=True)
        ]
        self._row_with: dict[int, int] = {}
        self._view_numbers: _Numbers[Hashable] = _Numbers()
        self._shape_numbers: _Numbers[Hashable] = _Numbers()
        self._statics: list[Hashable] = [self._static(view) for view in published.views]
        self._states: list[list[DeviceState]] = []
        self._places: dict[DeviceKey, list[tuple[int, int]]] = defaultdict(list)
        for view in published.views:
            # Devices elsewhere concern a node only by the counters that they consume.
            listed = (*view.devices, *(view.elsewhere if view.counters else ()))
            for position, device in enumerate(listed):
                self._places[device.key].append((view.number, position))
            self._states.append([self._allocated.state(device.key) for device in listed])
        self._view_states = [self._view_state(number) for number in range(len(published.views))]
        self._is_shared = [len(rows) > _NODES_OF_POOL_MAX for rows in published.rows_of]
        groups: _Numbers[tuple[int, ...]] = _Numbers()
        self._groups: list[tuple[int, ...]] = []
        self._group_of: list[int] = []
        self._layouts: list[tuple[int, Hashable, tuple[int, ...]]] = []
        self._group_states: dict[int, tuple[int, int]] = {}
        self._group_numbers: _Numbers[tuple[int, ...]] = _Numbers()
        for views in published.views_of:
            shared = tuple(view.number for view in views if self._is_shared[view.number])
            own = tuple(view.number for view in views if not self._is_shared[view.number])
            group = groups.of(shared)
            if group == len(self._groups):
                self._groups.append(shared)
            self._group_of.append(group)
            names = [view.key[1] for view in views]
            layout = tuple((names.index(v.key[1]), self._is_shared[v.number]) for v in views)
            self._layouts.append((group, layout, own))
        rows = len(published.views_of)
        self.shape_of = np.fromiter(map(self._shape, range(rows)), np.int64, rows)

    def _shape(self, row: int) -> int:
        group, layout, own = self._layouts[row]
        return self._shape_numbers.of(
            (group, layout, tuple(map(self._view_states.__getitem__, own)))
        )

    def _group_state(self, group: int) -> int:
        known = self._group_states.get(group)
        if known is None or known[0] != self.states:
            of_views = tuple(self._view_states[view] for view in self._groups[group])
            known = self._group_states[group] = (self.states, self._group_numbers.of(of_views))
        return known[1]

    def _static(self, view: PoolView) -> Hashable:
        return (
            view.key[0],
            view.is_incomplete,
            bool(view.fault),
            view.unmatched,
            tuple(self._kinds[device.number] for device in view.devices),
            tuple(sorted(view.counters.items())),
            tuple(self._kinds[device.number] for device in view.elsewhere if view.counters),
        )

    def _view_state(self, number: int) -> int:
        return self._view_numbers.of((self._statics[number], tuple(self._states[number])))

    def _device_changed(self, device: DeviceKey) -> None:
        state = self._allocated.state(device)
        for view, position in self._places.get(device, ()):
            states = self._states[view]
            if states[position] == state:
                continue
            states[position] = state
            self._view_states[view] = self._view_state(view)
            if self._is_shared[view]:
                self.states += 1
                continue
            for row in self.published.rows_of[view]:
                self.shape_of[row] = self._shape(row)
                self.changes.append(row)

    def _is_crowded(self) -> bool:
        limit = _SHAPES_PER_NODE_MAX * max(len(self.shape_of), 1_000)
        return max(len(self._shape_numbers), len(self._group_numbers)) > limit

    def _content(self, device: PublishedDevice) -> Hashable:
        """Return what claims have read of a device, as a value to compare."""
        attributes, capacity = device.device.attributes or {}, device.device.capacity or {}
        driver = device.spec.driver
        is_readable = all(attribute.typed is not None for attribute in attributes.values())
        if self._reads is None:
            read: list[Any] = [
                sorted((name, attribute.typed) for name, attribute in attributes.items())
                if is_readable
                else sorted(attributes),
                sorted((name, amount.value) for name, amount in capacity.items()),
            ]
            return driver, device.is_shared, is_readable, tuple(map(tuple, read))
        values = tuple(
            _value(attributes if kind == "attributes" else capacity, driver, *named)
            for kind, *named in sorted(self._reads)
            if named
        )
        return driver, device.is_shared, is_readable, values


def _value(named: Mapping[str, Any], driver: str, domain: str, name: str) -> Hashable:
    # An attribute may have both forms of its name; selectors see one, and constraints the other.
    found = (named.get(f"{domain}/{name}"), named.get(name) if domain == driver else None)
    return tuple(
        one.typed if isinstance(one, Attribute) else (None if one is None else str(one.value))
        for one in found
    )


def _searched(device: PublishedDevice) -> Hashable:
    """Return what a search reads of a device besides its attributes, as a value to compare."""
    return device.taints, device.amounts.key
