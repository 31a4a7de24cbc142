"""Resource amounts: rounding, and requests that follow from limits."""

from typing import Any

from podium.api.objects import Object
from podium.api.quantity import NANOS_PER_MILLI, Format, Quantity, parse_quantity
from podium.api.resources import pod_limits, pod_requests
from podium.apiserver.defaulting.copying import each_value, inside, with_field

_POD_LEVEL = ("cpu", "memory")
_HUGE_PAGES = "hugepages-"


def _to_thousandths(raw: Any) -> Any:
    """An amount as it is, or rounded up to thousandths where it is finer."""
    amount = parse_quantity(raw)
    rest = amount.nanos % NANOS_PER_MILLI
    if not rest:
        return raw
    return str(Quantity(amount.nanos - rest + NANOS_PER_MILLI, amount.format))


amounts = each_value(_to_thousandths)
"""A resource list, stored with no finer amounts than thousandths."""


def requirements(resources: Object) -> Object:
    """The `resources` of a container or a pod, rounded."""
    return inside(resources, limits=amounts, requests=amounts)


def requests_from_limits(container: Object) -> Object:
    """A container that requests what it is limited to, where it doesn't say what it requests."""
    resources = container.get("resources") or {}
    limits, requests = resources.get("limits"), resources.get("requests") or {}
    missing = {name: limit for name, limit in (limits or {}).items() if name not in requests}
    if not missing:
        return container
    return {**container, "resources": {**resources, "requests": {**requests, **missing}}}


def pod_level(spec: Object) -> Object:
    """A pod spec whose own resources, where it has any, are complete.

    Limits of huge pages follow from the containers'; requests, if there are limits, from what the
    containers request together and otherwise from the limits.
    """
    resources = spec.get("resources")
    if not resources or not (resources.get("limits") or resources.get("requests")):
        return spec
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name, nanos in pod_limits({"spec": _containers(spec)}).items():
        if name.startswith(_HUGE_PAGES) and name not in requests and name not in limits:
            limits = {**limits, name: _text(name, nanos)}
    if limits:
        requests = _complete_requests(spec, limits, requests)
    full = {**resources}
    if limits:
        full["limits"] = limits
    if requests:
        full["requests"] = requests
    return spec if full == resources else with_field(spec, "resources", full)


def _complete_requests(spec: Object, limits: Object, requests: Object) -> Object:
    together = {
        name: _text(name, nanos)
        for name, nanos in pod_requests({"spec": _containers(spec)}).items()
        if name in _POD_LEVEL
    }
    limited = {
        name: limit
        for name, limit in limits.items()
        if name in _POD_LEVEL or name.startswith(_HUGE_PAGES)
    }
    return {**limited, **together, **requests}


def _containers(spec: Object) -> Object:
    return {name: spec.get(name) for name in ("initContainers", "containers")}


def _text(name: str, nanos: int) -> str:
    return str(Quantity(nanos, Format.DECIMAL_SI if name == "cpu" else Format.BINARY_SI))
