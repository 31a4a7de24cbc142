"""Jobs that come again and again, and workloads that grow with their load."""

from typing import Any

from podium.api.errors import FieldError
from podium.apiserver.validation.checks import (
    Faults,
    boolean,
    count,
    each,
    fields,
    in_turn,
    integer,
    join,
    needed,
    one_of,
    some_text,
)
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.templates import until_done, with_template

_MACROS = frozenset(
    {"@annually", "@daily", "@hourly", "@midnight", "@monthly", "@weekly", "@yearly"}
)
_SCHEDULE_FIELDS = 5


def _schedule(value: Any, path: str) -> Faults:
    if not isinstance(value, str) or not value:
        yield from some_text(value, path)
        return
    if value in _MACROS or value.startswith("@every "):
        return
    found = value.split()
    if len(found) != _SCHEDULE_FIELDS:
        why = f"expected exactly {_SCHEDULE_FIELDS} fields, found {len(found)}: {found}"
        yield FieldError(path, value, why)


cron_job = fields(
    metadata=object_meta(),
    spec=needed(
        fields(
            schedule=needed(_schedule),
            concurrencyPolicy=one_of("Allow", "Forbid", "Replace"),
            suspend=boolean,
            startingDeadlineSeconds=integer(0),
            successfulJobsHistoryLimit=count,
            failedJobsHistoryLimit=count,
            jobTemplate=needed(fields(spec=needed(in_turn(with_template, until_done)))),
        )
    ),
)
"""A CronJob."""


def _room(spec: Any, path: str) -> Faults:
    low, high = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    if high < 1:
        yield FieldError(join(path, "maxReplicas"), high, "must be greater than 0")
    elif low is not None and high < low:
        why = "must be greater than or equal to `minReplicas`"
        yield FieldError(join(path, "maxReplicas"), high, why)


autoscaler = fields(
    metadata=object_meta(),
    spec=needed(
        fields(
            _room,
            minReplicas=integer(1),
            scaleTargetRef=needed(fields(kind=needed(some_text), name=needed(some_text))),
            metrics=each(fields(type=needed(some_text))),
        )
    ),
)
"""A HorizontalPodAutoscaler."""
