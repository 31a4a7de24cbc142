"""Affinity and topology spread constraints of a pod."""

from typing import Any

from podium.api.errors import FieldError
from podium.apiserver.validation.checks import (
    INT32_MAX,
    Faults,
    dicts,
    duplicate,
    each,
    fields,
    forbidden,
    integer,
    join,
    needed,
    one_of,
)
from podium.apiserver.validation.names import dns_label, label_key
from podium.apiserver.validation.selectors import (
    label_selector,
    node_selector,
    node_selector_term,
)

_EMPTY = "can not be empty"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_DO_NOT_SCHEDULE = "DoNotSchedule"

_weight = integer(1, 100, "must be in the range 1-100")
_label_keys = each(label_key)


def _label_keys_have_selector(value: Any, path: str) -> Faults:
    for name in ("matchLabelKeys", "mismatchLabelKeys"):
        if value.get(name) and value.get("labelSelector") is None:
            yield forbidden(join(path, name), value[name], "must not be specified without selector")


def _label_keys_differ(value: Any, path: str) -> Faults:
    match, mismatch = value.get("matchLabelKeys"), value.get("mismatchLabelKeys")
    if isinstance(match, list) and isinstance(mismatch, list):
        for index, key in enumerate(match):
            if key in mismatch:
                where = f"{join(path, 'matchLabelKeys')}[{index}]"
                message = "exists in both matchLabelKeys and mismatchLabelKeys"
                yield FieldError(where, key, message)


def _empty_key_is_no_label(value: Any, path: str) -> Faults:
    if not value.get("topologyKey"):
        yield from label_key("", join(path, "topologyKey"))


_pod_affinity_term = fields(
    _label_keys_have_selector,
    _label_keys_differ,
    _empty_key_is_no_label,
    labelSelector=label_selector,
    namespaceSelector=label_selector,
    namespaces=each(dns_label),
    topologyKey=needed(label_key, _EMPTY),
    matchLabelKeys=_label_keys,
    mismatchLabelKeys=_label_keys,
)

_pod_affinity = fields(
    **{
        _REQUIRED: each(_pod_affinity_term),
        _PREFERRED: each(
            fields(
                weight=needed(_weight),
                podAffinityTerm=needed(_pod_affinity_term),
            )
        ),
    }
)

_node_affinity = fields(
    **{
        _REQUIRED: node_selector,
        _PREFERRED: each(fields(weight=needed(_weight), preference=node_selector_term)),
    }
)

affinity = fields(
    nodeAffinity=_node_affinity, podAffinity=_pod_affinity, podAntiAffinity=_pod_affinity
)


def _min_domains_when_required(value: Any, path: str) -> Faults:
    when = value.get("whenUnsatisfiable")
    if value.get("minDomains") is not None and when != _DO_NOT_SCHEDULE:
        message = f"can only use minDomains if whenUnsatisfiable={_DO_NOT_SCHEDULE}, not {when}"
        yield FieldError(join(path, "minDomains"), value["minDomains"], message)


def _no_constraint_twice(value: Any, path: str) -> Faults:
    seen = set()
    for index, constraint in dicts(value):
        pair = (str(constraint.get("topologyKey")), str(constraint.get("whenUnsatisfiable")))
        if pair in seen:
            where = f"{path}[{index}].{{topologyKey, whenUnsatisfiable}}"
            yield duplicate(where, f"{{{pair[0]}, {pair[1]}}}")
        seen.add(pair)


_node_inclusion_policy = one_of("Honor", "Ignore")

_spread_constraint = fields(
    _min_domains_when_required,
    _label_keys_have_selector,
    maxSkew=needed(integer(1, INT32_MAX, "must be greater than zero"), "must be greater than zero"),
    topologyKey=needed(label_key, _EMPTY),
    whenUnsatisfiable=needed(
        one_of(_DO_NOT_SCHEDULE, "ScheduleAnyway"), "DoNotSchedule or ScheduleAnyway"
    ),
    minDomains=integer(1, INT32_MAX, "must be greater than 0"),
    nodeAffinityPolicy=_node_inclusion_policy,
    nodeTaintsPolicy=_node_inclusion_policy,
    labelSelector=label_selector,
    matchLabelKeys=_label_keys,
)


def spread_constraints(value: object, path: str) -> Faults:
    """The `topologySpreadConstraints` of a pod."""
    yield from each(_spread_constraint)(value, path)
    yield from _no_constraint_twice(value, path)
