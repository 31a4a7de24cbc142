"""Sums of a node's resources, for the scalar twins of the plugins that compare them."""

from collections.abc import Sequence
from functools import partial

from podium.api.objects import Object
from podium.api.resources import pod_requests, pod_scoring_requests, resource_amount
from podium.api.values.quantity import milli_value, value

Amounts = dict[str, int]


def allocatable(node: Object) -> Amounts:
    return {
        name: milli_value(amount) if name == "cpu" else value(amount)
        for name, amount in node["status"]["allocatable"].items()
    }


def requested(pods: Sequence[Object], *, nonzero: bool = False) -> Amounts:
    """The sum of what pods hold; with scoring's defaults if `nonzero`."""
    total: Amounts = {}
    read = pod_scoring_requests if nonzero else partial(pod_requests, use_status=True)
    for pod in pods:
        for name, nanos in read(pod).items():
            total[name] = total.get(name, 0) + resource_amount(name, nanos)
    return total
