"""The devices that a pod's claims can't have on a node, each with the reason.

The allocator only says whether claims can be allocated. What is said here is read anew for the
nodes that are shown, device by device.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from podium.api.devices.resource_claims import (
    ALL,
    allocated_devices,
    allocation_of,
    reserved_for,
)
from podium.api.devices.resource_slices import DeviceKey, DeviceTaint, PoolKey, attribute_of
from podium.api.objects import Object, entries, name, namespace, part, spec_of, status_of
from podium.api.pods import scheduler_name_of
from podium.api.selectors.node_selector import node_selector
from podium.api.values.message_words import count, listed
from podium.api.well_known import REQUIRED
from podium.scheduler.devices.allocated_devices import CLAIM
from podium.scheduler.devices.claim_requests import ClaimRequests, Request
from podium.scheduler.devices.node_shapes import SLICE
from podium.scheduler.devices.pod_devices import Restriction, binding_progress
from podium.scheduler.devices.published_devices import PoolView, PublishedDevice
from podium.scheduler.explain.device_conditions import amount_text, unmet_capacity, unmet_selector
from podium.scheduler.explain.node_conditions import unmet_node_affinity
from podium.scheduler.plugins.dynamic_resources import DynamicResources
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo

_NAMED_MAX = 5


class Wanted(msgspec.Struct, frozen=True, eq=False):
    """A request of a claim that is to be allocated, and the devices of a node as it finds them."""

    claim_name: str
    """Of the claim."""
    request: Request
    usable: tuple[PublishedDevice, ...]
    """The devices that the request alone could have."""
    out: tuple[tuple[PublishedDevice, tuple[str, ...]], ...]
    """The other devices that its selectors select, each with the reasons."""
    unselected: Mapping[str, Sequence[PublishedDevice]]
    """By reason, the devices of its class that its own selectors don't select."""
    foreign: Mapping[str, Sequence[PublishedDevice]]
    """By reason, the devices that aren't of its class."""

    @property
    def is_met(self) -> bool:
        """Whether the devices suffice for the request alone."""
        if self.request.mode == ALL:
            return bool(self.usable) and not self.out
        return len(self.usable) >= self.request.count


