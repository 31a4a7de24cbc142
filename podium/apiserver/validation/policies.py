"""Priority classes, disruption budgets and runtime classes."""

from typing import Any

from podium.api.errors import FieldError
from podium.api.priority import (
    HIGHEST_USER_DEFINABLE,
    NEVER,
    PREEMPT_LOWER_PRIORITY,
    SYSTEM_PRIORITY_CLASSES,
)
from podium.apiserver.internals import internal
from podium.apiserver.validation.checks import (
    INT32_MAX,
    INT32_MIN,
    Faults,
    a_dict,
    boolean,
    fields,
    forbidden,
    int_or_percent,
    integer,
    mapping,
    needed,
    one_of,
    time,
)
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.names import dns_label, label_map
from podium.apiserver.validation.resources import overhead
from podium.apiserver.validation.selectors import label_selector
from podium.apiserver.validation.tolerations import tolerations

_SYSTEM_PREFIX = "system-"


def _one_bound(value: Any, path: str) -> Faults:
    if None not in (value.get("minAvailable"), value.get("maxUnavailable")):
        shown = internal("PodDisruptionBudgetSpec", value)
        yield FieldError(path, shown, "minAvailable and maxUnavailable cannot be both set")


pod_disruption_budget = fields(
    metadata=object_meta(),
    spec=fields(
        _one_bound,
        minAvailable=int_or_percent,
        maxUnavailable=int_or_percent,
        selector=label_selector,
        unhealthyPodEvictionPolicy=one_of("AlwaysAllow", "IfHealthyBudget"),
    ),
    status=fields(
        disruptedPods=mapping(time),
        disruptionsAllowed=integer(),
        currentHealthy=integer(),
        desiredHealthy=integer(),
        expectedPods=integer(),
    ),
)
"""A PodDisruptionBudget."""


def _known_class(value: Any, path: str) -> Faults:
    name, number = a_dict(value.get("metadata")).get("name"), value.get("value") or 0
    if not isinstance(name, str) or isinstance(number, bool) or not isinstance(number, int):
        return
    if not name.startswith(_SYSTEM_PREFIX):
        if number > HIGHEST_USER_DEFINABLE:
            message = (
                f"maximum allowed value of a user defined priority is {HIGHEST_USER_DEFINABLE}"
            )
            yield forbidden("value", number, message)
        return
    known = SYSTEM_PRIORITY_CLASSES.get(name)
    why = ""
    if known is None:
        why = f"{name} is not a known system priority class"
    elif number != known:
        why = f"value of {name} PriorityClass must be {known}"
    elif value.get("globalDefault"):
        why = f"globalDefault of {name} PriorityClass must be false"
    if why:
        message = (
            f"priority class names with '{_SYSTEM_PREFIX}' prefix are reserved for system use "
            f"only. error: {why}"
        )
        yield forbidden("metadata.name", name, message)


priority_class = fields(
    _known_class,
    metadata=object_meta(),
    value=integer(INT32_MIN, INT32_MAX),
    globalDefault=boolean,
    preemptionPolicy=one_of(PREEMPT_LOWER_PRIORITY, NEVER),
)
"""A PriorityClass."""

runtime_class = fields(
    metadata=object_meta(),
    handler=needed(dns_label),
    overhead=fields(podFixed=overhead),
    scheduling=fields(nodeSelector=label_map, tolerations=tolerations),
)
"""A RuntimeClass."""
