"""ResourceQuotas, LimitRanges and PodDisruptionBudgets: defaults and validation."""

from collections.abc import Iterator
from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, part
from podium.api.objects import name as name_of
from podium.api.policy.quota_usage import CLAIM_RESOURCES, POD_COMPUTE, SERVICE_RESOURCES
from podium.api.values.quantity import NANOS_PER_UNIT, Quantity, parse_quantity
from podium.apiserver.internal_types import internal
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.defaulting import defaults_of
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, join
from podium.apiserver.validation.names import any_metadata, label_key, object_check
from podium.apiserver.validation.resource_requirements import (
    allows_overcommit,
    container_resource_name,
    resource_list,
    resource_name,
)
from podium.apiserver.validation.selectors import label_selector

_HUGE_PAGES = ("hugepages-", "requests.hugepages-")
_OBJECTS = frozenset({"resourcequotas", "replicationcontrollers", "secrets", "configmaps"})
_COUNTED = SERVICE_RESOURCES | _OBJECTS | {"pods", "persistentvolumeclaims"}
_EPHEMERAL = {f"{prefix}ephemeral-storage" for prefix in ("", "requests.", "limits.")}
_STANDARD = POD_COMPUTE | CLAIM_RESOURCES | _COUNTED | _EPHEMERAL
_ONE_OR_THE_OTHER = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))
_SCOPES = {
    **dict.fromkeys(("Terminating", "NotTerminating", "NotBestEffort"), POD_COMPUTE | {"pods"}),
    **dict.fromkeys(("PriorityClass", "CrossNamespacePodAffinity"), POD_COMPUTE | {"pods"}),
    "BestEffort": frozenset({"pods"}),
    "VolumeAttributesClass": CLAIM_RESOURCES,
}
_WITH_VALUES = ("PriorityClass", "VolumeAttributesClass")
_MUST_EXIST = "must be 'Exists' when scope is any of " + (
    "ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or "
    "ResourceQuotaScopeCrossNamespacePodAffinity"
)


def _is_standard(name: str) -> bool:
    return name in _STANDARD or name.startswith(_HUGE_PAGES)


def _resource_name(name: str, path: str) -> Faults:
    malformed = [*label_key(name, path)]
    yield from malformed
    if "/" not in name and not _is_standard(name):
        if not malformed:
            yield FieldError(path, name, "must be a standard resource type or fully qualified")
        yield FieldError(path, name, "must be a standard resource for quota")


_amounts = resource_list(_resource_name, _COUNTED)


def _scopes(spec: Any, path: str) -> Faults:
    scopes, where = entries(spec, "scopes"), join(path, "scopes")
    for scope in scopes:
        if scope not in _SCOPES:
            yield FieldError(where, scopes, "unsupported scope")
        yield from _out_of_scope(spec, scope, where, scopes)
    yield from _conflicts(scopes, scopes, where)


def _out_of_scope(spec: Any, scope: Any, where: str, shown: Any) -> Faults:
    for name in sorted(part(spec, "hard")) if scope in _SCOPES else ():
        if _is_standard(name) and name not in _SCOPES[scope]:
            yield FieldError(where, shown, "unsupported scope applied to resource")


def _conflicts(named: Any, shown: Any, where: str) -> Faults:
    for pair in _ONE_OR_THE_OTHER:
        if all(scope in named for scope in pair):
            yield FieldError(where, shown or "null", "conflicting scopes")


def _scope_selector(spec: Any, path: str) -> Faults:
    selector, where = part(spec, "scopeSelector"), join(path, "scopeSelector.matchExpressions")
    named = []
    for requirement in entries(selector, "matchExpressions"):
        scope = requirement.get("scopeName") or ""
        if scope not in _SCOPES:
            yield FieldError(f"{where}.scopeName", scope, "unsupported scope")
        yield from _out_of_scope(spec, scope, where, selector)
        operator, values = requirement.get("operator") or "", requirement.get("values") or []
        if scope in _SCOPES and scope not in _WITH_VALUES and operator != "Exists":
            yield FieldError(f"{where}.operator", operator, _MUST_EXIST)
        if operator in ("In", "NotIn"):
            if not values:
                rule = "must be at least one value when `operator` is 'In' or 'NotIn'"
                yield checks.required(f"{where}.values", f"{rule} for scope selector")
        elif operator in ("Exists", "DoesNotExist"):
            if values:
                rule = "must be no value when `operator` is 'Exist' or 'DoesNotExist'"
                yield FieldError(f"{where}.values", values, f"{rule} for scope selector")
        else:
            yield FieldError(f"{where}.operator", operator, "not a valid selector operator")
        named.append(scope)
    yield from _conflicts(named, spec.get("scopes"), where)


