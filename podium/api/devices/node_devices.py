"""Devices of nodes in numbers that can be added up: how many there are, and what pods have of them.

A device counts as one. Devices that consume counters count as their share of these, so that a GPU
counts as one however it is partitioned. What a claim has of a shared device is the share of the
capacity that it consumes, and pods that use one claim have equal parts of it. Devices that more
than one node may reach, and those allocated with `adminAccess`, don't count.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from podium.api.devices.resource_claims import (
    AllocatedDevice,
    allocated_devices,
    allocation_of,
    reserved_for,
)
from podium.api.devices.resource_slices import Capacity, Device, PoolKey, SliceSpec, resource_slice
from podium.api.objects import Object, key, name
from podium.api.values.quantity import nanos

Amounts = dict[str, float]
"""Numbers of devices by driver."""

_DIGITS = 6


class NodeDevices:
    """Devices of each node and of each pod, kept up to date with slices and claims."""

    def __init__(self) -> None:
        self._slices: dict[str, SliceSpec] = {}
        self._slices_in: dict[PoolKey, set[str]] = defaultdict(set)
        self._pools: dict[PoolKey, _Pool] = {}
        self._pools_on: dict[str, set[PoolKey]] = defaultdict(set)
        self._claims: dict[str, _Claim] = {}
        self._claims_in: dict[PoolKey, set[str]] = defaultdict(set)
        self._claims_of: dict[str, set[str]] = defaultdict(set)
        self._stale: set[PoolKey] = set()
        self._nodes: set[str] = set()
        self._pods: set[str] = set()

    def put(self, kind: str, obj: Object, *, is_gone: bool = False) -> None:
        """Take a new, changed or deleted ResourceSlice or ResourceClaim."""
        if kind == "ResourceSlice":
            self._put_slice(name(obj), None if is_gone else resource_slice(obj).spec)
            return
        devices = () if is_gone else allocated_devices(allocation_of(obj))
        counted = tuple(device for device in devices if not device.admin_access)
        claim = _Claim(counted, tuple(reserved_for(obj))) if counted else None
        self._put_claim(key(obj), claim)

    def take_changes(self) -> tuple[set[str], set[str]]:
        """Return the nodes and uids of pods whose amounts may have changed since the last call."""
        self._refresh()
        nodes, pods, self._nodes, self._pods = self._nodes, self._pods, set(), set()
        return nodes, pods

    def of_node(self, node: str) -> Amounts:
        """Return how many devices a node has."""
        self._refresh()
        pools = self._pools_on.get(node, ())
        return _summed((driver, self._pools[driver, pool].totals[node]) for driver, pool in pools)

    def of_pod(self, uid: str) -> Amounts:
        """Return what a pod has of the devices of nodes."""
        self._refresh()
        claims = [self._claims[claim] for claim in self._claims_of.get(uid, ())]
        return _summed(
            (device.driver, self._amount(device)[1] / len(claim.pods))
            for claim in claims
            for device in claim.devices
        )

    def unused(self, node: str) -> Amounts:
        """Return what claims that no pod uses have of a node's devices."""
        self._refresh()
        claims = {
            one for pool in self._pools_on.get(node, ()) for one in self._claims_in.get(pool, ())
        }
        return _summed(
            (device.driver, amount)
            for claim in map(self._claims.__getitem__, claims)
            if not claim.pods
            for device in claim.devices
            for where, amount in [self._amount(device)]
            if where == node
        )

    def _amount(self, device: AllocatedDevice) -> tuple[str, float]:
        pool = self._pools.get((device.driver, device.pool))
        sized = None if pool is None else pool.devices.get(device.device)
        if sized is None:
            return "", 0.0
        if device.share_id is None:
            return sized.node, sized.size
        consumed = device.consumed_capacity or {}
        shares = (_share(nanos(n), sized.capacity.get(one)) for one, n in consumed.items())
        return sized.node, sized.size * max(shares, default=0.0)

    def _put_slice(self, slice_name: str, spec: SliceSpec | None) -> None:
        old = self._slices.pop(slice_name, None)
        if old is not None:
            self._slices_in[old.pool_key].discard(slice_name)
            self._stale.add(old.pool_key)
        if spec is not None:
            self._slices[slice_name] = spec
            self._slices_in[spec.pool_key].add(slice_name)
            self._stale.add(spec.pool_key)

    def _put_claim(self, claim_key: str, claim: "_Claim | None") -> None:
        old = self._claims.pop(claim_key, None)
        for one in filter(None, (old, claim)):
            self._pods.update(one.pods)
            if not one.pods:
                self._nodes.update(self._amount(device)[0] for device in one.devices)
        if old is not None:
            for pool in old.pools:
                self._claims_in[pool].discard(claim_key)
            for uid in old.pods:
                self._claims_of[uid].discard(claim_key)
                if not self._claims_of[uid]:
                    del self._claims_of[uid]
        if claim is not None:
            self._claims[claim_key] = claim
            for pool in claim.pools:
                self._claims_in[pool].add(claim_key)
            for uid in claim.pods:
                self._claims_of[uid].add(claim_key)

    def _refresh(self) -> None:
        stale, self._stale = self._stale, set()
        for pool in stale:
            old = self._pools.pop(pool, None)
            slices = [self._slices[one] for one in self._slices_in.get(pool, ())]
            new = self._pools[pool] = _pool(slices)
            for node in () if old is None else old.totals:
                self._pools_on[node].discard(pool)
            for node in new.totals:
                self._pools_on[node].add(pool)
            self._nodes |= new.totals.keys() | (old.totals.keys() if old is not None else ())
            for claim in self._claims_in.get(pool, ()):
                self._pods.update(self._claims[claim].pods)