class DeviceReader:
    """Reads from the objects of a scheduler what keeps claims from devices."""

    def __init__(self, scheduler: Scheduler, plugin: DynamicResources) -> None:
        self.plugin = plugin
        """The plugin that decides about devices."""
        self._snapshot = scheduler.snapshot
        self._allocated = plugin.devices.allocated
        self._pods = {pod.uid: pod for pods in self._snapshot.pods_on for pod in pods}
        self.holders: dict[DeviceKey, list[Object]] = defaultdict(list)
        """By device, the claims that have it allocated."""
        for claim in scheduler.listers.list(CLAIM):
            for device in allocated_devices(allocation_of(claim)):
                if not device.admin_access:
                    self.holders[device.key].append(claim)
        self._slices: dict[PoolKey, list[Object]] = defaultdict(list)
        for obj in scheduler.listers.list(SLICE):
            spec = spec_of(obj)
            self._slices[spec.get("driver", ""), part(spec, "pool").get("name", "")].append(obj)

    def details(self, pod: PodInfo, row: int) -> Iterator[str]:
        """Explain why a pod's claims can't be allocated, or used, on a row's node."""
        needs = self.plugin.needs(pod)
        for restriction in needs.restrictions:
            yield from self._unreached(restriction, row)
        if needs.extended is not None and needs.extended.stale is not None:
            yield f"claim {name(needs.extended.stale)} of an earlier attempt has to go first"
        claims = self.plugin.claims_on(pod, row)
        if not claims:
            return
        yield from self._pool_faults(row)
        if not any(pool.devices for pool in self.plugin.devices.pools(row)):
            yield "the node reaches no devices"
            return
        wanted = [*self.wanted(claims, row)]
        unmet = unmet_of(wanted)
        if not unmet:
            yield from self._together(claims, [one for one in wanted if one.is_met], row)
        for one in unmet:
            yield from self._request(one, row)

    def wanted(self, claims: Sequence[tuple[Object, ClaimRequests]], row: int) -> Iterator[Wanted]:
        """Yield each request of claims with what a row's node has for it."""
        pools = self.plugin.devices.pools(row)
        for claim, requests in claims:
            for request in (one for entry in requests.entries for one in entry.alternatives):
                yield self._found(name(claim), request, pools)

    def published(self) -> Iterable[PublishedDevice]:
        """Return the devices that nodes reach, each once."""
        views = {
            view.number: view
            for row in range(self._snapshot.node_count)
            for view in self.plugin.devices.pools(row)
        }
        return {device.key: device for view in views.values() for device in view.devices}.values()

    def users(self, claim: Object) -> list[PodInfo]:
        """Return the pods on nodes that a claim is reserved for."""
        return [self._pods[uid] for uid in reserved_for(claim) if uid in self._pods]

    def _found(self, claim_name: str, request: Request, pools: Sequence[PoolView]) -> Wanted:
        usable, out = [], []
        unselected: dict[str, list[PublishedDevice]] = defaultdict(list)
        foreign: dict[str, list[PublishedDevice]] = defaultdict(list)
        of_class = len(entries(spec_of(request.device_class or {}), "selectors"))
        for pool in pools:
            for position, device in enumerate(pool.devices):
                if why := unmet_selector(request.selectors[:of_class], device, claim_name):
                    foreign[why].append(device)
                elif why := unmet_selector(request.selectors[of_class:], device, claim_name):
                    unselected[why].append(device)
                elif position in pool.unmatched:
                    unselected["for other nodes"].append(device)
                elif reasons := (*self._objections(request, pool, device),):
                    out.append((device, reasons))
                else:
                    usable.append(device)
        return Wanted(claim_name, request, tuple(usable), tuple(out), unselected, foreign)

    def _objections(
        self, request: Request, pool: PoolView, device: PublishedDevice
    ) -> Iterator[str]:
        if not request.is_admin and self._allocated.is_whole(device.key):
            holders = self.holders.get(device.key, ())
            yield " and ".join(map(self._held, holders)) or "being allocated"
        yield from unmet_capacity(request, device, self._allocated.consumed(device.key))
        if device.amounts.counters and not self._allocated.is_allocated(device.key):
            yield from self._used_up(pool, device)
        for taint in device.taints:
            if not request.tolerates((taint,)):
                yield f"taint {device_taint_text(taint)} isn't tolerated"

    def _held(self, claim: Object) -> str:
        pods = [f"{pod.key}, priority {pod.priority}" for pod in self.users(claim)]
        pods = pods or [f"{namespace(claim)}/{consumer['name']}" for consumer in _consumers(claim)]
        if not pods:
            return f"held by claim {name(claim)}, which no pod uses"
        return f"held by {listed(pods, _NAMED_MAX)} (claim {name(claim)})"

    def _used_up(self, pool: PoolView, device: PublishedDevice) -> Iterator[str]:
        for counter, needed in device.amounts.counters.items():
            takers = [
                other
                for other in (*pool.devices, *pool.elsewhere)
                if counter in other.amounts.counters and self._allocated.is_allocated(other.key)
            ]
            whole = pool.counters.get(counter, 0)
            left = whole - sum(other.amounts.counters[counter] for other in takers)
            if needed > left:
                held = [f"{taker.device.name}: {self._who(taker.key)}" for taker in takers]
                taken = f" ({listed(held, _NAMED_MAX)})" if held else ""
                yield (
                    f"counter {'/'.join(counter)} has {amount_text(left)} left of "
                    f"{amount_text(whole)}{taken}, it takes {amount_text(needed)}"
                )

    def _who(self, device: DeviceKey) -> str:
        claims = self.holders.get(device, ())
        return " and ".join(map(self._held, claims)) or "being allocated"

    def _request(self, wanted: Wanted, row: int) -> Iterator[str]:
        request, selected = wanted.request, len(wanted.usable) + len(wanted.out)
        needs = "all devices" if request.mode == ALL else count(request.count, "device")
        yield (
            f"request {request.full_name} of claim {wanted.claim_name} needs {needs} of class "
            f"{request.class_name}: {selected} {'is' if selected == 1 else 'are'} selected, "
            f"{len(wanted.usable)} free"
        )
        by_reason: dict[str, list[PublishedDevice]] = defaultdict(list)
        for device, reasons in wanted.out:
            by_reason[", ".join(reasons)].append(device)
        # Devices of other classes matter only where there are none of this class.
        others = wanted.unselected or ({} if selected else wanted.foreign)
        for why, devices in (*by_reason.items(), *others.items()):
            yield f"{listed(self._names(devices, row), _NAMED_MAX)}: {why}"

    def _together(
        self,
        claims: Sequence[tuple[Object, ClaimRequests]],
        wanted: Sequence[Wanted],
        row: int,
    ) -> Iterator[str]:
        yield "each request could be met alone, but not all together"
        for one in wanted:
            names = listed(self._names(one.usable, row), _NAMED_MAX)
            yield f"request {one.request.full_name} needs {one.request.count} of {names}"
        candidates = {device.key: device for one in wanted for device in one.usable}.values()
        for claim, requests in claims:
            for limit in requests.constraints:
                attribute = limit.match_attribute or limit.distinct_attribute or ""
                how = "the same" if limit.match_attribute else "different"
                values = []
                for device in candidates:
                    found = attribute_of(device.device.attributes, device.spec.driver, attribute)
                    value = None if found is None or found.typed is None else found.typed[1]
                    shown = "none" if value is None else value
                    values.append(f"{self._names((device,), row)[0]} has {shown}")
                yield (
                    f"claim {name(claim)} wants devices with {how} {attribute}: "
                    f"{listed(values, _NAMED_MAX)}"
                )

    def _names(self, devices: Sequence[PublishedDevice], row: int) -> list[str]:
        # Devices are named by their pools only where a node has devices of one name.
        pools = self.plugin.devices.pools(row)
        known = [device.device.name for pool in pools for device in pool.devices]
        return [
            device.device.name if known.count(device.device.name) == 1 else "/".join(device.key)
            for device in devices
        ]

    def _unreached(self, restriction: Restriction, row: int) -> Iterator[str]:
        claim, node_name = restriction.claim, self._snapshot.names[row]
        if restriction.is_stuck:
            _, fault = binding_progress(claim)
            yield f"devices of claim {name(claim)} can't be bound: {fault or 'it takes too long'}"
            return
        selector = restriction.node_selector
        if selector is None or self._snapshot.columns.matching(node_selector(selector))[row]:
            return
        devices = ["/".join(device.key) for device in allocated_devices(allocation_of(claim))]
        pods = [f"{pod.key} on {self._snapshot.names[pod.row]}" for pod in self.users(claim)]
        uses = f", used by {listed(pods, _NAMED_MAX)}" if pods else ""
        asking = {"spec": {"affinity": {"nodeAffinity": {REQUIRED: selector}}}}
        unmet = unmet_node_affinity(asking, self._snapshot.labels_of(row), node_name)
        held = listed(devices, _NAMED_MAX)
        yield f"claim {name(claim)} has {held}{uses}, and {'; '.join(unmet)}"

    def _pool_faults(self, row: int) -> Iterator[str]:
        """Explain which pools of a row's node don't count, or which slices of them."""
        reached = self.plugin.devices.pools(row)
        for view in reached:
            if view.fault:
                yield f"pool {view.id_text} is invalid: {view.fault}"
        incomplete = {view.key for view in reached if view.is_incomplete}
        for key, slices in self._slices.items():
            pools = [part(spec_of(slice_), "pool") for slice_ in slices]
            latest = max(pool.get("generation", 0) for pool in pools)
            current = [pool for pool in pools if pool.get("generation", 0) == latest]
            if key in incomplete:
                wanted = count(current[0].get("resourceSliceCount", 0), "slice")
                have = f"generation {latest} has {len(current)} of {wanted}"
                yield f"pool {'/'.join(key)} is incomplete: {have}"
            for one, pool in zip(slices, pools, strict=True):
                generation = pool.get("generation", 0)
                if generation < latest and self._reaches(spec_of(one), row):
                    yield (
                        f"slice {name(one)} of pool {'/'.join(key)} is of generation {generation}, "
                        f"and doesn't count, as generation {latest} is there"
                    )

    def _reaches(self, chooser: Object, row: int) -> bool:
        if chooser.get("perDeviceNodeSelection"):
            return any(self._reaches(device, row) for device in entries(chooser, "devices"))
        if (selector := chooser.get("nodeSelector")) is not None:
            return bool(self._snapshot.columns.matching(node_selector(selector))[row])
        return bool(chooser.get("allNodes")) or chooser.get("nodeName") == self._snapshot.names[row]


def unmet_of(wanted: Sequence[Wanted]) -> list[Wanted]:
    """Return the requests that can't be met alone, without those that have a met alternative."""
    met = {(one.claim_name, one.request.entry) for one in wanted if one.is_met}
    return [one for one in wanted if (one.claim_name, one.request.entry) not in met]


def device_plugin(scheduler: Scheduler, pod: Object) -> DynamicResources | None:
    """Return the plugin that decides about a pod's devices; None if its profile has none."""
    pipeline = scheduler.pipelines.get(scheduler_name_of(pod))
    plugins = pipeline.reserve if pipeline is not None else ()
    return next((plugin for plugin in plugins if isinstance(plugin, DynamicResources)), None)


def device_reader(scheduler: Scheduler, pod: Object) -> DeviceReader | None:
    """Return a reader for a pod's profile; None if the profile doesn't decide about devices."""
    plugin = device_plugin(scheduler, pod)
    return None if plugin is None else DeviceReader(scheduler, plugin)


def device_taint_text(taint: DeviceTaint) -> str:
    """Return a taint of a device as `key=value:Effect`."""
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"


def _consumers(claim: Object) -> Sequence[Object]:
    return entries(status_of(claim), "reservedFor")
