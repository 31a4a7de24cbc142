"""Allocated devices: those of claims as the API has them, and of claims in flight.

A claim is in flight from its pod's Reserve until its allocation is written. As upstream, devices of
`adminAccess` don't count, and shares of a device count by their consumed capacity.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import Any, Protocol

import msgspec

from podium.api.devices.resource_claims import (
    AllocatedDevice,
    allocated_devices,
    allocation_of,
    is_for_extended_resources,
)
from podium.api.devices.resource_slices import DeviceKey
from podium.api.objects import Object, Place, controller_uid
from podium.api.values.quantity import nanos
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.log import Log

CLAIM = "ResourceClaim"
_NOTHING: Mapping[str, int] = {}

DeviceState = int | tuple[bool, int, tuple[tuple[str, int], ...]]
"""What is allocated of a device: 0 for nothing, 1 for the whole device, or whether the whole device
is, how many shares of it are, and the consumed capacity."""

FREE = 0


class DeviceUse(Protocol):
    """What an allocation has to know of the devices that are allocated already."""

    def is_whole(self, device: DeviceKey) -> bool:
        """Return whether a whole device is allocated, rather than a share of it."""
        ...

    def is_allocated(self, device: DeviceKey) -> bool:
        """Return whether anything of a device is allocated."""
        ...

    def consumed(self, device: DeviceKey) -> Mapping[str, int]:
        """Return the consumed capacity of a device, in nanos by name."""
        ...


class InFlight(msgspec.Struct, frozen=True, eq=False):
    """An allocation between its pod's Reserve and its write to the API."""

    allocation: dict[str, Any]
    devices: tuple[AllocatedDevice, ...]
    gang: Hashable
    """The PodGroup whose pods share the claim already; None if its pod belongs to none."""
    pods: set[str]
    """Uids of the pods that have reserved the claim."""


