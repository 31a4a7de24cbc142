"""DeviceClasses, ResourceSlices, ResourceClaims and their templates: rules of their own."""

from collections.abc import Iterator

from podium.api.devices.resource_claims import EXACT_COUNT
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, is_terminating, part, spec_of, status_of, without
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


def _with_times(resource_slice: Object, now_s: float) -> Object:
    """Return a slice whose taints say since when they are there."""
    spec = spec_of(resource_slice)
    devices = entries(spec, "devices")
    if all(taint.get("timeAdded") for device in devices for taint in entries(device, "taints")):
        return resource_slice
    now = timestamp(now_s)
    timed = [
        {**device, "taints": [{"timeAdded": now, **taint} for taint in entries(device, "taints")]}
        if device.get("taints")
        else device
        for device in devices
    ]
    return {**resource_slice, "spec": {**spec, "devices": timed}}


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
    create=lambda resource_slice, creation: _with_times(resource_slice, creation.now_s),
    update=lambda new, _, now_s: _with_times(new, now_s),
)

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
)


def _without_deallocated(new: Object, old: Object, _now_s: float) -> Object:
    """Return a claim without what drivers said about devices that the claim loses."""
    left = _allocated(old) - _allocated(new)
    status = status_of(new)
    kept = [one for one in entries(status, "devices") if device_claims.device_key(one) not in left]
    if len(kept) == len(entries(status, "devices")):
        return new
    return {**new, "status": {**without(status, "devices"), **({"devices": kept} if kept else {})}}


def _allocated(claim: Object) -> set[tuple[str, ...]]:
    devices = part(status_of(claim), "allocation", "devices")
    return {device_claims.device_key(result) for result in entries(devices, "results")}


def _status_change(new: Object, old: Object) -> checks.Faults:
    status, before = status_of(new), status_of(old)
    allocation, known = status.get("allocation"), before.get("allocation")
    reserved = entries(status, "reservedFor")
    yield from checks.fields(
        reservedFor=device_claims.reservations,
        devices=device_claims.device_statuses(_allocated(new)),
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
    subresources={"status": _without_deallocated},
)
