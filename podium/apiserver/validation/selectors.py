"""Label selectors and node selectors, as ValidateLabelSelector and ValidateNodeSelector judge."""

from typing import Any

from podium.api.errors import FieldError
from podium.api.selectors.node_selector import NAME_FIELD
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, join
from podium.apiserver.validation.names import label_key, label_map, label_value, subdomain

_LISTING = ("In", "NotIn")
_PRESENCE = ("Exists", "DoesNotExist")
_COMPARING = ("Gt", "Lt")
_UNKNOWN_OPERATOR = "not a valid selector operator"


def _fits_operator(*operators: str) -> Check:
    def check(value: Any, path: str) -> Faults:
        operator, values, where = value.get("operator"), value.get("values"), join(path, "values")
        if operator not in operators:
            yield FieldError(join(path, "operator"), operator or "", _UNKNOWN_OPERATOR)
        elif operator in _LISTING and not values:
            yield checks.required(where, "must be specified when `operator` is 'In' or 'NotIn'")
        elif operator in _PRESENCE and values:
            message = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield checks.forbidden(where, message)
        elif operator in _COMPARING and not _is_single(values):
            yield checks.required(
                where, "must be specified single value when `operator` is 'Lt' or 'Gt'"
            )

    return check


def _is_single(values: object) -> bool:
    return isinstance(values, list) and len(values) == 1


def _names_one_node(value: Any, path: str) -> Faults:
    operator = value.get("operator")
    if operator not in _LISTING:
        yield FieldError(join(path, "operator"), operator or "", _UNKNOWN_OPERATOR)
    elif not _is_single(value.get("values")):
        message = (
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        )
        yield checks.required(join(path, "values"), message)
    key = value.get("key") or ""
    if key == NAME_FIELD:
        yield from _node_names(value, path)
    else:
        yield FieldError(join(path, "key"), key, "not a valid field selector key")


_node_names = checks.fields(values=checks.each(subdomain))


def _requirement(*operators: str, values: Check = label_value) -> Check:
    return checks.in_turn(
        _fits_operator(*operators),
        checks.fields(
            key=checks.absent_as("", label_key), operator=checks.text, values=checks.each(values)
        ),
    )


label_selector = checks.fields(
    matchLabels=label_map, matchExpressions=checks.each(_requirement(*_LISTING, *_PRESENCE))
)


def _term(values: Check) -> Check:
    return checks.fields(
        matchExpressions=checks.each(
            _requirement(*_LISTING, *_PRESENCE, *_COMPARING, values=values)
        ),
        matchFields=checks.each(
            checks.in_turn(_names_one_node, checks.fields(operator=checks.text))
        ),
    )


node_selector_term = _term(checks.text)
"""A term that is only preferred; its values may be anything."""

node_selector = checks.fields(
    nodeSelectorTerms=checks.needed(
        checks.each(_term(label_value)), "must have at least one node selector term"
    )
)