class AllocatedDevices:
    """Allocated devices, updated from the log of claims."""

    def __init__(self, listers: Listers) -> None:
        self.listers = listers
        self._claims = listers.claims.cursor()
        self.changes: Log[DeviceKey] = Log()
        """The devices whose state changed; restarted when all may have."""
        self.flights = 0
        """The number of times that a claim began or ceased to be in flight."""
        self.extended_resources: dict[str, Object] = {}
        """By uid of a pod, the claim that stands for its extended resources."""
        self._pod_of: dict[Place, str] = {}
        self._known: dict[Place, tuple[AllocatedDevice, ...]] = {}
        self._in_flight: dict[str, InFlight] = {}
        self._whole: set[DeviceKey] = set()
        self._whole_in_flight: Counter[DeviceKey] = Counter()
        self._shares: Counter[DeviceKey] = Counter()
        self._consumed: dict[DeviceKey, Counter[str]] = defaultdict(Counter)
        self._read_all()

    def follow(self) -> None:
        """Apply what has happened to claims."""
        changed = self._claims.new()
        if changed is None:
            self._read_all()
            return
        for place in changed:
            self._look(place)

    def is_whole(self, device: DeviceKey) -> bool:
        return device in self._whole or device in self._whole_in_flight

    def is_allocated(self, device: DeviceKey) -> bool:
        return self.is_whole(device) or device in self._shares or device in self._consumed

    def consumed(self, device: DeviceKey) -> Mapping[str, int]:
        return self._consumed.get(device, _NOTHING)

    def share_count(self, device: DeviceKey) -> int:
        """Return how many shares of a device are allocated."""
        return self._shares[device]

    def state(self, device: DeviceKey) -> DeviceState:
        """Return what is allocated of a device, as a value to compare."""
        is_whole = self.is_whole(device)
        if device not in self._shares and device not in self._consumed:
            return 1 if is_whole else FREE
        return is_whole, self._shares[device], tuple(sorted(self.consumed(device).items()))

    def in_flight(self, claim_uid: str) -> InFlight | None:
        """Return the allocation of a claim in flight; None if the claim isn't."""
        return self._in_flight.get(claim_uid)

    def under_way(
        self, pod_uids: Collection[str]
    ) -> Iterator[tuple[str, Iterable[AllocatedDevice]]]:
        """Yield uid and devices of the claims in flight for no other than these pods."""
        for claim_uid, flight in self._in_flight.items():
            if flight.pods.issubset(pod_uids):
                yield claim_uid, flight.devices

    def begin(
        self, claim_uid: str, allocation: dict[str, Any], pod_uid: str, gang: Hashable
    ) -> None:
        """Reserve an allocation for a pod, which puts the claim in flight unless it is already."""
        known = self._in_flight.get(claim_uid)
        if known is not None:
            known.pods.add(pod_uid)
            return
        self.flights += 1
        devices = allocated_devices(allocation)
        self._in_flight[claim_uid] = InFlight(allocation, devices, gang, {pod_uid})
        for device in devices:
            if device.admin_access:
                continue
            if device.share_id is None:
                self._whole_in_flight[device.key] += 1
                self.changes.append(device.key)
            else:
                self._share(device, 1)

    def end(self, claim_uid: str, pod_uid: str) -> None:
        """End the reservation of a pod, and with the last one the flight of the claim, if any."""
        known = self._in_flight.get(claim_uid)
        if known is not None:
            known.pods.discard(pod_uid)
            if not known.pods:
                self.land(claim_uid)

    def land(self, claim_uid: str) -> None:
        """End the flight of a claim, if any."""
        flight = self._in_flight.pop(claim_uid, None)
        if flight is None:
            return
        self.flights += 1
        for device in flight.devices:
            if device.admin_access:
                continue
            if device.share_id is not None:
                self._share(device, -1)
                continue
            self._whole_in_flight[device.key] -= 1
            if not self._whole_in_flight[device.key]:
                del self._whole_in_flight[device.key]
            self.changes.append(device.key)

    def _read_all(self) -> None:
        self._known.clear()
        self.extended_resources.clear()
        self._whole.clear()
        self._shares.clear()
        self._consumed.clear()
        for flight in self._in_flight.values():
            for device in flight.devices:
                if device.share_id is not None and not device.admin_access:
                    self._share(device, 1)
        for claim in self.listers.list(CLAIM):
            metadata = claim["metadata"]
            self._look((metadata.get("namespace") or "default", metadata["name"]))
        self.changes.restart()

    def _look(self, place: Place) -> None:
        namespace, claim_name = place
        claim = self.listers.get(CLAIM, claim_name, namespace)
        allocation = None if claim is None else allocation_of(claim)
        known = self._known.get(place)
        self._note_extended(place, claim)
        # An allocation never changes but to none.
        if known is not None and allocation is None:
            self._count(self._known.pop(place), -1)
        elif known is None and allocation is not None:
            self._known[place] = devices = allocated_devices(allocation)
            self._count(devices, 1)

    def _note_extended(self, place: Place, claim: Object | None) -> None:
        if claim is not None and is_for_extended_resources(claim):
            self._pod_of[place] = controller_uid(claim)
            self.extended_resources[controller_uid(claim)] = claim
        elif place in self._pod_of:
            self.extended_resources.pop(self._pod_of.pop(place), None)

    def _count(self, devices: Iterable[AllocatedDevice], sign: int) -> None:
        for device in devices:
            if device.admin_access:
                continue
            if device.share_id is not None:
                self._share(device, sign)
                continue
            # A set, as upstream: a device of two claims is free when one of them lets it go.
            self._whole.add(device.key) if sign > 0 else self._whole.discard(device.key)
            self.changes.append(device.key)

    def _share(self, device: AllocatedDevice, sign: int) -> None:
        key = device.key
        self._shares[key] += sign
        if not self._shares[key]:
            del self._shares[key]
        if device.consumed_capacity is not None:
            consumed = self._consumed[key]
            for name, amount in device.consumed_capacity.items():
                consumed[name] += sign * nanos(amount)
            if sign < 0 and not any(consumed.values()):
                del self._consumed[key]
        self.changes.append(key)
