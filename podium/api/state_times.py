"""The times of what has happened that the objects of a state mention.

Times that are meant to lie ahead, such as the end of a grace period, the expiry of a certificate or
the next run of a schedule, don't count.
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
    """A time that a state mentions in a field, in seconds since the epoch."""

    at_s: float
    field: str
    obj: Object


def latest_time(objects: Iterable[Object]) -> StateTime | None:
    """The latest time of what has happened that objects mention; None if they mention none."""
    times = _Times()
    # Parts are told apart by their ids, so that all objects have to last until the end.
    objects = [*objects]
    for obj in objects:
        times.collect(obj)
    return times.latest()


def ahead_of(now_s: float, objects: Iterable[Object], consequence: str) -> Iterator[str]:
    """A sentence on a time that is yet to come in objects, if any, and its consequence."""
    latest = latest_time(objects)
    if latest is not None and latest.at_s > now_s + _SKEW_S:
        kind, called = latest.obj.get("kind"), name(latest.obj)
        yield _AHEAD.format(timestamp(latest.at_s), latest.field, kind, called, consequence)


class _Times:
    def __init__(self) -> None:
        self._found: dict[str, tuple[str, Object]] = {}
        # Equal parts of large states are read as one object, which is searched once.
        self._searched: set[int] = set()

    def latest(self) -> StateTime | None:
        """The latest time; None if there is none."""
        times = [(nanos, text) for text in self._found if (nanos := _nanos(text)) is not None]
        if not times:
            return None
        nanos, text = max(times)
        return StateTime(nanos / NANOS_PER_SECOND, *self._found[text])

    def collect(self, obj: Object) -> None:
        """Note the times that an object mentions, which has to last as long as this does."""
        metadata = metadata_of(obj)
        if created := metadata.get("creationTimestamp"):
            self._note(str(created), "creationTimestamp", obj)
        for entry in metadata.get("managedFields") or ():
            if written := entry.get("time"):
                self._note(str(written), "managedFields", obj)
        if (deleted := _deleted(metadata)) is not None:
            self._note(deleted, "deletionTimestamp", obj)
        self._search(obj, status_of(obj))
        kind = obj.get("kind")
        if kind == "Lease":
            self._search(obj, spec_of(obj))
        elif kind == "Node":
            self._search(obj, {"taints": spec_of(obj).get("taints")})
        elif kind == "PodDisruptionBudget":
            for evicted in (status_of(obj).get("disruptedPods") or {}).values():
                self._note(str(evicted), "disruptedPods", obj)

    def _note(self, text: str, field: str, obj: Object) -> None:
        self._found.setdefault(text, (field, obj))

    def _search(self, obj: Object, value: Object) -> None:
        for field, inner in value.items():
            if isinstance(inner, str):
                if field in _PAST:
                    self._note(inner, field, obj)
            elif isinstance(inner, dict | list) and id(inner) not in self._searched:
                self._searched.add(id(inner))
                for one in [inner] if isinstance(inner, dict) else inner:
                    if isinstance(one, dict):
                        self._search(obj, one)


def _deleted(metadata: Object) -> str | None:
    """When the deletion was asked for: its time is the end of the grace period."""
    ends = metadata.get("deletionTimestamp")
    nanos = _nanos(str(ends)) if ends else None
    if nanos is None:
        return None
    return format_time(nanos - (metadata.get("deletionGracePeriodSeconds") or 0) * NANOS_PER_SECOND)


def _nanos(text: str) -> int | None:
    try:
        return parse_time(text)
    except TimeError:
        return None
