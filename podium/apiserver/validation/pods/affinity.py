"""Checks of affinities and topology spread constraints of pods."""

from typing import Any

from podium.api.errors import FieldError
from podium.api.objects import entries, part
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import dns_label, label_key
from podium.apiserver.validation.selectors import label_selector, node_selector, node_selector_term

_EMPTY = "can not be empty"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_DO_NOT_SCHEDULE = "DoNotSchedule"

_weight = checks.absent_as(0, checks.integer(1, 100, "must be in the range 1-100"))


def _namespaces(names: Any, path: str) -> checks.Faults:
    # The path has no index, and isn't the field's name, as in kube-apiserver.
    for name in names:
        yield from dns_label(name, path.removesuffix("s"))


def _label_keys_fit(term: Any, path: str) -> checks.Faults:
    for name in ("matchLabelKeys", "mismatchLabelKeys"):
        yield from _label_keys(term, path, name)
    # The path lacks the field's name, as in kube-apiserver.
    yield from _not_selected_already(term, path)
    others = set(entries(term, "mismatchLabelKeys"))
    for index, key in enumerate(entries(term, "matchLabelKeys")):
        if key in others:
            where = f"{checks.join(path, 'matchLabelKeys')}[{index}]"
            yield FieldError(where, key, "exists in both matchLabelKeys and mismatchLabelKeys")


def _label_keys(term: Any, path: str, field: str) -> checks.Faults:
    keys, where = entries(term, field), checks.join(path, field)
    if keys and term.get("labelSelector") is None:
        yield checks.forbidden(where, "must not be specified when labelSelector is not set")
    else:
        yield from checks.each(label_key)(keys, where)


def _not_selected_already(term: Any, path: str) -> checks.Faults:
    # A key is merged into the selector, so it occurs there once, but not twice.
    selector = part(term, "labelSelector")
    places: dict[str, int] = {}
    for index, key in enumerate(entries(term, "matchLabelKeys")):
        places.setdefault(key, index)
    known = set(part(selector, "matchLabels"))
    for requirement in entries(selector, "matchExpressions"):
        key = requirement.get("key", "")
        if key in places and key in known:
            message = "exists in both matchLabelKeys and labelSelector"
            yield FieldError(f"{path}[{places[key]}]", key, message)
        known.add(key)


def _term_topology_key(key: Any, path: str) -> checks.Faults:
    if not key:
        yield checks.required(path, _EMPTY)
    yield from label_key(key, path)


_pod_affinity_term = checks.both(
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


def _min_domains_when_required(constraint: Any, path: str) -> checks.Faults:
    when = constraint.get("whenUnsatisfiable")
    if constraint.get("minDomains") is not None and when != _DO_NOT_SCHEDULE:
        message = f"can only use minDomains if whenUnsatisfiable={_DO_NOT_SCHEDULE}, not {when}"
        yield FieldError(checks.join(path, "minDomains"), constraint["minDomains"], message)


_node_inclusion_policy = checks.one_of("Honor", "Ignore")

_kind_of_constraint = checks.fields(
    maxSkew=checks.absent_as(0, checks.integer(1, rule="must be greater than zero")),
    topologyKey=checks.needed(message=_EMPTY),
    whenUnsatisfiable=checks.absent_as("", checks.one_of(_DO_NOT_SCHEDULE, "ScheduleAnyway")),
)
_rest_of_constraint = checks.both(
    checks.fields(minDomains=checks.integer(1, rule="must be greater than 0")),
    _min_domains_when_required,
    checks.fields(
        nodeAffinityPolicy=_node_inclusion_policy, nodeTaintsPolicy=_node_inclusion_policy
    ),
    lambda value, path: _label_keys(value, path, "matchLabelKeys"),
    lambda value, path: _not_selected_already(value, checks.join(path, "matchLabelKeys")),
    checks.fields(labelSelector=label_selector),
)


def spread_constraints(constraints: Any, path: str) -> checks.Faults:
    """Check a pod's `topologySpreadConstraints`; topologyKey and whenUnsatisfiable are unique."""
    pairs = [
        tuple(constraint.get(field) or "" for field in ("topologyKey", "whenUnsatisfiable"))
        for constraint in constraints
    ]
    last = {pair: index for index, pair in enumerate(pairs)}
    for index, constraint in enumerate(constraints):
        where = f"{path}[{index}]"
        yield from _kind_of_constraint(constraint, where)
        if last[pairs[index]] > index:
            shown = f"{{{', '.join(pairs[index])}}}"
            yield checks.duplicate(f"{where}.{{topologyKey, whenUnsatisfiable}}", shown)
        yield from _rest_of_constraint(constraint, where)
