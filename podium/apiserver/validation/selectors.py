"""Label selectors and node selectors, as ValidateLabelSelector and ValidateNodeSelector judge."""

from typing import Any

from podium.api.errors import FieldError
from podium.api.node_selector import NAME_FIELD
from podium.apiserver.validation.checks import (
    Check,
    Faults,
    anything,
    each,
    fields,
    forbidden,
    join,
    needed,
    required,
    text,
)
from podium.apiserver.validation.names import label_key, label_map, label_value, subdomain

_LISTING = ("In", "NotIn")
_PRESENCE = ("Exists", "DoesNotExist")
_COMPARING = ("Gt", "Lt")
_SUPPORTED = "not a valid selector operator; {} are"


def _operator(*operators: str) -> Check:
    def check(value: Any, path: str) -> Faults:
        operator = value.get("operator") or ""
        if operator not in operators:
            known = ", ".join(operators)
            yield FieldError(join(path, "operator"), operator, _SUPPORTED.format(known))

    return check


def _values_fit_operator(value: Any, path: str) -> Faults:
    operator, values, where = value.get("operator"), value.get("values"), join(path, "values")
    if operator in _LISTING and not values:
        yield required(where, "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in _PRESENCE and values:
        message = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        yield forbidden(where, values, message)
    elif operator in _COMPARING and not (isinstance(values, list) and len(values) == 1):
        yield required(where, "must be specified single value when `operator` is 'Lt' or 'Gt'")


def _one_node_name(value: Any, path: str) -> Faults:
    operator, values, where = value.get("operator"), value.get("values"), join(path, "values")
    if operator in _LISTING and not (isinstance(values, list) and len(values) == 1):
        message = (
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        )
        yield required(where, message)
    if value.get("key") not in (None, NAME_FIELD):
        message = f"not a valid field selector key; {NAME_FIELD} is the only one"
        yield FieldError(join(path, "key"), value["key"], message)


label_selector = fields(
    matchLabels=label_map,
    matchExpressions=each(
        fields(
            _values_fit_operator,
            _operator(*_LISTING, *_PRESENCE),
            key=needed(label_key),
            operator=text,
            values=each(label_value),
        )
    ),
)

node_selector_term = fields(
    matchExpressions=each(
        fields(
            _values_fit_operator,
            _operator(*_LISTING, *_PRESENCE, *_COMPARING),
            key=needed(label_key),
            operator=text,
            values=each(label_value),
        )
    ),
    matchFields=each(
        fields(
            _one_node_name,
            _operator(*_LISTING),
            key=needed(anything),
            operator=text,
            values=each(subdomain),
        )
    ),
)

node_selector = fields(
    nodeSelectorTerms=needed(each(node_selector_term), "must have at least one node selector term"),
)
