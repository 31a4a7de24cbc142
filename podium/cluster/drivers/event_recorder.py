"""Makes Event objects of what machines record, counts repetitions, and repeats failed writes.

As the recorder of client-go's `tools/events` in v1.36. An event is the same as an earlier one if it
says the same about the same version of the same object; its note doesn't matter. The second one
makes a series of the first; further ones are counted here, and the count is written when the
series has been quiet for `FINISH_S`, or every `REFRESH_S`. A call whose outcome nobody knows is
made again.

A record without an action becomes an event of the older kind, as upstream's controllers and
kubelets still write them (client-go's `tools/record`): there the note matters, and repetitions are
a count of the event itself.
"""

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from podium.api.objects import DEFAULT_NAMESPACE, Object
from podium.api.values.times import (
    MICROSECOND_DIGITS,
    NANOS_PER_SECOND,
    format_time,
    micro_time,
    timestamp,
)
from podium.machines.effects import Create, Effect, Patch, Record
from podium.machines.events import Outcome

FINISH_S = 360.0
REFRESH_S = 1800.0
RETRY_S = 10.0
TRIES_MAX = 12

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAME_LENGTH_MAX = 253


class EventTimestamps:
    """Gives out times in nanoseconds, each only once, so that names made of them differ."""

    def __init__(self) -> None:
        self._last_ns = 0

    def next_ns(self, now_s: float) -> int:
        """The time, or the first one after it that wasn't given yet."""
        self._last_ns = max(self._last_ns + 1, int(now_s * NANOS_PER_SECOND))
        return self._last_ns


class RecorderPurpose(msgspec.Struct, frozen=True):
    """Marks a call that an event recorder asked for, by its number."""

    number: int


class _EventSeries(msgspec.Struct):
    """An event and its repetitions."""

    obj: Object
    last_s: float
    count: int = 1

    def repetition(self) -> Mapping[str, Any]:
        if "eventTime" in self.obj:
            series = {"count": self.count, "lastObservedTime": micro_time(self.last_s)}
            return {"series": series}
        return {"count": self.count, "lastTimestamp": timestamp(self.last_s)}


class _Write(msgspec.Struct, frozen=True):
    """An attempt to write an event.

    Attributes:
        repetition: what is to be said of repetitions; empty if there were none.
    """

    obj: Object
    repetition: Mapping[str, Any] = msgspec.field(default_factory=dict)
    tries: int = 0


