"""ResourceClaims and their templates: defaults beyond those of the schema."""

from podium.api.devices.resource_claims import EXACT_COUNT
from podium.api.objects import Object
from podium.apiserver.kinds.registration.defaulting import defaults_of


@defaults_of("resource.ExactDeviceRequest", "resource.DeviceSubRequest")
def _with_count(request: Object) -> Object:
    mode = request.get("allocationMode") or EXACT_COUNT
    count = request.get("count") or (1 if mode == EXACT_COUNT else None)
    return {**request, "allocationMode": mode, **({"count": count} if count else {})}
