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
from podium.api.objects import Object, entries, is_terminating, part, uid
from podium.api.selectors.node_selector import NAME_FIELD
from podium.api.values.quantity import nanos
from podium.scheduler.devices.allocated_devices import CLAIM, AllocatedDevices
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo

PLUGIN = "DynamicResources"
"""The plugin that keeps pods off nodes whose devices aren't free."""


def freed_claims(allocated: AllocatedDevices, gone: Iterable[PodInfo]) -> Iterator[Object]:
    """Yield the allocated claims that are reserved for no other than these pods."""
    pods = {pod.uid: pod for pod in gone}
    claims = (claim for pod in pods.values() for claim in known_claims(allocated.listers, pod))
    for claim in {uid(claim): claim for claim in claims}.values():
        if allocation_of(claim) is not None and pods.keys() >= {*reserved_for(claim)}:
            yield claim


def freed_devices(allocated: AllocatedDevices, gone: Collection[PodInfo]) -> list[AllocatedDevice]:
    """Return the devices that become free when pods go, and others don't use them as well."""
    found = {uid(claim): _devices(claim) for claim in freed_claims(allocated, gone)}
    for claim_uid, devices in allocated.under_way({pod.uid for pod in gone}):
        found.setdefault(claim_uid, _kept(devices))
    return [device for devices in found.values() for device in devices]


def abandoned_devices(
    allocated: AllocatedDevices, placed: Collection[str]
) -> list[AllocatedDevice]:
    """Return the devices of claims about to be deallocated: none of their pods is left.

    A claim that has never been reserved keeps its allocation.

    Args:
        placed: uids of the pods on nodes.
    """
    claims = (obj for obj in allocated.listers.list(CLAIM) if allocation_of(obj) is not None)
    used = (claim for claim in claims if reserved_for(claim) or is_terminating(claim))
    left = (claim for claim in used if not any(user in placed for user in reserved_for(claim)))
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


def known_claims(listers: Listers, pod: PodInfo) -> Iterator[Object]:
    """Yield a pod's claims that exist, also the one for extended resources."""
    for claim_key in known_claim_names(pod.obj):
        claim = listers.get(CLAIM, claim_key.partition("/")[2], pod.namespace)
        if claim is not None:
            yield claim


def reaches_several_nodes(claim: Object) -> bool:
    """Whether a claim is allocated, and its devices aren't those of a single node."""
    allocation = allocation_of(claim)
    terms = entries(part(allocation or {}, "nodeSelector"), "nodeSelectorTerms")
    is_local = any(
        field.get("key") == NAME_FIELD for t in terms for field in entries(t, "matchFields")
    )
    return allocation is not None and not is_local


def _devices(claim: Object) -> list[AllocatedDevice]:
    return _kept(allocated_devices(allocation_of(claim)))


def _kept(devices: Iterable[AllocatedDevice]) -> list[AllocatedDevice]:
    # Devices of `adminAccess` aren't kept from others.
    return [device for device in devices if not device.admin_access]
