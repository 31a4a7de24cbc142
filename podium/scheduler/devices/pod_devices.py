"""What a pod needs of devices, as its claims are now: PreFilter of DynamicResources, v1.36."""

from collections.abc import Hashable, Mapping, Sequence

import msgspec

from podium.api.devices.resource_claims import (
    ALTERNATIVES_MAX,
    ClaimError,
    allocated_devices,
    allocation_of,
    check_usable,
    device_claim,
    pod_claim_names,
)
from podium.api.objects import (
    Object,
    condition_status,
    entries,
    key,
    name,
    namespace,
    status_of,
    uid,
)
from podium.api.selectors.node_selector import node_selector
from podium.api.values.times import epoch_s
from podium.scheduler.devices.allocated_devices import CLAIM
from podium.scheduler.devices.claim_requests import ClaimRequests
from podium.scheduler.devices.device_manager import DeviceManager
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo

_encode = msgspec.json.Encoder().encode


class ExtendedResources(msgspec.Struct, frozen=True, eq=False):
    """The extended resources of a pod that devices stand for."""

    requested: tuple[str, ...]
    """All requested resources that may be devices."""
    class_names: Mapping[str, str]
    """DeviceClass by resource, for those that have one."""
    stale: Object | None
    """The claim that an earlier scheduling cycle has left; it has to go first."""


class Restriction(msgspec.Struct, frozen=True):
    """What an allocated claim demands of nodes."""

    claim: Object
    node_selector: Object | None
    is_stuck: bool
    """Whether the claim's devices can't be bound, so that no node will do."""


class PodDevices(msgspec.Struct, frozen=True, eq=False):
    """What a pod needs of devices."""

    refusal: str = ""
    """Why no node can be looked for; empty if one can."""
    is_error: bool = False
    """Whether the refusal is an error."""
    claims: tuple[Object, ...] = ()
    waiting: tuple[tuple[Object, ClaimRequests], ...] = ()
    """Those of them that have to be allocated."""
    restrictions: tuple[Restriction, ...] = ()
    """Those that are allocated already."""
    extended: ExtendedResources | None = None
    key: Hashable = None
    """Pods of a class with equal keys get equal results."""

    @property
    def is_empty(self) -> bool:
        """Whether the pod needs no devices, or can't have any now."""
        return bool(self.refusal) or (not self.claims and self.extended is None)


def own_claims(listers: Listers, pod: Object) -> tuple[Object, ...]:
    """Return a pod's claims; raises ClaimError if the pod can't use one."""
    claims = []
    for _, claim_name, is_generated in pod_claim_names(pod):
        claim = listers.get(CLAIM, claim_name, namespace(pod))
        check_usable(pod, claim, claim_name, is_generated)
        if claim is not None:
            claims.append(claim)
    return tuple(claims)


def pod_devices(
    manager: DeviceManager,
    listers: Listers,
    pod: PodInfo,
    gang: Hashable,
    now_s: float,
    timeout_s: float,
) -> PodDevices:
    """Return what a pod needs of devices.

    Args:
        gang: the pod's PodGroup, of which a claim in flight counts as allocated; None for none.
        timeout_s: how long allocated devices may take until they can be bound.
    """
    manager.allocated.follow()
    try:
        claims = own_claims(listers, pod.obj)
    except ClaimError as error:
        return _refused(str(error))
    extended = _extended(manager, pod)
    if not claims and extended is None:
        return PodDevices()
    waiting, restrictions = [], []
    for claim in claims:
        allocation = allocation_of(claim)
        flight = None if allocation is not None else manager.allocated.in_flight(uid(claim))
        if flight is not None and flight.gang is not None and flight.gang == gang:
            allocation = flight.allocation
            claim = {**claim, "status": {**status_of(claim), "allocation": allocation}}
        if allocation is not None:
            selector = allocation.get("nodeSelector")
            if selector is not None and (faults := node_selector(selector).errors):
                return _refused(str(faults[0]), is_error=True)
            is_stuck = _is_stuck(claim, now_s, timeout_s)
            restrictions.append(Restriction(claim, selector, is_stuck))
            continue
        if flight is not None:
            return _refused(f"resource claim {key(claim)} is in the process of being allocated")
        requests = manager.requests_of(claim)
        if requests.refusal:
            refusal = requests.refusal.replace("{claim}", key(claim))
            return _refused(refusal, is_error=requests.is_error)
        waiting.append((claim, requests))
    return PodDevices(
        claims=claims,
        waiting=tuple(waiting),
        restrictions=tuple(restrictions),
        extended=extended,
        key=_key(waiting, restrictions, extended),
    )


def binding_progress(claim: Object) -> tuple[bool, str]:
    """Return whether a claim's devices can be bound, and else why they never will, if so."""
    statuses = entries(status_of(claim), "devices")
    for device in allocated_devices(allocation_of(claim)):
        if not device.binding_conditions:
            continue
        status = next(
            (
                one
                for one in statuses
                if (one.get("driver"), one.get("pool"), one.get("device")) == device.key
            ),
            None,
        )
        if status is None:
            return False, ""
        reported = {"status": status}
        for condition in device.binding_failure_conditions or ():
            if condition_status(reported, condition) == "True":
                known = next(c for c in entries(status, "conditions") if c.get("type") == condition)
                why = f"reason={known.get('reason', '')}, message={known.get('message', '')!r}"
                return False, f"claim={name(claim)}, {why}"
        if any(condition_status(reported, c) != "True" for c in device.binding_conditions):
            return False, ""
    return True, ""


def is_overdue(claim: Object, now_s: float, timeout_s: float) -> bool:
    """Return whether the devices of a claim have taken too long until they can be bound."""
    allocation = allocation_of(claim) or {}
    since = allocation.get("allocationTimestamp")
    binds_late = any(d.binding_conditions is not None for d in allocated_devices(allocation))
    return since is not None and binds_late and epoch_s(since) + timeout_s < now_s


def alternatives_score(claim: Object) -> int:
    """Return the score of the alternatives that were taken when a claim was allocated."""
    taken = {device.request for device in allocated_devices(allocation_of(claim))}
    return sum(
        ALTERNATIVES_MAX - index
        for entry in device_claim(claim).requests or ()
        for index, alternative in enumerate(entry.first_available or ())
        if f"{entry.name}/{alternative.name}" in taken
    )


def _refused(why: str, *, is_error: bool = False) -> PodDevices:
    return PodDevices(why, is_error, key=(why, is_error))


def _is_stuck(claim: Object, now_s: float, timeout_s: float) -> bool:
    is_ready, fault = binding_progress(claim)
    return bool(fault) or (not is_ready and is_overdue(claim, now_s, timeout_s))


def _extended(manager: DeviceManager, pod: PodInfo) -> ExtendedResources | None:
    requested = tuple(pod.cls.requested_devices)
    classes = manager.classes_by_resource() if requested else {}
    class_names = {one: name(classes[one]) for one in requested if one in classes}
    if not class_names:
        return None
    stale = manager.allocated.extended_resources.get(pod.uid)
    return ExtendedResources(requested, class_names, stale)


def _key(
    waiting: Sequence[tuple[Object, ClaimRequests]],
    restrictions: Sequence[Restriction],
    extended: ExtendedResources | None,
) -> Hashable:
    restricting = tuple((_encode(one.node_selector), one.is_stuck) for one in restrictions)
    of_extended = extended and (tuple(extended.class_names.items()), extended.stale is None)
    return tuple(id(requests) for _, requests in waiting), restricting, of_extended
