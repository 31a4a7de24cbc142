"""Resource lists and requirements: names, amounts, and requests that fit their limits."""

from collections.abc import Callable, Container
from typing import Any

from podium.api.errors import FieldError, unsupported
from podium.api.resources import is_extended_resource
from podium.api.values.quantity import NANOS_PER_UNIT, Quantity, QuantityError, parse_quantity
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, a_dict, join
from podium.apiserver.validation.names import label_key

_CONTAINER = ("cpu", "memory", "ephemeral-storage")
_POD_LEVEL = ("cpu", "memory")
_OTHER = ("storage", "pods", "services", "replicationcontrollers", "resourcequotas", "secrets")
_STANDARD = frozenset({*_CONTAINER, *_OTHER, "configmaps", "persistentvolumeclaims"})
_HUGE_PAGES = "hugepages-"
_NATIVE_DOMAIN = "kubernetes.io/"


def allows_overcommit(name: str) -> bool:
    """Whether limits may exceed requests: not for huge pages, nor for what is counted by piece."""
    native = "/" not in name or _NATIVE_DOMAIN in name
    return native and not name.startswith(_HUGE_PAGES)


def resource_name(name: str, path: str) -> Faults:
    """A resource that there may be."""
    faults = [*label_key(name, path)]
    yield from faults
    is_standard = name in _STANDARD or name.startswith(_HUGE_PAGES)
    if not faults and "/" not in name and not is_standard:
        yield FieldError(path, name, "must be a standard resource type or fully qualified")


def container_resource_name(name: str, path: str) -> Faults:
    """A resource that a container may ask for."""
    yield from resource_name(name, path)
    if "/" not in name:
        if name not in _CONTAINER and not name.startswith(_HUGE_PAGES):
            yield FieldError(path, name, "must be a standard resource for containers")
    elif _NATIVE_DOMAIN not in name and not is_extended_resource(name):
        yield FieldError(path, name, "doesn't follow extended resource name standard")


def pod_level_resource_name(name: str, path: str) -> Faults:
    """A resource that a pod as a whole may ask for."""
    if name not in _POD_LEVEL and not name.startswith(_HUGE_PAGES):
        yield unsupported(path, name, ("cpu", f"{_HUGE_PAGES}<size>", "memory"))


def _amount(
    check_name: Callable[[str, str], Faults], counted: Container[str] = ("pods",)
) -> Callable[[str, Any, str], Faults]:
    def check(name: str, amount: Any, path: str) -> Faults:
        yield from check_name(name, path)
        faults = list(checks.quantity(amount, path))
        yield from faults
        is_counted = name in counted or is_extended_resource(name)
        if is_counted and not faults and parse_quantity(amount).nanos % NANOS_PER_UNIT:
            yield FieldError(path, amount, "must be an integer")

    return check


def _each_amount(*judges: Callable[[str, Any, str], Faults]) -> Check:
    def check(value: object, path: str) -> Faults:
        if not isinstance(value, dict):
            yield checks.wrong_type(path, value, "an object of resource names and quantities")
            return
        for name, amount in value.items():
            for one in judges:
                yield from one(name, amount, f"{path}[{name}]")

    return check


def resource_list(
    check_name: Callable[[str, str], Faults] = label_key, counted: Container[str] = ("pods",)
) -> Check:
    """Amounts by resource name, whole ones of what is counted."""
    return _each_amount(_amount(check_name, counted))


def _whole_pages(name: str, amount: Any, path: str) -> Faults:
    if name.startswith(_HUGE_PAGES) and (asked := readable(amount)) is not None:
        page = readable(name.removeprefix(_HUGE_PAGES))
        if page is None or page.nanos <= 0 or asked.nanos % page.nanos:
            yield FieldError(path, amount, f"{asked} is not positive integer multiple of {name}")


def readable(amount: Any) -> Quantity | None:
    """The quantity that a value stands for; None if it stands for none, which is told elsewhere."""
    try:
        return parse_quantity(amount)
    except QuantityError:
        return None


def _fits_limit(name: str, request: Any, limits: dict[str, Any], path: str) -> Faults:
    limit = limits.get(name)
    if limit is None:
        if not allows_overcommit(name):
            message = "Limit must be set for non overcommitable resources"
            yield checks.required(join(path, "limits"), message)
        return
    requested, limited = readable(request), readable(limit)
    if requested is None or limited is None:
        return
    is_flexible = allows_overcommit(name)
    if requested > limited if is_flexible else requested != limited:
        relation = "less than or equal to" if is_flexible else "equal to"
        message = f"must be {relation} {name} limit of {limit}"
        yield FieldError(join(path, "requests"), request, message)


def _pages_need_memory(value: Any, path: str) -> Faults:
    asked = [*a_dict(value.get("requests")), *a_dict(value.get("limits"))]
    has_pages = any(name.startswith(_HUGE_PAGES) for name in asked)
    if has_pages and not {"cpu", "memory"}.intersection(asked):
        yield checks.forbidden(path, "HugePages require cpu or memory")


def resource_requirements(check_name: Callable[[str, str], Faults]) -> Check:
    """The `resources` of a container or a pod."""
    check_amount = _amount(check_name)

    def requests(value: Any, path: str) -> Faults:
        def fits(name: str, request: Any, _where: str) -> Faults:
            return _fits_limit(name, request, a_dict(value.get("limits")), path)

        check = _each_amount(check_amount, fits, _whole_pages)
        yield from checks.fields(requests=check)(value, path)

    return checks.in_turn(
        checks.fields(limits=_each_amount(check_amount, _whole_pages)), requests, _pages_need_memory
    )


container_resources = resource_requirements(container_resource_name)
pod_level_resources = resource_requirements(pod_level_resource_name)
amounts = resource_list()


def _readable(amount: Any, path: str) -> Faults:
    try:
        parse_quantity(amount)
    except QuantityError as error:
        yield error.under(path).error


readable_amounts = checks.mapping(_readable)
"""Amounts of which nothing is asked but that they are quantities."""


def overhead(value: object, path: str) -> Faults:
    """Check a pod's overhead as kube-apiserver does: as a container's limits, paths included."""
    unreadable = list(readable_amounts(value, path))
    yield from unreadable or container_resources({"limits": value}, path)
