"""ResourceQuotas: validation of hard limits and scopes."""

from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, part
from podium.api.policy.quota_usage import CLAIM_RESOURCES, POD_COMPUTE, SERVICE_RESOURCES
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, join
from podium.apiserver.validation.metadata import object_check
from podium.apiserver.validation.names import label_key
from podium.apiserver.validation.resource_requirements import resource_list

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


_valid = object_check(
    spec=checks.fields(_scopes, _scope_selector, hard=_amounts),
    status=checks.fields(hard=_amounts, used=_amounts),
)

RESOURCE_QUOTA = Registration(
    kind=KINDS["ResourceQuota"],
    validate=_valid,
    validate_change=_same_scopes,
    validate_subresource_update={
        "status": rules.all_of(rules.metadata, rules.valid(_valid, "status"))
    },
)
