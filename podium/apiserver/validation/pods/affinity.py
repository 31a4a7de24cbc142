"""Affinity and topology spread constraints of a pod."""

from typing import Any

from podium.api.errors import FieldError
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, a_dict, dicts, join
from podium.apiserver.validation.names import dns_label, label_key
from podium.apiserver.validation.selectors import label_selector, node_selector, node_selector_term

_EMPTY = "can not be empty"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_DO_NOT_SCHEDULE = "DoNotSchedule"

_weight = checks.absent_as(0, checks.integer(1, 100, "must be in the range 1-100"))


@checks.of_list
def _namespaces(value: Any, path: str) -> Faults:
    # The path has no index, and isn't the field's name, as kube-apiserver has it.
    for name in value:
        yield from dns_label(name, path.removesuffix("s"))


def _label_keys_fit(value: Any, path: str) -> Faults:
    for name in ("matchLabelKeys", "mismatchLabelKeys"):
        yield from _label_keys(value, path, name)
    # The path lacks the field's name, as kube-apiserver has it.
    yield from _not_selected_already(value, path)
    match, mismatch = value.get("matchLabelKeys"), value.get("mismatchLabelKeys")
    if isinstance(match, list) and isinstance(mismatch, list):
        others = set(map(str, mismatch))
        for index, key in enumerate(match):
            if str(key) in others:
                where = f"{join(path, 'matchLabelKeys')}[{index}]"
                yield FieldError(where, key, "exists in both matchLabelKeys and mismatchLabelKeys")


def _label_keys(value: Any, path: str, field: str) -> Faults:
    keys, where = value.get(field), join(path, field)
    if keys and value.get("labelSelector") is None:
        yield checks.forbidden(where, "must not be specified when labelSelector is not set")
    elif keys is not None:
        yield from checks.each(label_key)(keys, where)


def _not_selected_already(value: Any, path: str) -> Faults:
    """A key is in the selector once at most: where it was merged into it."""
    keys, selector = value.get("matchLabelKeys"), a_dict(value.get("labelSelector"))
    if not isinstance(keys, list):
        return
    places = {str(key): index for index, key in reversed([*enumerate(keys)])}
    known = set(a_dict(selector.get("matchLabels")))
    for _, requirement in dicts(selector.get("matchExpressions")):
        key = str(requirement.get("key"))
        if key in places and key in known:
            message = "exists in both matchLabelKeys and labelSelector"
            yield FieldError(f"{path}[{places[key]}]", key, message)
        known.add(key)


def _term_topology_key(value: object, path: str) -> Faults:
    if value == "":
        yield checks.required(path, _EMPTY)
    yield from label_key(value, path)


_pod_affinity_term = checks.in_turn(
    checks.fields(
        labelSelector=label_selector, namespaceSelector=label_selector, namespaces=_namespaces
    ),
    _label_keys_fit,
    checks.fields(topologyKey=checks.absent_as("", _term_topology_key)),
)

_pod_affinity = checks.fields(
    **{
        _REQUIRED: checks.each(_pod_affinity_term),
        _PREFERRED: checks.each(
            checks.fields(weight=_weight, podAffinityTerm=checks.absent_as({}, _pod_affinity_term))
        ),
    }
)

_node_affinity = checks.fields(
    **{
        _REQUIRED: node_selector,
        _PREFERRED: checks.each(checks.fields(weight=_weight, preference=node_selector_term)),
    }
)

affinity = checks.fields(
    nodeAffinity=_node_affinity, podAffinity=_pod_affinity, podAntiAffinity=_pod_affinity
)


def _min_domains_when_required(value: Any, path: str) -> Faults:
    when = value.get("whenUnsatisfiable")
    if value.get("minDomains") is not None and when != _DO_NOT_SCHEDULE:
        message = f"can only use minDomains if whenUnsatisfiable={_DO_NOT_SCHEDULE}, not {when}"
        yield FieldError(join(path, "minDomains"), value["minDomains"], message)


_node_inclusion_policy = checks.one_of("Honor", "Ignore")

_kind_of_constraint = checks.fields(
    maxSkew=checks.absent_as(0, checks.integer(1, checks.INT32_MAX, "must be greater than zero")),
    topologyKey=checks.needed(checks.text, _EMPTY),
    whenUnsatisfiable=checks.absent_as("", checks.one_of(_DO_NOT_SCHEDULE, "ScheduleAnyway")),
)
_rest_of_constraint = checks.in_turn(
    checks.fields(minDomains=checks.integer(1, checks.INT32_MAX, "must be greater than 0")),
    _min_domains_when_required,
    checks.fields(
        nodeAffinityPolicy=_node_inclusion_policy, nodeTaintsPolicy=_node_inclusion_policy
    ),
    lambda value, path: _label_keys(value, path, "matchLabelKeys"),
    lambda value, path: _not_selected_already(value, join(path, "matchLabelKeys")),
    checks.fields(labelSelector=label_selector),
)


@checks.of_list
def spread_constraints(value: Any, path: str) -> Faults:
    """The `topologySpreadConstraints` of a pod, no two of one kind."""
    pairs = [
        tuple(str(a_dict(one).get(field) or "") for field in ("topologyKey", "whenUnsatisfiable"))
        for one in value
    ]
    last = {pair: index for index, pair in enumerate(pairs)}
    for index, constraint in enumerate(value):
        where = f"{path}[{index}]"
        if not isinstance(constraint, dict):
            yield checks.wrong_type(where, constraint, "an object")
            continue
        yield from _kind_of_constraint(constraint, where)
        if last[pairs[index]] > index:
            shown = f"{{{', '.join(pairs[index])}}}"
            yield checks.duplicate(f"{where}.{{topologyKey, whenUnsatisfiable}}", shown)
        yield from _rest_of_constraint(constraint, where)
