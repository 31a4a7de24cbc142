"""PriorityClasses and RuntimeClasses: validation."""

from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import name as name_of
from podium.api.priority import (
    HIGHEST_USER_DEFINABLE,
    NEVER,
    PREEMPT_LOWER_PRIORITY,
    SYSTEM_PRIORITY_CLASSES,
)
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults
from podium.apiserver.validation.metadata import object_check
from podium.apiserver.validation.names import dns_label, label_map
from podium.apiserver.validation.pods.taints_and_tolerations import tolerations
from podium.apiserver.validation.resource_requirements import overhead

_SYSTEM_PREFIX = "system-"


def _known_class(value: Any, path: str) -> Faults:
    name, number = name_of(value), value.get("value") or 0
    if not name.startswith(_SYSTEM_PREFIX):
        if number > HIGHEST_USER_DEFINABLE:
            message = (
                f"maximum allowed value of a user defined priority is {HIGHEST_USER_DEFINABLE}"
            )
            yield checks.forbidden("value", message)
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
        yield checks.forbidden("metadata.name", message)


PRIORITY_CLASS = Registration(
    kind=KINDS["PriorityClass"],
    validate=object_check(
        _known_class, preemptionPolicy=checks.one_of(PREEMPT_LOWER_PRIORITY, NEVER)
    ),
    validate_update=rules.all_of(
        rules.metadata,
        rules.fixed("value", "may not be changed in an update."),
    ),
)

RUNTIME_CLASS = Registration(
    kind=KINDS["RuntimeClass"],
    validate=object_check(
        handler=checks.needed(dns_label),
        overhead=checks.fields(podFixed=overhead),
        scheduling=checks.fields(nodeSelector=label_map, tolerations=tolerations),
    ),
)
