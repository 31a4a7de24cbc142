"""ResourceClaims: what pods request of devices, what was allocated, and who may use it."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from podium.api.devices.resource_slices import Amount, DeviceKey, DeviceTaint, PoolKey
from podium.api.objects import (
    Object,
    annotations,
    controller_of,
    controller_uid,
    entries,
    is_terminating,
    key,
    name,
    namespace,
    part,
    spec_of,
    status_of,
    uid,
)

EXACT_COUNT, ALL = "ExactCount", "All"
"""The modes of allocation."""

RESULTS_MAX = 32
"""The greatest number of devices that are allocated for one claim."""

RESERVATIONS_MAX = 256
"""The greatest number of pods that a claim is reserved for."""

ALTERNATIVES_MAX = 8
"""The greatest number of alternatives of one request."""

FINALIZER = "resource.kubernetes.io/delete-protection"
"""Keeps a claim while it is allocated."""

EXTENDED_RESOURCE_CLAIM = {"resource.kubernetes.io/extended-resource-claim": "true"}
"""The annotation of a claim that stands for a pod's extended resources."""


class _Part(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    pass


class CelSelector(_Part, frozen=True):
    """A CEL expression about a device."""

    expression: str = ""


class DeviceSelector(_Part, frozen=True):
    """A selector of devices; CEL is the only kind."""

    cel: CelSelector | None = None


class DeviceToleration(_Part, frozen=True):
    """A toleration of taints of devices."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""

    def tolerates(self, taint: DeviceTaint) -> bool:
        """Return whether the toleration matches a taint (ToleratesTaint)."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        if self.operator in ("", "Equal"):
            return self.value == taint.value
        return self.operator == "Exists"


class CapacityRequirements(_Part, frozen=True):
    """Amounts that a request needs of a device's capacities, by their names."""

    requests: dict[str, Amount] | None = None


class DeviceRequest(_Part, frozen=True):
    """A request for devices of one class: an exact one, or an alternative of a list."""

    name: str = ""
    """Of an alternative; the exact request has the name of its entry."""
    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] | None = None
    allocation_mode: str = ""
    count: int = 0
    admin_access: bool | None = None
    tolerations: tuple[DeviceToleration, ...] | None = None
    capacity: CapacityRequirements | None = None


class RequestEntry(_Part, frozen=True):
    """An entry of a claim's requests: `exactly` one request, or the `firstAvailable` of some."""

    name: str = ""
    exactly: DeviceRequest | None = None
    first_available: tuple[DeviceRequest, ...] | None = None


class DeviceConstraint(_Part, frozen=True):
    """What the devices of some requests, or of all, must have in common or apart."""

    requests: tuple[str, ...] | None = None
    match_attribute: str | None = None
    distinct_attribute: str | None = None


class DeviceClaim(_Part, frozen=True):
    """The part of a claim's spec that requests devices."""

    requests: tuple[RequestEntry, ...] | None = None
    constraints: tuple[DeviceConstraint, ...] | None = None


class AllocatedDevice(_Part, frozen=True):
    """One device of an allocation."""

    request: str = ""
    driver: str = ""
    pool: str = ""
    device: str = ""
    admin_access: bool | None = None
    share_id: str | None = msgspec.field(default=None, name="shareID")
    consumed_capacity: dict[str, Amount] | None = None
    binding_conditions: tuple[str, ...] | None = None
    binding_failure_conditions: tuple[str, ...] | None = None

    @property
    def key(self) -> DeviceKey:
        """Driver, pool and name of the device."""
        return self.driver, self.pool, self.device


class ClaimError(ValueError):
    """A pod can't use one of its claims now; the message says why, as upstream does."""


def device_claim(claim: Object) -> DeviceClaim:
    """Read what a claim requests; raises msgspec.ValidationError."""
    return msgspec.convert(part(spec_of(claim), "devices"), DeviceClaim)


def allocation_of(claim: Object) -> Object | None:
    """Return the allocation in a claim's status, if any."""
    allocation: Object | None = status_of(claim).get("allocation")
    return allocation


def results_of(claim: Object) -> Sequence[Object]:
    """Return the allocated devices of a claim as they are stored."""
    return entries(part(allocation_of(claim) or {}, "devices"), "results")


