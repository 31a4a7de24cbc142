"""The devices that drivers publish, and the pools that each node reaches (GatherPools of v1.36).

A pool appears to a node as a `PoolView`: its devices in slices that the node reaches, in order. As
upstream, a pool is of the latest generation among its slices; it is incomplete while slices are
missing, and invalid if its names or counters contradict each other. A node that reaches no slice
with devices of a pool sees the pool nonetheless if it has shared counters.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from podium.api.cel.device_selectors import Domains
from podium.api.cel.values import CelError, parse_semver
from podium.api.devices.resource_slices import (
    TAINT_EFFECTS,
    Device,
    DeviceKey,
    DeviceTaint,
    PoolKey,
    ResourceSlice,
    SliceSpec,
    qualified,
)
from podium.api.selectors.node_selector import NodeSelector, node_selector
from podium.api.values.quantity import nanos, parse_quantity
from podium.scheduler.devices.capacities import CapacityRules, capacity_rules
from podium.scheduler.snapshot.arrays import Mask, Rows
from podium.scheduler.snapshot.snapshot import Snapshot

_encode = msgspec.json.Encoder().encode

Counters = Mapping[tuple[str, str], int]
"""Nanos by counter set and counter."""


class DeviceAmounts(msgspec.Struct, frozen=True, eq=False):
    """What a device consumes and has; devices with equal amounts share it."""

    counters: Counters
    """What the device consumes of its pool's counters."""
    capacities: Mapping[str, CapacityRules]
    """The device's capacities by name."""
    key: bytes
    """A value to compare, equal for equal amounts."""

    @property
    def has_policies(self) -> bool:
        """Whether requests for some capacity are rounded or limited."""
        return any(rules.has_policy for rules in self.capacities.values())


class PublishedDevice:
    """A device of a slice, with what is computed of it once."""

    __slots__ = (
        "_for_selectors",
        "amounts",
        "device",
        "is_shared",
        "key",
        "needs_capacity_check",
        "number",
        "spec",
        "taints",
    )

    def __init__(
        self, number: int, device: Device, spec: SliceSpec, amounts: DeviceAmounts
    ) -> None:
        self.number = number
        """Index among all published devices."""
        self.device = device
        self.spec = spec
        self.amounts = amounts
        self.key: DeviceKey = (spec.driver, spec.pool.name, device.name)
        self.is_shared = bool(device.allow_multiple_allocations)
        """Whether the device may be allocated several times."""
        self.needs_capacity_check = self.is_shared or amounts.has_policies
        """Whether a claim that requests no amounts may find too little capacity."""
        self.taints: tuple[DeviceTaint, ...] = ()
        """The taints that keep claims off the device."""
        if device.taints:
            self.taints = tuple(taint for taint in device.taints if taint.effect in TAINT_EFFECTS)
        self._for_selectors: Mapping[str, Any] | None = None

    @property
    def for_selectors(self) -> Mapping[str, Any]:
        """The device as CEL expressions see it; raises CelError."""
        if self._for_selectors is None:
            self._for_selectors = self._as_selectors_see_it()
        return self._for_selectors

    def _as_selectors_see_it(self) -> Mapping[str, Any]:
        driver = self.spec.driver
        attributes, capacity = Domains(), Domains()
        for full_name, attribute in (self.device.attributes or {}).items():
            typed = attribute.typed
            if typed is None:
                raise CelError(f"attribute {full_name}: unsupported attribute value")
            kind, value = typed
            domain, name = qualified(full_name, driver)
            read = parse_semver(str(value)) if kind == "version" else value
            attributes.setdefault(domain, {})[name] = read
        for full_name, amount in (self.device.capacity or {}).items():
            domain, name = qualified(full_name, driver)
            capacity.setdefault(domain, {})[name] = parse_quantity(amount.value)
        return {
            "driver": driver,
            "allowMultipleAllocations": self.is_shared,
            "attributes": attributes,
            "capacity": capacity,
        }


class PoolView(msgspec.Struct, frozen=True, eq=False):
    """A pool as some nodes see it."""

    number: int
    key: PoolKey
    devices: tuple[PublishedDevice, ...] = ()
    """The devices of slices that the nodes reach, in the order of allocation."""
    unmatched: frozenset[int] = frozenset()
    """Positions of devices that select other nodes themselves."""
    elsewhere: tuple[PublishedDevice, ...] = ()
    """Devices of slices that the nodes don't reach, which consume the same counters."""
    counters: Counters = msgspec.field(default_factory=dict)
    binds_late: bool = False
    """Whether the pool has devices with binding conditions, so that it comes last."""
    is_incomplete: bool = False
    fault: str = ""
    """Why the pool is invalid; empty if it is valid."""

    @property
    def order(self) -> tuple[bool, PoolKey]:
        """The key by which a node's pools are sorted."""
        return self.binds_late, self.key

    @property
    def id_text(self) -> str:
        """The pool's driver and name, as messages have it."""
        return "/".join(self.key)


