"""Resource lists and requirements: names, amounts, and requests that fit their limits."""

from collections.abc import Callable
from typing import Any

from podium.api.errors import FieldError, unsupported
from podium.api.labels import validate_label_key
from podium.api.quantity import NANOS_PER_UNIT, QuantityError, parse_quantity
from podium.api.resources import is_extended_resource
from podium.apiserver.validation.checks import (
    Check,
    Faults,
    a_dict,
    each,
    fields,
    join,
    needed,
    quantity,
    required,
    text,
    wrong_type,
)

_CONTAINER = ("cpu", "memory", "ephemeral-storage")
_POD_LEVEL = ("cpu", "memory")
_OTHER = ("storage", "pods", "services", "replicationcontrollers", "resourcequotas", "secrets")
_OTHER_STANDARD = frozenset({*_OTHER, "configmaps", "persistentvolumeclaims"})
_HUGE_PAGES = "hugepages-"
_NATIVE_DOMAIN = "kubernetes.io/"
_WHOLE = "must be an integer"


def _is_standard(name: str) -> bool:
    return name in _CONTAINER or name.startswith(_HUGE_PAGES) or name in _OTHER_STANDARD


def allows_overcommit(name: str) -> bool:
    """Whether limits may exceed requests: not for huge pages, nor for what is counted by piece."""
    native = "/" not in name or _NATIVE_DOMAIN in name
    return native and not name.startswith(_HUGE_PAGES)


def container_resource_name(name: str, path: str) -> Faults:
    """A resource that a container may ask for."""
    for message in validate_label_key(name):
        yield FieldError(path, name, message)
    if "/" not in name:
        if not _is_standard(name):
            yield FieldError(path, name, "must be a standard resource type or fully qualified")
        if name not in _CONTAINER and not name.startswith(_HUGE_PAGES):
            yield FieldError(path, name, "must be a standard resource for containers")
    elif _NATIVE_DOMAIN not in name and not is_extended_resource(name):
        yield FieldError(path, name, "doesn't follow extended resource name standard")


def pod_level_resource_name(name: str, path: str) -> Faults:
    """A resource that a pod as a whole may ask for."""
    if name not in _POD_LEVEL and not name.startswith(_HUGE_PAGES):
        yield unsupported(path, name, ("cpu", f"{_HUGE_PAGES}<size>", "memory"))


def _any_name(name: str, path: str) -> Faults:
    for message in validate_label_key(name):
        yield FieldError(path, name, message)


def resource_list(check_name: Callable[[str, str], Faults] = _any_name) -> Check:
    """Amounts by resource name; extended resources and pods are counted in whole pieces."""

    def check(value: object, path: str) -> Faults:
        if not isinstance(value, dict):
            yield wrong_type(path, value, "an object of resource names and quantities")
            return
        for name, amount in value.items():
            where = f"{path}[{name}]"
            yield from check_name(name, where)
            faults = list(quantity(amount, where))
            yield from faults
            counted = name == "pods" or is_extended_resource(name)
            if counted and not faults and parse_quantity(amount).nanos % NANOS_PER_UNIT:
                yield FieldError(where, amount, _WHOLE)

    return check


def _fits_limits(value: Any, path: str) -> Faults:
    """Requests within limits; equal to them where overcommitting isn't allowed."""
    requests, limits = a_dict(value.get("requests")), a_dict(value.get("limits"))
    for name, request in requests.items():
        limit = limits.get(name)
        if limit is None:
            if not allows_overcommit(name):
                message = "Limit must be set for non overcommitable resources"
                yield required(join(path, "limits"), message)
            continue
        wrong = _misfit(name, request, limit)
        if wrong:
            message = f"must be {wrong} {name} limit of {limit}"
            yield FieldError(join(path, "requests"), request, message)


def _misfit(name: str, request: Any, limit: Any) -> str:
    """How a request must relate to its limit and doesn't; empty if all is well or unreadable."""
    try:
        requested, limited = parse_quantity(request), parse_quantity(limit)
    except QuantityError:
        return ""
    if not allows_overcommit(name):
        return "" if requested == limited else "equal to"
    return "less than or equal to" if requested > limited else ""


def resource_requirements(check_name: Callable[[str, str], Faults]) -> Check:
    """The `resources` of a container or a pod."""
    return fields(
        _fits_limits,
        limits=resource_list(check_name),
        requests=resource_list(check_name),
        claims=each(fields(name=needed(text))),
    )


container_resources = resource_requirements(container_resource_name)
pod_level_resources = resource_requirements(pod_level_resource_name)
amounts = resource_list()