def allocated_devices(allocation: Object | None) -> tuple[AllocatedDevice, ...]:
    """Read the devices of an allocation; raises msgspec.ValidationError."""
    results = entries(part(allocation or {}, "devices"), "results")
    return msgspec.convert(results, tuple[AllocatedDevice, ...])


def asks_for_admin_access(claim: Object) -> bool:
    """Whether a claim requests devices for administration, which others may use as well."""
    requests = entries(part(spec_of(claim), "devices"), "requests")
    return any(part(request, "exactly").get("adminAccess") for request in requests)


def allocated_pools(claim: Object) -> set[PoolKey]:
    """Return the pools of the devices that are allocated for a claim."""
    return {(str(one.get("driver")), str(one.get("pool"))) for one in results_of(claim)}


def owner_pod(claim: Object) -> Object | None:
    """Return the reference to the pod that a claim was made for; None if it was made for none."""
    owner = controller_of(claim)
    return owner if owner is not None and owner.get("kind") == "Pod" else None


def is_for_extended_resources(claim: Object) -> bool:
    """Return whether a claim stands for a pod's extended resources."""
    return annotations(claim).items() >= EXTENDED_RESOURCE_CLAIM.items()


def reserved_for(claim: Object) -> list[str]:
    """Return the uids of the consumers that a claim is reserved for."""
    return [str(consumer.get("uid")) for consumer in entries(status_of(claim), "reservedFor")]


def pod_claim_names(pod: Object) -> Iterator[tuple[Object, str, bool]]:
    """Yield the claims of a pod, each as its entry, the claim's name, and whether it is generated.

    Entries for which no claim has to be made are left out. Raises ClaimError if the claim of a
    template isn't made yet, or if an entry names neither.
    """
    statuses = entries(status_of(pod), "resourceClaimStatuses")
    by_name = {status.get("name"): status.get("resourceClaimName") for status in statuses}
    for entry in entries(spec_of(pod), "resourceClaims"):
        if entry.get("resourceClaimName") is not None:
            yield entry, entry["resourceClaimName"], False
        elif entry.get("resourceClaimTemplateName") is None:
            where = f'pod "{key(pod)}", spec.resourceClaim "{entry.get("name")}"'
            raise ClaimError(f"{where}: none of the supported fields are set")
        elif entry.get("name") not in by_name:
            raise ClaimError(f'pod "{key(pod)}": ResourceClaim not created yet')
        elif by_name[entry.get("name")] is not None:
            yield entry, by_name[entry.get("name")], True


def known_claim_names(pod: Object) -> list[str]:
    """Return the known claims of a pod as `namespace/name`, that of extended resources last."""
    made_for = {
        status.get("name"): status.get("resourceClaimName")
        for status in entries(status_of(pod), "resourceClaimStatuses")
    }
    names = [
        entry.get("resourceClaimName") or made_for.get(entry.get("name"))
        for entry in entries(spec_of(pod), "resourceClaims")
    ]
    names.append(part(status_of(pod), "extendedResourceClaimStatus").get("resourceClaimName"))
    return [f"{namespace(pod)}/{claim_name}" for claim_name in names if claim_name]


def check_usable(pod: Object, claim: Object | None, claim_name: str, is_generated: bool) -> None:
    """Raise ClaimError if a pod can't use a claim: it is missing, going, or another pod's."""
    if claim is None:
        raise ClaimError(f'resourceclaim.resource.k8s.io "{claim_name}" not found')
    if is_terminating(claim):
        raise ClaimError(f'resourceclaim "{name(claim)}" is being deleted')
    if is_generated:
        check_made_for(pod, claim)


def check_made_for(pod: Object, claim: Object) -> None:
    """Raise ClaimError if a generated claim is another pod's."""
    if controller_uid(claim) != uid(pod):
        made = f"ResourceClaim {key(claim)} was not created for Pod {key(pod)}"
        raise ClaimError(f"{made} (Pod is not owner)")


def pod_reference(pod: Object) -> Mapping[str, str]:
    """Return the reference to a pod for a claim's `reservedFor`."""
    return {"resource": "pods", "name": name(pod), "uid": uid(pod)}
