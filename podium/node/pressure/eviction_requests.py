"""What a pod is entitled to when the node is under pressure."""

from podium.api.objects import Object, spec_of
from podium.api.quantity import nanos
from podium.api.resources import is_pod_level, pod_requests

_NOTHING: Object = {}


def eviction_request_nanos(pod: Object, resource: str) -> int:
    """What the eviction manager of v1.36 takes for the pod's request, in nanos.

    It differs from what the scheduler counts: a pod with pod-level resources requests nothing but
    those, and the overhead is added only to who requests something.

    Raises:
        QuantityError: an amount isn't a quantity.
    """
    spec = pod.get("spec") or _NOTHING
    if has_pod_level_resources(pod):
        requests = (spec["resources"].get("requests")) or _NOTHING
        requested = nanos(requests.get(resource, 0)) if is_pod_level(resource) else 0
    else:
        bare = {field: value for field, value in spec.items() if field != "overhead"}
        requested = pod_requests({**pod, "spec": bare}).get(resource, 0)
    overhead = (spec.get("overhead") or _NOTHING).get(resource, 0)
    return requested + nanos(overhead) if requested else 0


def has_pod_level_resources(pod: Object, *fields: str) -> bool:
    """Whether the pod requests or limits a resource as a whole.

    Args:
        pod: the pod.
        fields: `requests`, `limits`; both if none are given.
    """
    resources = spec_of(pod).get("resources") or _NOTHING
    return any(
        is_pod_level(resource)
        for field in fields or ("requests", "limits")
        for resource in resources.get(field) or ()
    )