class EventRecorder:
    """Turns the records of one machine into calls that create or update Events.

    Args:
        start_s: when the machine started; `FINISH_S` and `REFRESH_S` count from here.
        reasons: of the records that become events; all do if None.
    """

    def __init__(
        self,
        host: str,
        timestamps: EventTimestamps,
        start_s: float,
        reasons: frozenset[str] | None = None,
    ) -> None:
        self._host = host
        self._reasons = reasons
        self._timestamps = timestamps
        self._start_s = start_s
        self._ticks = 0
        self._seen: dict[tuple[object, ...], _EventSeries] = {}
        self._writing: dict[int, _Write] = {}
        self._retries: list[tuple[float, _Write]] = []
        self._count = 0

    def calls_of(self, effects: Iterable[Effect], now_s: float) -> Iterator[Effect]:
        """The calls that effects lead to: records become writes of events, others stay."""
        for effect in effects:
            if isinstance(effect, Record):
                if self._reasons is None or effect.reason in self._reasons:
                    yield from self.record(effect, now_s)
            else:
                yield effect

    def record(self, record: Record, now_s: float) -> list[Effect]:
        """Take a record in; the calls that it leads to at once."""
        regarding = _reference(record.regarding)
        related = None if record.related is None else _reference(record.related)
        key = (
            record.reporting_controller,
            record.type,
            record.reason,
            record.action or record.note,
            tuple(regarding.items()),
            tuple(related.items()) if related else None,
        )
        known = self._seen.get(key)
        if known is None:
            obj = self._event(record, regarding, related, now_s)
            self._seen[key] = _EventSeries(obj, now_s)
            return [self._write(_Write(obj))]
        known.count += 1
        known.last_s = now_s
        return [self._write_series(known)] if known.count == 2 else []

    def outcome(self, purpose: RecorderPurpose, outcome: Outcome, now_s: float) -> list[Effect]:
        """Take in what became of a call; what is to be called next because of it."""
        write = self._writing.pop(purpose.number, None)
        error = outcome.error
        if write is None or error is None:
            return []
        if isinstance(outcome.effect, Patch) and error.code == 404:
            return [self._write(write, anew=True)]
        # Upstream takes every answer of the server for final. Only when a series was to be created
        # that exists by now, there is something to patch again.
        is_retried = error.is_unknown or (error.reason == "AlreadyExists" and write.repetition)
        if is_retried and write.tries + 1 < TRIES_MAX:
            again = replace(write, tries=write.tries + 1)
            self._retries.append((now_s + RETRY_S, again))
        return []

    def wake(self, now_s: float) -> list[Effect]:
        due = [write for at_s, write in self._retries if at_s <= now_s]
        self._retries = [(at_s, write) for at_s, write in self._retries if at_s > now_s]
        effects = [self._write(write) for write in due]
        tick = int((now_s - self._start_s) // FINISH_S)
        if tick > self._ticks:
            refresh_ticks = REFRESH_S // FINISH_S
            refreshes = tick // refresh_ticks > self._ticks // refresh_ticks
            self._ticks = tick
            effects += list(self._tick(now_s, refreshes=refreshes))
        return effects

    def next_wakeup_s(self) -> float | None:
        """The next time at which a write is due; None while nothing is kept."""
        times = [at_s for at_s, _ in self._retries]
        if self._seen:
            times.append(self._start_s + (self._ticks + 1) * FINISH_S)
        return min(times, default=None)

    def _tick(self, now_s: float, *, refreshes: bool) -> Iterator[Effect]:
        for key, known in list(self._seen.items()):
            is_over = known.last_s < now_s - FINISH_S
            if is_over:
                del self._seen[key]
            if known.count > 1 and (is_over or refreshes):
                yield self._write_series(known)

    def _event(
        self, record: Record, regarding: Object, related: Object | None, now_s: float
    ) -> Object:
        stamp_ns = self._timestamps.next_ns(now_s)
        metadata: dict[str, Any] = {
            "name": _name(regarding["name"], stamp_ns),
            "namespace": regarding.get("namespace", DEFAULT_NAMESPACE),
        }
        if record.annotations:
            metadata["annotations"] = dict(record.annotations)
        if not record.action:
            return _older_event(record, metadata, regarding, now_s)
        obj = {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": metadata,
            "eventTime": format_time(stamp_ns, MICROSECOND_DIGITS),
            "reportingController": record.reporting_controller,
            "reportingInstance": f"{record.reporting_controller}-{self._host}",
            "action": record.action,
            "reason": record.reason,
            "regarding": regarding,
            "note": record.note,
            "type": record.type,
        }
        return {**obj, "related": related} if related else obj

    def _write_series(self, known: _EventSeries) -> Effect:
        return self._write(_Write(known.obj, known.repetition()))

    def _write(self, write: _Write, *, anew: bool = False) -> Effect:
        self._count += 1
        self._writing[self._count] = write
        purpose = RecorderPurpose(self._count)
        if anew or not write.repetition:
            return Create(purpose=purpose, kind="Event", obj={**write.obj, **write.repetition})
        metadata = write.obj["metadata"]
        return Patch(
            purpose=purpose,
            kind="Event",
            namespace=metadata["namespace"],
            name=metadata["name"],
            body=write.repetition,
        )


def _older_event(
    record: Record, metadata: Mapping[str, Any], regarding: Object, now_s: float
) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": metadata,
        "involvedObject": regarding,
        "reason": record.reason,
        "message": record.note,
        "type": record.type,
        "source": {"component": record.reporting_controller},
        "reportingComponent": record.reporting_controller,
        "firstTimestamp": timestamp(now_s),
        "lastTimestamp": timestamp(now_s),
        "count": 1,
    }


def _reference(obj: Object) -> dict[str, Any]:
    metadata = obj["metadata"]
    fields = {
        "kind": obj.get("kind"),
        "namespace": metadata.get("namespace"),
        "name": metadata["name"],
        "uid": metadata.get("uid"),
        "apiVersion": obj.get("apiVersion"),
        "resourceVersion": metadata.get("resourceVersion"),
    }
    return {field: value for field, value in fields.items() if value}


def _name(about: str, stamp_ns: int) -> str:
    name = f"{about}.{stamp_ns:x}"
    if len(name) <= _NAME_LENGTH_MAX and _NAME.fullmatch(name):
        return name
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))
