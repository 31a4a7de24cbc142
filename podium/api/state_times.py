"""The latest time of a past event in the objects of a cluster state.

Times that lie in the future by design, such as the end of a grace period, the expiry of a
certificate or the next run of a schedule, don't count.
"""

from collections.abc import Iterable, Iterator

import msgspec

from podium.api.objects import Object, metadata_of, name, spec_of, status_of
from podium.api.values.times import NANOS_PER_SECOND, TimeError, format_time, parse_time, timestamp

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
    """A time in a field of an object, in seconds since the epoch."""

    at_s: float
    field: str
    obj: Object


def latest_time(objects: Iterable[Object]) -> StateTime | None:
    """Return the latest time of a past event in the objects; None if there is none."""
    mentions: dict[str, tuple[str, Object]] = {}
    # Equal parts of large states are read as one object, which is searched once. They are
    # distinguished by their ids, so that all objects have to last until the end.
    searched: set[int] = set()
    objects = [*objects]

    def note(time: object, field: str, obj: Object) -> None:
        if time:
            mentions.setdefault(str(time), (field, obj))

    def search(obj: Object, value: Object) -> None:
        for field, inner in value.items():
            if isinstance(inner, str):
                if field in _PAST:
                    mentions.setdefault(inner, (field, obj))
            elif isinstance(inner, dict | list) and id(inner) not in searched:
                searched.add(id(inner))
                for part in [inner] if isinstance(inner, dict) else inner:
                    if isinstance(part, dict):
                        search(obj, part)

    for obj in objects:
        metadata, kind = metadata_of(obj), obj.get("kind")
        note(metadata.get("creationTimestamp"), "creationTimestamp", obj)
        for entry in metadata.get("managedFields") or ():
            note(entry.get("time"), "managedFields", obj)
        # A deletion's time is the end of its grace period; it was asked for before.
        deleted = metadata.get("deletionTimestamp")
        if deleted and (ends := _nanos(str(deleted))) is not None:
            grace = (metadata.get("deletionGracePeriodSeconds") or 0) * NANOS_PER_SECOND
            note(format_time(ends - grace), "deletionTimestamp", obj)
        search(obj, status_of(obj))
        if kind == "Lease":
            search(obj, spec_of(obj))
        elif kind == "Node":
            search(obj, {"taints": spec_of(obj).get("taints")})
        elif kind == "PodDisruptionBudget":
            for evicted in (status_of(obj).get("disruptedPods") or {}).values():
                note(evicted, "disruptedPods", obj)
    times = [(nanos, text) for text in mentions if (nanos := _nanos(text)) is not None]
    if not times:
        return None
    nanos, text = max(times)
    return StateTime(nanos / NANOS_PER_SECOND, *mentions[text])


def ahead_of(now_s: float, objects: Iterable[Object], consequence: str) -> Iterator[str]:
    """Yield a warning, with its consequence, if a past event in the objects is after `now_s`."""
    latest = latest_time(objects)
    if latest is not None and latest.at_s > now_s + _SKEW_S:
        kind, obj_name = latest.obj.get("kind"), name(latest.obj)
        yield _AHEAD.format(timestamp(latest.at_s), latest.field, kind, obj_name, consequence)


def _nanos(text: str) -> int | None:
    try:
        return parse_time(text)
    except TimeError:
        return None
