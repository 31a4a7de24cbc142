"""How workloads replace their pods by others."""

from typing import Any

from podium.api.errors import FieldError, unsupported
from podium.apiserver.validation.checks import (
    Faults,
    at_most_all,
    both,
    count,
    detail,
    fields,
    forbidden,
    in_turn,
    int_or_percent,
    join,
    one_of,
    positive_int_or_percent,
    required,
)


def _is_nothing(pods: object) -> bool:
    return pods in (0, "0%") and pods is not False


def deployment_strategy(value: Any, path: str) -> Faults:
    """The `strategy` of a Deployment."""
    rolling, where = value.get("rollingUpdate"), join(path, "rollingUpdate")
    kind = value.get("type") or "RollingUpdate"
    if kind == "Recreate" and rolling is not None:
        message = "may not be specified when strategy `type` is 'Recreate'"
        yield forbidden(where, rolling, message)
    elif kind == "RollingUpdate" and rolling is not None:
        yield from _rolling(rolling, where)
    elif kind != "Recreate":
        yield from one_of("Recreate", "RollingUpdate")(kind, join(path, "type"))


def _some_progress(value: Any, path: str) -> Faults:
    unavailable, surge = value.get("maxUnavailable"), value.get("maxSurge")
    if _is_nothing(unavailable) and _is_nothing(surge):
        message = "may not be 0 when `maxSurge` is 0"
        yield FieldError(join(path, "maxUnavailable"), unavailable, message)


_rolling = in_turn(
    fields(maxUnavailable=positive_int_or_percent, maxSurge=positive_int_or_percent),
    detail(_some_progress),
    fields(maxUnavailable=at_most_all),
)


def stateful_update(value: Any, path: str) -> Faults:
    """The `updateStrategy` of a StatefulSet."""
    kind, rolling = value.get("type"), value.get("rollingUpdate")
    if kind == "":
        yield required(path)
    elif kind == "OnDelete":
        if rolling is not None:
            message = "only allowed for updateStrategy 'RollingUpdate'"
            yield FieldError(join(path, "rollingUpdate"), rolling, message)
    elif kind in (None, "RollingUpdate"):
        yield from fields(rollingUpdate=_partitioned)(value, path)
    else:
        shown = {"Type": kind, "RollingUpdate": rolling}
        yield FieldError(path, shown, "must be 'RollingUpdate' or 'OnDelete'")


def _some(value: object, path: str) -> Faults:
    yield from positive_int_or_percent(value, path)
    if _is_nothing(value):
        yield FieldError(path, value, "cannot be 0")


_partitioned = fields(partition=count, maxUnavailable=detail(both(_some, at_most_all)))


def daemon_update(value: Any, path: str) -> Faults:
    """The `updateStrategy` of a DaemonSet."""
    kind = value.get("type") or "RollingUpdate"
    if kind == "RollingUpdate":
        yield from fields(rollingUpdate=_rolling_daemons)(value, path)
    elif kind != "OnDelete":
        shown = {"Type": kind, "RollingUpdate": value.get("rollingUpdate")}
        yield unsupported(path, shown, ("RollingUpdate", "OnDelete"))


def _one_way_of_rolling(value: Any, path: str) -> Faults:
    unavailable, surge = value.get("maxUnavailable", 1), value.get("maxSurge", 0)
    if not _is_nothing(surge) and not _is_nothing(unavailable):
        message = "may not be set when maxUnavailable is non-zero"
        yield FieldError(join(path, "maxSurge"), surge, message)
    elif _is_nothing(surge) and _is_nothing(unavailable):
        yield required(join(path, "maxUnavailable"), "cannot be 0 when maxSurge is 0")


_rolling_daemons = in_turn(
    fields(maxUnavailable=int_or_percent, maxSurge=int_or_percent), detail(_one_way_of_rolling)
)
