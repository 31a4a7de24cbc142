"""A pod with less requested, more tolerated, or another priority."""

from collections.abc import Iterable, Mapping
from typing import Any

from podium.api.objects import Object, spec_of
from podium.api.pod_specs import containers_of, limits_of, requests_of, resources_of, tolerations_of
from podium.api.values.quantity import NANOS_PER_MILLI, NANOS_PER_UNIT, Quantity, nanos


def with_less(pod: Object, cuts: Mapping[str, int]) -> Object | None:
    """A pod whose containers request less, the largest requests first; None if they don't suffice.

    The cuts of cpu are in thousandths, others in units.
    """
    containers = [{**container} for container in containers_of(spec_of(pod))]
    for resource, amount in cuts.items():
        cut = amount * (NANOS_PER_MILLI if resource == "cpu" else NANOS_PER_UNIT)
        for container in sorted(containers, key=lambda one: -_requested(one, resource)):
            taken = min(cut, _requested(container, resource))
            if taken:
                left = str(Quantity(_requested(container, resource) - taken))
                # The limit stays where it was: it is never below the request.
                requests = {**_requests(container), resource: left}
                container["resources"] = {**resources_of(container), "requests": requests}
                cut -= taken
        if cut:
            return None
    return _with_spec(pod, containers=containers)


def with_tolerations(pod: Object, taints: Iterable[Object]) -> Object:
    """A pod that tolerates these taints besides what it tolerates."""
    added = [{"operator": "Equal", **taint} for taint in taints]
    return _with_spec(pod, tolerations=[*tolerations_of(spec_of(pod)), *added])


def with_priority(pod: Object, priority: int) -> Object:
    """A pod of another priority, that may preempt."""
    return _with_spec(pod, priority=priority, preemptionPolicy="PreemptLowerPriority")


def _with_spec(pod: Object, **fields: Any) -> Object:
    return {**pod, "spec": {**spec_of(pod), **fields}}


def _requests(container: Object) -> Mapping[str, Any]:
    return {**limits_of(container), **requests_of(container)}


def _requested(container: Object, resource: str) -> int:
    amount = _requests(container).get(resource)
    return 0 if amount is None else nanos(amount)
