"""The devices that become free when pods go: the claims of these pods are deallocated then."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from podium.api.devices.resource_claims import (
    AllocatedDevice,
    allocated_devices,
    allocation_of,
    known_claim_names,
    reserved_for,
)
from podium.api.devices.resource_slices import DeviceKey
from podium.api.objects import Object, part, status_of
from podium.api.values.quantity import nanos
from podium.scheduler.devices.allocated_devices import CLAIM, AllocatedDevices
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo

PLUGIN = "DynamicResources"
"""The plugin that keeps pods off nodes whose devices aren't free."""


def freed_devices(listers: Listers, gone: Collection[PodInfo]) -> list[AllocatedDevice]:
    """Return the devices of the claims that are reserved for no other than these pods."""
    gone_uids = {pod.uid for pod in gone}
    found: dict[tuple[str, str], list[AllocatedDevice]] = {}
    for pod in gone:
        for claim_name in _claim_names(pod):
            claim = listers.get(CLAIM, claim_name, pod.namespace)
            if claim is not None and gone_uids.issuperset(reserved_for(claim)):
                found[pod.namespace, claim_name] = _devices(claim)
    return [device for devices in found.values() for device in devices]


def abandoned_devices(listers: Listers, placed: Collection[str]) -> list[AllocatedDevice]:
    """Return the devices of the claims that are reserved for none of the pods with these uids."""
    claims = (one for one in listers.list(CLAIM) if allocation_of(one) is not None)
    left = (one for one in claims if not any(uid in placed for uid in reserved_for(one)))
    return [device for claim in left for device in _devices(claim)]


class RemainingDevices:
    """Allocated devices, except for some that are about to become free."""

    def __init__(self, allocated: AllocatedDevices, freed: Iterable[AllocatedDevice]) -> None:
        self._allocated = allocated
        self._freed: set[DeviceKey] = set()
        self._shares: Counter[DeviceKey] = Counter()
        self._returned: dict[DeviceKey, Counter[str]] = defaultdict(Counter)
        for device in freed:
            if device.share_id is None:
                self._freed.add(device.key)
                continue
            self._shares[device.key] += 1
            for name, amount in (device.consumed_capacity or {}).items():
                self._returned[device.key][name] += nanos(amount)

    def is_whole(self, device: DeviceKey) -> bool:
        return device not in self._freed and self._allocated.is_whole(device)

    def is_allocated(self, device: DeviceKey) -> bool:
        has_shares = self._allocated.share_count(device) > self._shares[device]
        return has_shares or self.is_whole(device)

    def consumed(self, device: DeviceKey) -> Mapping[str, int]:
        consumed = self._allocated.consumed(device)
        if device not in self._returned:
            return consumed
        left = {name: held - self._returned[device][name] for name, held in consumed.items()}
        return left if any(left.values()) else {}


def _claim_names(pod: PodInfo) -> Iterator[str]:
    for claim_key in known_claim_names(pod.obj):
        yield claim_key.partition("/")[2]
    extended = part(status_of(pod.obj), "extendedResourceClaimStatus").get("resourceClaimName")
    if extended:
        yield extended


def _devices(claim: Object) -> list[AllocatedDevice]:
    # Devices of `adminAccess` aren't kept from others.
    return [one for one in allocated_devices(allocation_of(claim)) if not one.admin_access]