class PublishedDevices:
    """All published devices, and the pools that each node reaches."""

    def __init__(self, snapshot: Snapshot, slices: Iterable[ResourceSlice]) -> None:
        self._snapshot = snapshot
        self.devices: list[PublishedDevice] = []
        """All devices of slices, by number."""
        self.views: list[PoolView] = []
        """All views of pools, by number."""
        self.rows_of: list[Sequence[int]] = []
        """By view, the rows of the nodes that have it."""
        self.error = ""
        """Why nodes can't be selected for some slice, so that nothing can be allocated."""
        self._reach: dict[int, Mask] = {}
        self._amounts: dict[bytes, DeviceAmounts] = {}
        pools: dict[PoolKey, list[_Slice]] = defaultdict(list)
        for published in slices:
            pools[published.spec.pool_key].append(self._numbered(published))
        found: list[list[PoolView]] = [[] for _ in range(snapshot.node_count)]
        for key, of_pool in pools.items():
            for relevant, rows in self._groups(of_pool):
                view = self._view(key, relevant, of_pool)
                if view is None:
                    continue
                self.views.append(view)
                self.rows_of.append(rows)
                for row in rows:
                    found[row].append(view)
        self.views_of: list[tuple[PoolView, ...]] = [
            tuple(sorted(views, key=lambda view: view.order)) for views in found
        ]
        """By row, the node's views in the order of allocation."""

    def rows_reaching(self, device: PublishedDevice) -> Rows:
        """Return the rows of the nodes that reach a device, int[n]."""
        chooser = device.device if device.spec.per_device_node_selection else device.spec
        if chooser.node_name:
            row = self._snapshot.row_of.get(chooser.node_name)
            return np.array([] if row is None else [row], np.intp)
        if chooser.all_nodes:
            return self._snapshot.rows
        if chooser.node_selector is None:
            return np.array([], np.intp)
        return np.flatnonzero(self._selected(chooser.node_selector))

    def _numbered(self, published: ResourceSlice) -> "_Slice":
        first, spec = len(self.devices), published.spec
        listed = tuple(
            PublishedDevice(first + index, device, spec, self._amounts_of(device))
            for index, device in enumerate(spec.devices or ())
        )
        self.devices += listed
        return _Slice(published.name, spec, listed)

    def _amounts_of(self, device: Device) -> DeviceAmounts:
        key = _encode((device.capacity, device.consumes_counters))
        known = self._amounts.get(key)
        if known is None:
            taken: dict[tuple[str, str], int] = defaultdict(int)
            for consumed in device.consumes_counters or ():
                for name, counter in (consumed.counters or {}).items():
                    taken[consumed.counter_set, name] += nanos(counter.value)
            known = self._amounts[key] = DeviceAmounts(taken, capacity_rules(device), key)
        return known

    def _groups(self, of_pool: Sequence["_Slice"]) -> Iterable[tuple["_Reached", Sequence[int]]]:
        """Group the rows by what of a pool they reach: slices, and devices that select nodes."""
        named: dict[int, set[_Element]] = defaultdict(set)
        broad: list[tuple[_Element, Mask | None]] = []
        for number, part in enumerate(of_pool):
            spec, element = part.spec, (number, -1)
            if spec.shared_counters:
                broad.append((element, None))
            elif spec.node_name or spec.all_nodes or spec.node_selector is not None:
                self._reaching(element, spec, named, broad)
            elif spec.per_device_node_selection:
                for position, device in enumerate(part.devices):
                    self._reaching((number, position), device.device, named, broad)
        return self._grouped(named, broad)

    def _reaching(
        self,
        element: "_Element",
        chooser: SliceSpec | Device,
        named: dict[int, set["_Element"]],
        broad: list[tuple["_Element", Mask | None]],
    ) -> None:
        """Note which rows a slice or device selects (NodeMatches)."""
        if chooser.node_name:
            row = self._snapshot.row_of.get(chooser.node_name)
            if row is not None:
                named[row].add(element)
        elif chooser.all_nodes:
            broad.append((element, None))
        elif chooser.node_selector is not None:
            mask = self._selected(chooser.node_selector)
            if mask.any():
                broad.append((element, mask))

    def _selected(self, raw: dict[str, Any]) -> Mask:
        known = self._reach.get(id(raw))
        if known is None:
            selector: NodeSelector = node_selector(raw)
            if selector.errors:
                self.error = f"failed to parse node selector: {selector.errors[0]}"
            known = self._reach[id(raw)] = self._snapshot.columns.matching(selector)
        return known

    def _grouped(
        self,
        named: Mapping[int, set["_Element"]],
        broad: Sequence[tuple["_Element", Mask | None]],
    ) -> Iterable[tuple["_Reached", Sequence[int]]]:
        everywhere = frozenset(element for element, mask in broad if mask is None)
        masks = [(element, mask) for element, mask in broad if mask is not None]
        groups: dict[_Reached, list[int]] = defaultdict(list)
        for row, elements in named.items():
            here = {element for element, mask in masks if mask[row]}
            groups[everywhere | elements | here].append(row)
        if everywhere or masks:
            of_row = np.zeros(self._snapshot.node_count, np.int64)
            for _, mask in masks:
                of_row = np.unique(2 * of_row + mask, return_inverse=True)[1]
            of_row[list(named)] = -1
            for group in np.unique(of_row[of_row >= 0]).tolist():
                rows = np.flatnonzero(of_row == group).tolist()
                here = {element for element, mask in masks if mask[rows[0]]}
                if everywhere or here:
                    groups[everywhere | here] += rows
        return groups.items()

    def _view(
        self, key: PoolKey, reached: "_Reached", of_pool: Sequence["_Slice"]
    ) -> PoolView | None:
        """Return the view of nodes that reach these slices; None if it has nothing to say."""
        numbers = sorted({number for number, _ in reached})
        generation = max(of_pool[number].spec.pool.generation for number in numbers)
        here = [n for n in numbers if of_pool[n].spec.pool.generation == generation]
        listed = sorted((of_pool[n] for n in here), key=lambda part: part.name)
        count = listed[0].spec.pool.resource_slice_count
        whole: Sequence[_Slice] = listed
        if len(listed) != count:
            generations = [part.spec.pool.generation for part in of_pool]
            if max(generations) > generation:
                # The driver is replacing the pool, and its new slices select other nodes.
                return None
            whole = [part for part in of_pool if part.spec.pool.generation == generation]
            if len(whole) != count:
                return PoolView(len(self.views), key, is_incomplete=True)
        with_devices = [part for part in listed if not part.spec.shared_counters]
        elsewhere = [part for part in whole if part not in listed]
        fault, counters = _checked(listed, with_devices, elsewhere)
        if fault:
            return PoolView(len(self.views), key, fault=fault)
        devices = tuple(chain.from_iterable(part.devices for part in with_devices))
        if not devices:
            return None
        matched = {of_pool[n].devices[at].number for n, at in reached if at >= 0}
        unmatched = (
            position
            for position, device in enumerate(devices)
            if device.spec.per_device_node_selection and device.number not in matched
        )
        return PoolView(
            len(self.views),
            key,
            devices,
            frozenset(unmatched),
            tuple(chain.from_iterable(part.devices for part in elsewhere)),
            counters,
            any(device.device.binding_conditions is not None for device in devices),
        )


