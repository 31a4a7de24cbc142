"""The times of what has happened that the objects of a state mention.

Times that are meant to lie ahead, such as the end of a grace period, the expiry of a certificate or
the next run of a schedule, don't count.
"""

from collections.abc import Iterable, Iterator

import msgspec

from podium.api.objects import Object, metadata_of, name, spec_of, status_of
from podium.api.times import NANOS_PER_SECOND, TimeError, format_time, parse_time, timestamp

# Fields of what has happened, of whatever kind.
_PAST = frozenset(
    {
        *("startTime", "completionTime", "startedAt", "finishedAt", "creationTime"),
        *("lastTransitionTime", "lastUpdateTime", "lastProbeTime", "lastHeartbeatTime"),
        *("lastScheduleTime", "lastSuccessfulTime", "lastScaleTime", "lastPhaseTransitionTime"),
        *("timeAdded", "time", "acquireTime", "renewTime"),
    }
)

# How far the clocks of a cluster's machines, and of those who read its state, may differ.
_SKEW_S = 60.0
_AHEAD = "the state mentions a time that is yet to come, {0} ({1} of {2} {3}): {4}"


class StateTime(msgspec.Struct, frozen=True):
    """A time that a state mentions.

    Attributes:
        at_s: in seconds since the epoch.
        field: the name of the field that holds it.
        obj: the object that the field is in.
    """

    at_s: float
    field: str
    obj: Object


def latest_time(objects: Iterable[Object]) -> StateTime | None:
    """The latest time of what has happened that objects mention; None if they mention none."""
    found: dict[str, tuple[str, Object]] = {}
    for obj in objects:
        _collect(found, obj)
    times = [(nanos, text) for text in found if (nanos := _nanos(text)) is not None]
    if not times:
        return None
    nanos, text = max(times)
    return StateTime(nanos / NANOS_PER_SECOND, *found[text])


def ahead_of(now_s: float, objects: Iterable[Object], consequence: str) -> Iterator[str]:
    """A sentence that says so if objects mention a time that is yet to come.

    Args:
        now_s: the time, in seconds since the epoch.
        objects: of a state.
        consequence: what follows from it, for the end of the sentence.
    """
    latest = latest_time(objects)
    if latest is not None and latest.at_s > now_s + _SKEW_S:
        kind, called = latest.obj.get("kind"), name(latest.obj)
        yield _AHEAD.format(timestamp(latest.at_s), latest.field, kind, called, consequence)


def _collect(found: dict[str, tuple[str, Object]], obj: Object) -> None:
    metadata = metadata_of(obj)
    if created := metadata.get("creationTimestamp"):
        found.setdefault(str(created), ("creationTimestamp", obj))
    for entry in metadata.get("managedFields") or ():
        if written := entry.get("time"):
            found.setdefault(str(written), ("managedFields", obj))
    if (deleted := _deleted(metadata)) is not None:
        found.setdefault(deleted, ("deletionTimestamp", obj))
    _search(found, obj, status_of(obj))
    kind = obj.get("kind")
    if kind == "Lease":
        _search(found, obj, spec_of(obj))
    elif kind == "Node":
        _search(found, obj, {"taints": spec_of(obj).get("taints")})
    elif kind == "PodDisruptionBudget":
        for evicted in (status_of(obj).get("disruptedPods") or {}).values():
            found.setdefault(str(evicted), ("disruptedPods", obj))


def _search(found: dict[str, tuple[str, Object]], obj: Object, value: Object) -> None:
    for field, inner in value.items():
        if isinstance(inner, str):
            if field in _PAST:
                found.setdefault(inner, (field, obj))
        elif isinstance(inner, dict):
            _search(found, obj, inner)
        elif isinstance(inner, list):
            for one in inner:
                if isinstance(one, dict):
                    _search(found, obj, one)


def _deleted(metadata: Object) -> str | None:
    """When the deletion was asked for: its time is the end of the grace period."""
    ends = metadata.get("deletionTimestamp")
    nanos = _nanos(str(ends)) if ends else None
    if nanos is None:
        return None
    return format_time(nanos - (metadata.get("deletionGracePeriodSeconds") or 0) * NANOS_PER_SECOND)


def _nanos(text: str) -> int | None:
    """The time in nanoseconds; None of a text that isn't one, which a state may hold."""
    try:
        return parse_time(text)
    except TimeError:
        return None
