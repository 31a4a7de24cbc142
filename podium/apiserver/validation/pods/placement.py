"""Checks of affinities, topology spread constraints and tolerations of pods, and of taints."""

from typing import Any

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.nodes import NO_EXECUTE, NO_SCHEDULE, PREFER_NO_SCHEDULE
from podium.api.objects import entries, part
from podium.api.selectors.labels import validate_label_value
from podium.apiserver.internal_types import internal
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import dns_label, label_key, label_value
from podium.apiserver.validation.selectors import label_selector, node_selector, node_selector_term

_EFFECTS = (NO_SCHEDULE, PREFER_NO_SCHEDULE, NO_EXECUTE)


def _operator_and_effect(toleration: Any, path: str) -> checks.Faults:
    operator, effect = toleration.get("operator") or "", toleration.get("effect") or ""
    compared, where = toleration.get("value") or "", checks.join(path, "operator")
    if not toleration.get("key") and operator != "Exists":
        message = (
            "operator must be Exists when `key` is empty, which means "
            '"match all values and all keys"'
        )
        yield FieldError(where, operator, message)
    if toleration.get("tolerationSeconds") is not None and effect != NO_EXECUTE:
        message = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        yield FieldError(checks.join(path, "effect"), effect, message)
    if operator == "Exists":
        if compared:
            yield FieldError(where, compared, "value must be empty when `operator` is 'Exists'")
    elif operator not in ("", "Equal"):
        # kube-apiserver lists operators of a disabled feature gate only if one of them is used.
        gated = ("Lt", "Gt") if operator in ("Lt", "Gt") else ()
        yield unsupported(where, operator, ("Equal", "Exists", *gated))
    elif faults := validate_label_value(compared):
        yield FieldError(where, compared, ";".join(faults))


tolerations = checks.each(
    checks.both(
        checks.fields(key=checks.unless_empty(label_key)),
        _operator_and_effect,
        checks.fields(effect=checks.unless_empty(checks.one_of(*_EFFECTS))),
    )
)

_taint = checks.fields(
    key=checks.absent_as("", label_key),
    value=label_value,
    effect=checks.needed(checks.one_of(*_EFFECTS)),
)


def taints(taints: Any, path: str) -> checks.Faults:
    """Check the `taints` of a node, including that key and effect are unique."""
    yield from checks.each(_taint)(taints, path)
    seen = set()
    for index, taint in enumerate(taints):
        pair = (taint.get("key"), taint.get("effect"))
        if pair in seen:
            message = "taints must be unique by key and effect pair"
            shown = internal("Taint", taint)
            yield FieldError(f"{path}[{index}]", shown, message, ErrorKind.DUPLICATE)
        seen.add(pair)


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
