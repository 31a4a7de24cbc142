"""Checks of label selectors and node selectors."""

from typing import Any

from podium.api.errors import FieldError
from podium.api.selectors.node_selector import NAME_FIELD
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import label_key, label_map, label_value, subdomain

_LISTING = ("In", "NotIn")
_PRESENCE = ("Exists", "DoesNotExist")
_COMPARING = ("Gt", "Lt")
_UNKNOWN_OPERATOR = "not a valid selector operator"


def _requirement(*operators: str, values: checks.Check = label_value) -> checks.Check:
    def fits_operator(requirement: Any, path: str) -> checks.Faults:
        operator, listed = requirement.get("operator") or "", requirement.get("values") or ()
        where = checks.join(path, "values")
        if operator not in operators:
            yield FieldError(checks.join(path, "operator"), operator, _UNKNOWN_OPERATOR)
        elif operator in _LISTING and not listed:
            yield checks.required(where, "must be specified when `operator` is 'In' or 'NotIn'")
        elif operator in _PRESENCE and listed:
            message = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield checks.forbidden(where, message)
        elif operator in _COMPARING and len(listed) != 1:
            message = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            yield checks.required(where, message)

    return checks.both(fits_operator, checks.fields(key=label_key, values=checks.each(values)))


label_selector = checks.fields(
    matchLabels=label_map, matchExpressions=checks.each(_requirement(*_LISTING, *_PRESENCE))
)


def _names_one_node(requirement: Any, path: str) -> checks.Faults:
    key, operator, values = (requirement.get(field) for field in ("key", "operator", "values"))
    if operator not in _LISTING:
        yield FieldError(checks.join(path, "operator"), operator, _UNKNOWN_OPERATOR)
    elif len(values or ()) != 1:
        message = (
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        )
        yield checks.required(checks.join(path, "values"), message)
    if key == NAME_FIELD:
        yield from checks.each(subdomain)(values or (), checks.join(path, "values"))
    else:
        yield FieldError(checks.join(path, "key"), key, "not a valid field selector key")


def _term(values: checks.Check) -> checks.Check:
    requirement = _requirement(*_LISTING, *_PRESENCE, *_COMPARING, values=values)
    return checks.fields(
        matchExpressions=checks.each(requirement), matchFields=checks.each(_names_one_node)
    )


node_selector_term = _term(checks.anything)
"""Checks a preferred term of a node selector except its values."""

node_selector = checks.fields(
    nodeSelectorTerms=checks.needed(
        checks.each(_term(label_value)), "must have at least one node selector term"
    )
)