_Element = tuple[int, int]
# A slice of a pool by its number, and -1, or the position of a device that selects nodes itself.
_Reached = frozenset[_Element]


class _Slice(msgspec.Struct, frozen=True, eq=False):
    name: str
    spec: SliceSpec
    devices: tuple[PublishedDevice, ...]


def _checked(
    listed: Sequence[_Slice], with_devices: Sequence[_Slice], elsewhere: Sequence[_Slice]
) -> tuple[str, dict[tuple[str, str], int]]:
    """Return why a pool is invalid, if it is, and its counters."""
    counters: dict[tuple[str, str], int] = {}
    names: set[str] = set()
    for device in chain.from_iterable(part.devices for part in with_devices):
        if device.device.name in names:
            return f"duplicate device name {device.device.name}", counters
        names.add(device.device.name)
    sets: set[str] = set()
    for shared in chain.from_iterable(part.spec.shared_counters or () for part in listed):
        if shared.name in sets:
            return f"duplicate counter set name {shared.name}", counters
        sets.add(shared.name)
        for name, counter in (shared.counters or {}).items():
            counters[shared.name, name] = nanos(counter.value)
    for device in chain.from_iterable(part.devices for part in (*listed, *elsewhere)):
        for consumed in device.device.consumes_counters or ():
            if consumed.counter_set not in sets:
                return f"counter set {consumed.counter_set} not found", counters
            for name in consumed.counters or {}:
                if (consumed.counter_set, name) not in counters:
                    where = f"in counter set {consumed.counter_set}"
                    return f"counter {name} not found {where}", counters
    return "", counters
