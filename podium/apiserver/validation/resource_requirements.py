"""Checks of resource names, resource lists and resource requirements."""

from collections.abc import Callable, Container, Mapping
from typing import Any

from podium.api.errors import FieldError, unsupported
from podium.api.objects import part
from podium.api.resources import is_extended_resource
from podium.api.values.quantity import (
    NANOS_PER_UNIT,
    Quantity,
    QuantityError,
    nanos,
    parse_quantity,
)
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import label_key

_CONTAINER = ("cpu", "memory", "ephemeral-storage")
_POD_LEVEL = ("cpu", "memory")
_OTHER = ("storage", "pods", "services", "replicationcontrollers", "resourcequotas", "secrets")
_STANDARD = frozenset({*_CONTAINER, *_OTHER, "configmaps", "persistentvolumeclaims"})
_HUGE_PAGES = "hugepages-"
_NATIVE_DOMAIN = "kubernetes.io/"


def allows_overcommit(name: str) -> bool:
    """Return whether limits may exceed requests; not for huge pages and extended resources."""
    native = "/" not in name or _NATIVE_DOMAIN in name
    return native and not name.startswith(_HUGE_PAGES)


def resource_name(name: str, path: str) -> checks.Faults:
    """Check a resource name."""
    faults = [*label_key(name, path)]
    yield from faults
    is_standard = name in _STANDARD or name.startswith(_HUGE_PAGES)
    if not faults and "/" not in name and not is_standard:
        yield FieldError(path, name, "must be a standard resource type or fully qualified")


def container_resource_name(name: str, path: str) -> checks.Faults:
    """Check a resource name in a container."""
    yield from resource_name(name, path)
    if "/" not in name:
        if name not in _CONTAINER and not name.startswith(_HUGE_PAGES):
            yield FieldError(path, name, "must be a standard resource for containers")
    elif _NATIVE_DOMAIN not in name and not is_extended_resource(name):
        yield FieldError(path, name, "doesn't follow extended resource name standard")


def pod_level_resource_name(name: str, path: str) -> checks.Faults:
    """Check a resource name in the pod-level resources."""
    if name not in _POD_LEVEL and not name.startswith(_HUGE_PAGES):
        yield unsupported(path, name, ("cpu", f"{_HUGE_PAGES}<size>", "memory"))


def resource_list(
    check_name: Callable[[str, str], checks.Faults] = label_key, counted: Container[str] = ("pods",)
) -> checks.Check:
    """Return a check of quantities by resource name; `counted` resources must be integers."""

    def check(amounts: Mapping[str, Any], path: str) -> checks.Faults:
        for name, amount in amounts.items():
            where = f"{path}[{name}]"
            yield from check_name(name, where)
            yield from checks.quantity(amount, where)
            is_counted = name in counted or is_extended_resource(name)
            if is_counted and nanos(amount) >= 0 and nanos(amount) % NANOS_PER_UNIT:
                yield FieldError(where, amount, "must be an integer")

    return check


def resource_requirements(check_name: Callable[[str, str], checks.Faults]) -> checks.Check:
    """Return a check of the `resources` of a container or a pod."""
    amount = resource_list(check_name)

    def check(resources: Any, path: str) -> checks.Faults:
        limits, requests = part(resources, "limits"), part(resources, "requests")
        for name, limit in limits.items():
            yield from amount({name: limit}, checks.join(path, "limits"))
            yield from _whole_pages(name, limit, f"{checks.join(path, 'limits')}[{name}]")
        for name, request in requests.items():
            yield from amount({name: request}, checks.join(path, "requests"))
            yield from _fits_limit(name, request, limits.get(name), path)
            yield from _whole_pages(name, request, f"{checks.join(path, 'requests')}[{name}]")
        names = {*requests, *limits}
        has_pages = any(name.startswith(_HUGE_PAGES) for name in names)
        if has_pages and not {"cpu", "memory"}.intersection(names):
            yield checks.forbidden(path, "HugePages require cpu or memory")

    return check


def _fits_limit(name: str, request: Any, limit: Any, path: str) -> checks.Faults:
    is_flexible = allows_overcommit(name)
    if limit is None:
        if not is_flexible:
            message = "Limit must be set for non overcommitable resources"
            yield checks.required(checks.join(path, "limits"), message)
        return
    requested, limited = parse_quantity(request), parse_quantity(limit)
    if requested > limited if is_flexible else requested != limited:
        relation = "less than or equal to" if is_flexible else "equal to"
        message = f"must be {relation} {name} limit of {limit}"
        yield FieldError(checks.join(path, "requests"), request, message)


def _whole_pages(name: str, amount: Any, path: str) -> checks.Faults:
    if name.startswith(_HUGE_PAGES):
        quantity, page = parse_quantity(amount), _page_size(name)
        if page is None or page.nanos <= 0 or quantity.nanos % page.nanos:
            yield FieldError(path, amount, f"{quantity} is not positive integer multiple of {name}")


def _page_size(name: str) -> Quantity | None:
    try:
        return parse_quantity(name.removeprefix(_HUGE_PAGES))
    except QuantityError:
        return None


container_resources = resource_requirements(container_resource_name)
pod_level_resources = resource_requirements(pod_level_resource_name)
amounts = resource_list()


def overhead(amounts: Mapping[str, Any], path: str) -> checks.Faults:
    """Check a pod's overhead; faults have paths of a container's limits, as in kube-apiserver."""
    yield from container_resources({"limits": amounts}, path)
