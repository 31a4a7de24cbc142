"""DeviceClasses, ResourceSlices, ResourceClaims and their templates: rules of their own."""

from collections.abc import Iterator, Sequence
from operator import is_

from podium.api.devices.resource_claims import EXACT_COUNT, results_of
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import (
    Object,
    entries,
    is_terminating,
    labels,
    part,
    spec_of,
    status_of,
    without,
)
from podium.api.resources import is_extended_resource
from podium.api.values.times import timestamp
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.defaulting import defaults_of
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.validation import checks, device_claims
from podium.apiserver.validation.device_slices import slice_spec
from podium.apiserver.validation.names import object_check, template_meta


@defaults_of("resource.ExactDeviceRequest", "resource.DeviceSubRequest")
def _with_count(request: Object) -> Object:
    mode = request.get("allocationMode") or EXACT_COUNT
    count = request.get("count") or (1 if mode == EXACT_COUNT else None)
    return {**request, "allocationMode": mode, **({"count": count} if count else {})}


_LISTS = ("bools", "ints", "strings", "versions")


def _stored(resource_slice: Object, now_s: float) -> Object:
    """Return a slice whose taints have a time, without fields that v1.36 has off by default."""
    spec = spec_of(resource_slice)
    devices = entries(spec, "devices")
    changed = [_stored_device(device, now_s) for device in devices]
    if all(map(is_, changed, devices)):
        return resource_slice
    return {**resource_slice, "spec": {**spec, "devices": changed}}


def _stored_device(device: Object, now_s: float) -> Object:
    taints, attributes = entries(device, "taints"), part(device, "attributes")
    if not all(taint.get("timeAdded") for taint in taints):
        timed = [{"timeAdded": timestamp(now_s), **taint} for taint in taints]
        device = {**device, "taints": timed}
    # Attributes with several values (DRAListTypeAttributes).
    if any(field in value for value in attributes.values() for field in _LISTS):
        single = {name: without(value, *_LISTS) for name, value in attributes.items()}
        device = {**device, "attributes": single}
    # Requests of the node's own resources (DRANodeAllocatableResources).
    mappings = "nodeAllocatableResourceMappings"
    return without(device, mappings) if mappings in device else device


def _slice_warnings(resource_slice: Object) -> Iterator[str]:
    driver = spec_of(resource_slice).get("driver") or ""
    if driver != driver.lower():
        what = f'"{driver}" contains uppercase characters'
        yield f"spec.driver: driver names should be lowercase; {what}"


RESOURCE_SLICE = Registration(
    kind=KINDS["ResourceSlice"],
    warnings=_slice_warnings,
    validate=object_check(spec=checks.absent_as({}, slice_spec)),
    validate_change=rules.all_of(
        *map(rules.immutable, ("spec.pool.name", "spec.driver", "spec.nodeName"))
    ),
    create=lambda resource_slice, creation: _stored(resource_slice, creation.now_s),
    update=lambda new, _, now_s: _stored(new, now_s),
)

_ADMIN_LABEL = "resource.kubernetes.io/admin-access"


def _admin_requests(obj: Object, _old: Object | None, namespace: Object) -> checks.Faults:
    """Refuse requests with admin access in a namespace without the label that allows it."""
    spec = spec_of(obj)
    spec = spec if obj["kind"] == "ResourceClaim" else part(spec, "spec")
    requests = [part(request, "exactly") for request in entries(part(spec, "devices"), "requests")]
    return _admin_access(requests, "spec.devices.requests", namespace)


def _admin_results(new: Object, old: Object | None, namespace: Object) -> checks.Faults:
    """Refuse an allocation with admin access likewise, unless the claim had one before."""
    if any(result.get("adminAccess") for result in results_of(old or {})):
        return iter(())
    return _admin_access(results_of(new), "status.allocation.devices.results", namespace)


def _admin_access(granted: Sequence[Object], place: str, namespace: Object) -> checks.Faults:
    index = next((at for at, one in enumerate(granted) if one.get("adminAccess")), None)
    if index is not None and labels(namespace).get(_ADMIN_LABEL) != "true":
        label = f"the `{_ADMIN_LABEL}: true` label on the containing namespace"
        message = f"admin access to devices requires {label}"
        yield checks.forbidden(f"{place}[{index}].adminAccess", message)


DEVICE_CLASS = Registration(
    kind=KINDS["DeviceClass"],
    validate=object_check(
        spec=checks.fields(
            selectors=device_claims.selectors,
            config=device_claims.configs,
            extendedResourceName=checks.must(
                "must be a valid extended resource name", is_extended_resource
            ),
        )
    ),
)

RESOURCE_CLAIM_TEMPLATE = Registration(
    kind=KINDS["ResourceClaimTemplate"],
    validate=object_check(
        spec=checks.fields(metadata=template_meta, spec=device_claims.claim_spec)
    ),
    validate_update=rules.metadata,
    namespace_rules={"": _admin_requests},
)


def _without_deallocated(new: Object, old: Object, _now_s: float) -> Object:
    """Return a claim without what drivers said about devices that the claim loses."""
    left = {*map(device_claims.device_key, results_of(old))}
    left.difference_update(map(device_claims.device_key, results_of(new)))
    status = status_of(new)
    kept = [one for one in entries(status, "devices") if device_claims.device_key(one) not in left]
    if len(kept) == len(entries(status, "devices")):
        return new
    return {**new, "status": {**without(status, "devices"), **({"devices": kept} if kept else {})}}


def _status_change(new: Object, old: Object) -> checks.Faults:
    status, before = status_of(new), status_of(old)
    allocated = {*map(device_claims.device_key, results_of(new))}
    allocation, known = status.get("allocation"), before.get("allocation")
    reserved = entries(status, "reservedFor")
    yield from checks.fields(
        reservedFor=device_claims.reservations,
        devices=device_claims.device_statuses(allocated),
    )(status, "status")
    if reserved and allocation is None:
        message = "may not be specified when `allocated` is not set"
        yield checks.forbidden("status.reservedFor", message)
    elif is_terminating(new) and any(
        consumer not in entries(before, "reservedFor") for consumer in reserved
    ):
        message = (
            "new entries may not be added while `deallocationRequested` or `deletionTimestamp` "
            "are set"
        )
        yield checks.forbidden("status.reservedFor", message)
    if allocation is None:
        return
    if known is not None:
        yield from rules.immutable_value(allocation, known, "status.allocation")
    else:
        names = device_claims.request_names(spec_of(new))
        yield from device_claims.allocation(names)(allocation, "status.allocation")


RESOURCE_CLAIM = Registration(
    kind=KINDS["ResourceClaim"],
    validate=object_check(spec=device_claims.claim_spec),
    validate_update=rules.metadata,
    validate_subresource_update={"status": rules.all_of(rules.metadata, _status_change)},
    namespace_rules={"": _admin_requests, "status": _admin_results},
    subresources={"status": _without_deallocated},
)