class _Claim(msgspec.Struct, frozen=True):
    devices: tuple[AllocatedDevice, ...]
    pods: tuple[str, ...]

    @property
    def pools(self) -> set[PoolKey]:
        return {(device.driver, device.pool) for device in self.devices}


class _Sized(msgspec.Struct, frozen=True):
    node: str
    size: float
    capacity: Mapping[str, Capacity]


class _Pool(msgspec.Struct, frozen=True):
    devices: Mapping[str, _Sized]
    totals: Mapping[str, float]


def _pool(slices: Iterable[SliceSpec]) -> _Pool:
    listed = [*slices]
    latest = max((spec.pool.generation for spec in listed), default=0)
    listed = [spec for spec in listed if spec.pool.generation == latest]
    counters = {
        (shared.name, counter): nanos(amount.value)
        for spec in listed
        for shared in spec.shared_counters or ()
        for counter, amount in (shared.counters or {}).items()
    }
    devices: dict[str, _Sized] = {}
    totals: dict[str, float] = defaultdict(float)
    counted: set[tuple[str, str]] = set()
    for spec in listed:
        for device in spec.devices or ():
            node = spec.node_name or (device.node_name if spec.per_device_node_selection else "")
            if not node:
                continue
            devices[device.name] = _Sized(node, _size(device, counters), device.capacity or {})
            # Devices that share counters are parts of one.
            own = [(node, counter.counter_set) for counter in device.consumes_counters or ()]
            totals[node] += 1.0 - bool(own) + len({*own} - counted)
            counted.update(own)
    return _Pool(devices, totals)


def _size(device: Device, counters: Mapping[tuple[str, str], int]) -> float:
    size = 0.0
    for consumed in device.consumes_counters or ():
        size += max(
            (
                _part(nanos(amount.value), counters.get((consumed.counter_set, counter), 0))
                for counter, amount in (consumed.counters or {}).items()
            ),
            default=0.0,
        )
    return size if device.consumes_counters else 1.0


def _share(consumed: int, capacity: Capacity | None) -> float:
    return _part(consumed, 0 if capacity is None else nanos(capacity.value))


def _part(amount: int, whole: int) -> float:
    return amount / whole if whole else 0.0


def _summed(amounts: Iterable[tuple[str, float]]) -> Amounts:
    sums: Amounts = defaultdict(float)
    for driver, amount in amounts:
        sums[driver] += amount
    # Parts of devices add up to whole ones only nearly; in order, equal sums are written alike.
    rounded = {driver: round(sums[driver], _DIGITS) for driver in sorted(sums)}
    return {driver: amount for driver, amount in rounded.items() if amount}
