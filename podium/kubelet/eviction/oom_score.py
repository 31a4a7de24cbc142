"""The `oom_score_adj` of containers in v1.36.

If memory runs out, the kernel kills the container with the highest score: its share of the memory
in thousandths, plus this adjustment.
"""

from podium.api.objects import Object
from podium.api.pods import init_containers_of, requests_of
from podium.api.priority import is_node_critical
from podium.api.resources import is_sidecar, pod_requests, stored_or_computed_qos
from podium.api.values.quantity import value
from podium.kubelet.eviction.eviction_ranking import has_pod_level_resources
from podium.kubelet.eviction.signals import MEMORY

GUARANTEED = -997
BEST_EFFORT = 1000
# A guaranteed pod that uses all memory scores three: all other pods stay above it.
_BURSTABLE_MIN = 1000 + GUARANTEED
_BURSTABLE_MAX = BEST_EFFORT - 1


def oom_score_adj(pod: Object, container: Object, memory_capacity_bytes: int) -> int:
    """Return the adjustment of a container, given the node's memory; raises QuantityError."""
    if is_node_critical(pod):
        return GUARANTEED
    match stored_or_computed_qos(pod):
        case "Guaranteed":
            return GUARANTEED
        case "BestEffort":
            return BEST_EFFORT
    spec, extra = pod["spec"], 0
    if has_pod_level_resources(pod, "requests") and _request_bytes(spec):
        # What the pod requests beyond its containers is shared out evenly among these.
        bare = {field: spec[field] for field in spec if field not in ("overhead", "resources")}
        requested = pod_requests({**pod, "spec": bare}).get(MEMORY, 0)
        count = len(spec["containers"]) + len(init_containers_of(spec))
        extra = _quotient(_request_bytes(spec) - -(-requested // 10**9), count)
    request = _request_bytes(container)
    if is_sidecar(container):
        # A sidecar isn't killed before the containers that it serves.
        request = max(request, min(map(_request_bytes, spec["containers"])))
    adjustment = 1000 - _quotient(1000 * (request + extra), memory_capacity_bytes)
    if adjustment < _BURSTABLE_MIN:
        return _BURSTABLE_MIN
    return _BURSTABLE_MAX if adjustment == BEST_EFFORT else adjustment


def _request_bytes(owner: Object) -> int:
    return value(requests_of(owner).get(MEMORY, 0))


def _quotient(dividend: int, divisor: int) -> int:
    """Return a quotient truncated towards zero, as in Go."""
    return dividend // divisor if dividend >= 0 else -(-dividend // divisor)
