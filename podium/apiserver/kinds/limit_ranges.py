"""LimitRanges: defaults, and validation that bounds and defaults are consistent."""

from collections.abc import Iterator
from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, part
from podium.api.objects import name as name_of
from podium.api.values.quantity import NANOS_PER_UNIT, Quantity, parse_quantity
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.defaulting import defaults_of
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.validation import checks
from podium.apiserver.validation.metadata import object_check
from podium.apiserver.validation.names import label_key
from podium.apiserver.validation.resource_requirements import (
    allows_overcommit,
    container_resource_name,
    resource_name,
)

_LISTS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")


def _type_name(name: str, path: str) -> checks.Faults:
    faults = [*label_key(name, path)]
    yield from faults
    is_standard = name in ("Pod", "Container", "PersistentVolumeClaim")
    if not faults and "/" not in name and not is_standard:
        yield FieldError(path, name, "must be a standard limit type or fully qualified")


def _limit(limit: Any, path: str) -> checks.Faults:
    kind = limit.get("type") or ""
    yield from _type_name(kind, checks.join(path, "type"))
    check = container_resource_name if kind in ("Pod", "Container") else resource_name
    for field in _LISTS:
        amounts = part(limit, field)
        if kind == "Pod" and field in ("default", "defaultRequest"):
            if amounts:
                message = "may not be specified when `type` is 'Pod'"
                yield checks.forbidden(checks.join(path, field), message)
            continue
        for name in amounts:
            yield from check(name, f"{checks.join(path, field)}[{name}]")
    bounds = {**part(limit, "min"), **part(limit, "max")}
    if kind == "PersistentVolumeClaim" and "storage" not in bounds:
        message = "either minimum or maximum storage value is required, but neither was provided"
        yield checks.required(checks.join(path, "limits"), message)
    # For each resource: minimum, default request, default limit and maximum, in that order.
    amounts = {
        field: {name: parse_quantity(amount) for name, amount in part(limit, field).items()}
        for field in _LISTS
    }
    for name in sorted({name for found in amounts.values() for name in found}):
        of = {field: found.get(name) for field, found in amounts.items()}
        for where, shown, message in _contradictions(name, of):
            yield FieldError(f"{checks.join(path, where)}[{name}]", str(shown), message)


def _contradictions(
    name: str, of: dict[str, Quantity | None]
) -> Iterator[tuple[str, Quantity, str]]:
    low, high, ratio = of["min"], of["max"], of["maxLimitRequestRatio"]
    request, limit = of["defaultRequest"], of["default"]
    for where, shown, smaller, small_title, larger, large_title in (
        ("min", low, low, "min value", high, "max value"),
        ("defaultRequest", request, low, "min value", request, "default request value"),
        ("defaultRequest", request, request, "default request value", high, "max value"),
        ("defaultRequest", request, request, "default request value", limit, "default limit value"),
        ("default", low, low, "min value", limit, "default value"),
        ("default", high, limit, "default value", high, "max value"),
    ):
        if shown is not None and smaller is not None and larger is not None and smaller > larger:
            message = f"{small_title} {smaller} is greater than {large_title} {larger}"
            yield where, shown, message
    if ratio is not None and ratio.nanos < NANOS_PER_UNIT:
        yield "maxLimitRequestRatio", ratio, f"ratio {ratio} is less than 1"
    if ratio is not None and low and high is not None:
        most = high.nanos / low.nanos
        if ratio.nanos > most * NANOS_PER_UNIT:
            message = f"ratio {ratio} is greater than max/min = {most:f}"
            yield "maxLimitRequestRatio", ratio, message
    if not allows_overcommit(name) and request is not None and limit not in (None, request):
        message = f"default value {limit} must equal to defaultRequest value {request} in {name}"
        yield "defaultRequest", request, message


def _limits(limits: Any, path: str) -> checks.Faults:
    yield from checks.each(_limit)(limits, path)
    seen = set[str]()
    for index, limit in enumerate(limits):
        kind = limit.get("type", "")
        if kind in seen:
            yield checks.duplicate(f"{path}[{index}].type", kind)
        seen.add(kind)


# Default limits and requests of containers follow from the bounds.
@defaults_of("core.LimitRangeItem")
def _filled(limit: Object) -> Object:
    if limit.get("type") != "Container":
        return limit
    default = {**part(limit, "max"), **part(limit, "default")}
    request = {**part(limit, "min"), **default, **part(limit, "defaultRequest")}
    filled = {
        name: value
        for name, value in (("default", default), ("defaultRequest", request))
        if value != part(limit, name)
    }
    return {**limit, **filled} if filled else limit


_valid = object_check(spec=checks.fields(limits=_limits))

LIMIT_RANGE = Registration(
    kind=KINDS["LimitRange"],
    validate=_valid,
    validate_update=rules.valid(_valid),
    # A limit range without a name is named after its uid.
    create=lambda limits, _: {
        **limits,
        "metadata": {**limits["metadata"], "name": name_of(limits) or limits["metadata"]["uid"]},
    },
)