def _same_scopes(new: Object, old: Object) -> Faults:
    now, before = rules.at(new, "spec.scopes"), rules.at(old, "spec.scopes")
    if set(now or ()) != set(before or ()):
        yield FieldError("spec.scopes", "null" if now is None else now, "field is immutable")


_valid_quota = object_check(
    spec=checks.fields(_scopes, _scope_selector, hard=_amounts),
    status=checks.fields(hard=_amounts, used=_amounts),
)

RESOURCE_QUOTA = Registration(
    kind=KINDS["ResourceQuota"],
    validate=_valid_quota,
    validate_change=_same_scopes,
    validate_subresource_update={
        "status": rules.all_of(rules.metadata, rules.valid(_valid_quota, "status"))
    },
)


_LISTS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")


def _type_name(name: str, path: str) -> Faults:
    faults = [*label_key(name, path)]
    yield from faults
    is_standard = name in ("Pod", "Container", "PersistentVolumeClaim")
    if not faults and "/" not in name and not is_standard:
        yield FieldError(path, name, "must be a standard limit type or fully qualified")


def _limit(limit: Any, path: str) -> Faults:
    kind = limit.get("type") or ""
    yield from _type_name(kind, join(path, "type"))
    check = container_resource_name if kind in ("Pod", "Container") else resource_name
    for field in _LISTS:
        amounts = part(limit, field)
        if kind == "Pod" and field in ("default", "defaultRequest"):
            if amounts:
                message = "may not be specified when `type` is 'Pod'"
                yield checks.forbidden(join(path, field), message)
            continue
        for name in amounts:
            yield from check(name, f"{join(path, field)}[{name}]")
    bounds = {**part(limit, "min"), **part(limit, "max")}
    if kind == "PersistentVolumeClaim" and "storage" not in bounds:
        message = "either minimum or maximum storage value is required, but neither was provided"
        yield checks.required(join(path, "limits"), message)
    # For each resource: minimum, default request, default limit and maximum, in that order.
    amounts = {
        field: {name: parse_quantity(amount) for name, amount in part(limit, field).items()}
        for field in _LISTS
    }
    for name in sorted({name for resources in amounts.values() for name in resources}):
        of = {field: resources.get(name) for field, resources in amounts.items()}
        for where, shown, message in _contradictions(name, of):
            yield FieldError(f"{join(path, where)}[{name}]", str(shown), message)


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


_limits = checks.both(checks.each(_limit), checks.distinct("type", place=".type"))


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


_valid_limits = object_check(spec=checks.fields(limits=_limits))

LIMIT_RANGE = Registration(
    kind=KINDS["LimitRange"],
    validate=_valid_limits,
    validate_update=rules.valid(_valid_limits),
    # A limit range without a name is named after its uid.
    create=lambda limits, _: {
        **limits,
        "metadata": {**limits["metadata"], "name": name_of(limits) or limits["metadata"]["uid"]},
    },
)


_COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


def _one_bound(value: Any, path: str) -> Faults:
    if None not in (value.get("minAvailable"), value.get("maxUnavailable")):
        shown = internal("PodDisruptionBudgetSpec", value)
        yield FieldError(path, shown, "minAvailable and maxUnavailable cannot be both set")


_valid_content = checks.fields(
    spec=checks.fields(
        _one_bound,
        minAvailable=checks.int_or_percent,
        maxUnavailable=checks.int_or_percent,
        selector=label_selector,
        unhealthyPodEvictionPolicy=checks.one_of("AlwaysAllow", "IfHealthyBudget"),
    )
)


def _valid_budget(budget: Any, path: str) -> Faults:
    # Its metadata is judged last, and where nothing else is wrong.
    yield from [*_valid_content(budget, path)] or checks.fields(metadata=any_metadata)(budget, path)


POD_DISRUPTION_BUDGET = Registration(
    kind=KINDS["PodDisruptionBudget"],
    validate=_valid_budget,
    validate_update=rules.valid(_valid_content, "spec"),
    validate_subresource_update={
        "status": rules.not_negative(*(f"status.{field}" for field in _COUNTS))
    },
)
