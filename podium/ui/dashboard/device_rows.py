"""The devices that a node reaches, with the pods that have them, and the claims of a pod."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from podium.api.cel.compiler import CompileError
from podium.api.cel.device_selectors import device_selector
from podium.api.devices.resource_claims import (
    ALL,
    AllocatedDevice,
    DeviceRequest,
    allocated_devices,
    allocated_pools,
    allocation_of,
    device_claim,
)
from podium.api.devices.resource_slices import DeviceKey, PoolKey, qualified, resource_slice
from podium.api.objects import Object, entries, key, name, namespace, part, spec_of, status_of
from podium.api.values.quantity import nanos
from podium.scheduler.devices.allocated_devices import AllocatedDevices
from podium.scheduler.devices.published_devices import (
    Counters,
    PoolView,
    PublishedDevice,
    PublishedDevices,
)
from podium.scheduler.explain.device_conditions import amount_text
from podium.scheduler.explain.device_details import device_taint_text
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.snapshot import Snapshot
from podium.ui.dashboard.views import ClaimRow, DeviceRow, DeviceUse

Known = Callable[[str], Iterable[Object]]
"""Returns all objects of a kind."""

_ATTRIBUTES_LENGTH_MAX = 60


class NodeDeviceRows:
    """The devices that a node reaches, and what claims have of them.

    Attributes:
        pool_faults: why the devices of some pools can't be allocated.
    """

    def __init__(self, node: Object, known: Known) -> None:
        slices = [*_slices_for(name(node), known("ResourceSlice"))]
        self._pools: Sequence[PoolView] = ()
        if slices:
            snapshot = Snapshot()
            snapshot.set_nodes([node])
            self._pools = PublishedDevices(snapshot, map(resource_slice, slices)).views_of[0]
        keys = {pool.key for pool in self._pools}
        claims = [claim for claim in known("ResourceClaim") if keys & allocated_pools(claim)]
        self._allocated = AllocatedDevices(Listers(claims))
        self._holders: dict[DeviceKey, list[tuple[Object, AllocatedDevice]]] = defaultdict(list)
        for claim in claims:
            for device in allocated_devices(allocation_of(claim)):
                self._holders[device.key].append((claim, device))
        self._selected_by = {*_selected_by(known("DeviceClass"))} if self._pools else set()
        self.pool_faults = [
            f"Pool {pool.id_text} is {f'invalid: {pool.fault}' if pool.fault else 'incomplete'}."
            for pool in self._pools
            if pool.fault or pool.is_incomplete
        ]

    def rows(self) -> Iterator[DeviceRow]:
        """Yield the devices in the order of allocation."""
        for pool in self._pools:
            left = self._counters_left(pool)
            for position, device in enumerate(pool.devices):
                yield self._row(pool, position, device, left)

    def _row(
        self, pool: PoolView, position: int, device: PublishedDevice, left: Counters
    ) -> DeviceRow:
        lacking = [one for one, amount in device.amounts.counters.items() if amount > left[one]]
        state = "free"
        if position in pool.unmatched:
            state = "for other nodes"
        elif self._allocated.is_allocated(device.key):
            state = "in use"
        elif lacking:
            state = f"too little {lacking[0][1]} left"
        return DeviceRow(
            device=device.device.name,
            pool=pool.id_text,
            attributes=self._attributes(device),
            taints=[*map(device_taint_text, device.device.taints or ())],
            left=", ".join(self._left(pool, device, left)),
            state=state,
            uses=[_use(claim, of) for claim, of in self._holders.get(device.key, ())],
        )

    def _attributes(self, device: PublishedDevice) -> str:
        texts = []
        for full_name, attribute in (device.device.attributes or {}).items():
            if (typed := attribute.typed) is None:
                continue
            domain, own = qualified(full_name, device.spec.driver)
            called = own if domain == device.spec.driver else full_name
            value = str(typed[1]).lower() if typed[0] == "bool" else typed[1]
            texts.append(((domain, own) not in self._selected_by, f"{called}={value}"))
        shown = ""
        for _, text in sorted(texts):
            longer = f"{shown}, {text}" if shown else text
            if len(longer) <= _ATTRIBUTES_LENGTH_MAX:
                shown = longer
        return shown

    def _counters_left(self, pool: PoolView) -> Counters:
        left = dict(pool.counters)
        for device in (*pool.devices, *pool.elsewhere):
            if self._allocated.is_allocated(device.key):
                for counter, amount in device.amounts.counters.items():
                    left[counter] -= amount
        return left

    def _left(self, pool: PoolView, device: PublishedDevice, left: Counters) -> Iterator[str]:
        for counter in device.amounts.counters:
            whole = amount_text(pool.counters[counter])
            yield f"{amount_text(left[counter])} of {whole} {counter[1]}"
        if device.is_shared:
            taken = self._allocated.consumed(device.key)
            for capacity, rules in device.amounts.capacities.items():
                rest, whole = rules.value - taken.get(capacity, 0), amount_text(rules.value)
                yield f"{amount_text(rest)} of {whole} {capacity}"


def claim_rows(pod: Object, find: Callable[[str, str, str], Object | None]) -> Iterator[ClaimRow]:
    """Yield the claims of a pod, and the claim that stands for its extended resources.

    Args:
        find: returns an object by kind, namespace and name.
    """
    status = status_of(pod)
    made = {one.get("name"): one for one in entries(status, "resourceClaimStatuses")}
    named = [
        (one["name"], {**made.get(one["name"], {}), **one}.get("resourceClaimName"))
        for one in entries(spec_of(pod), "resourceClaims")
    ]
    if extended := part(status, "extendedResourceClaimStatus").get("resourceClaimName"):
        named.append(("", extended))
    for entry_name, claim_name in named:
        claim = find("ResourceClaim", namespace(pod), claim_name) if claim_name else None
        devices = () if claim is None else allocated_devices(allocation_of(claim))
        yield ClaimRow(
            name=entry_name,
            claim=claim_name or "",
            requests=[] if claim is None else [*_requests(claim)],
            devices=[*_devices(devices)],
            others=[one for one in _consumers(claim or {}) if one != key(pod)],
        )


def _devices(devices: Iterable[AllocatedDevice]) -> Iterator[str]:
    by_pool: dict[tuple[str, str], list[str]] = defaultdict(list)
    for device in devices:
        by_pool[device.request, f"{device.driver}/{device.pool}"].append(device.device)
    for (request, pool), names in by_pool.items():
        yield f"{request}: {', '.join(names)} of {pool}"


def _requests(claim: Object) -> Iterator[str]:
    for request in device_claim(claim).requests or ():
        options = [request.exactly] if request.exactly else request.first_available or ()
        yield f"{request.name}: {', else '.join(map(_wanted, options))}"


def _wanted(request: DeviceRequest) -> str:
    number = "all" if request.allocation_mode == ALL else request.count or 1
    return f"{number} of class {request.device_class_name}"


def _slices_for(node: str, slices: Iterable[Object]) -> Iterator[Object]:
    # Whole pools: whether one is complete is said of all its slices.
    pools: dict[PoolKey, list[Object]] = defaultdict(list)
    for one in slices:
        spec = spec_of(one)
        pools[str(spec.get("driver")), str(part(spec, "pool").get("name"))].append(one)
    for of_pool in pools.values():
        if any(spec_of(one).get("nodeName", node) == node for one in of_pool):
            yield from of_pool


def _selected_by(classes: Iterable[Object]) -> Iterator[tuple[str, str]]:
    """Yield domain and name of each attribute that a DeviceClass selects by."""
    for device_class in classes:
        for selector in entries(spec_of(device_class), "selectors"):
            try:
                reads = device_selector(part(selector, "cel").get("expression", "")).reads or ()
            except CompileError:
                # No device is of this class, which the decision says of each node.
                continue
            yield from (
                (one[1], one[2]) for one in reads if one[0] == "attributes" and len(one) > 2
            )


def _use(claim: Object, device: AllocatedDevice) -> DeviceUse:
    return DeviceUse(claim=key(claim), pods=_consumers(claim), part=_part_of(device))


def _part_of(device: AllocatedDevice) -> str:
    if device.admin_access:
        return "admin access"
    consumed = (device.consumed_capacity or {}).items()
    return ", ".join(f"{amount_text(nanos(amount))} {capacity}" for capacity, amount in consumed)


def _consumers(claim: Object) -> list[str]:
    place = namespace(claim) if claim else ""
    names = (one.get("name") for one in entries(status_of(claim), "reservedFor"))
    return [f"{place}/{own}" for own in sorted(map(str, names))]
