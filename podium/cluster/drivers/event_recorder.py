"""Writing of Events for the records of state machines, with counted repetitions and retries.

As in client-go's `tools/events` (v1.36), two records share one Event if they differ in nothing but
the note, and regard the same version of an object. The second record makes the Event a series;
further ones are only counted here, and the count is written after `FINISH_S` without a record, or
every `REFRESH_S`. A write whose outcome is unknown is repeated.

A record without an action makes an Event of core/v1, as upstream's controllers and kubelets still
write them (client-go's `tools/record`). Records with different notes then make different Events,
and the Event's `count` has the repetitions.
"""

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
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
    """A source of unique timestamps in nanoseconds, from which names of Events are made."""

    def __init__(self) -> None:
        self._last_ns = 0

    def next_ns(self, now_s: float) -> int:
        """Return the current time, or the first later one that hasn't been returned before."""
        self._last_ns = max(self._last_ns + 1, int(now_s * NANOS_PER_SECOND))
        return self._last_ns


class RecorderPurpose(msgspec.Struct, frozen=True):
    """The purpose of a call that writes an Event, to match the outcome with the write."""

    number: int


class _EventSeries(msgspec.Struct):
    obj: Object
    last_s: float
    count: int = 1


class _Write(msgspec.Struct, frozen=True):
    """An attempt to write an Event; `repetition` holds the fields that count repetitions."""

    obj: Object
    repetition: Mapping[str, Any] = msgspec.field(default_factory=dict)
    tries: int = 0


@dataclass(eq=False)
class EventRecorder:
    """Turns the records of one state machine into calls that create or update Events."""

    host: str
    timestamps: EventTimestamps
    start_s: float
    reasons: frozenset[str] | None = None
    _ticks: int = 0
    _series: dict[tuple[object, ...], _EventSeries] = field(default_factory=dict)
    _writing: dict[int, _Write] = field(default_factory=dict)
    _retries: list[tuple[float, _Write]] = field(default_factory=list)
    _count: int = 0

    def calls_of(self, effects: Iterable[Effect], now_s: float) -> Iterator[Effect]:
        """Yield the effects, with each record replaced by the calls that write its Event."""
        for effect in effects:
            if isinstance(effect, Record):
                if self.reasons is None or effect.reason in self.reasons:
                    yield from self.record(effect, now_s)
            else:
                yield effect

    def record(self, record: Record, now_s: float) -> list[Effect]:
        """Add a record, and return the calls to make at once."""
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
        series = self._series.get(key)
        if series is not None:
            series.count += 1
            series.last_s = now_s
            return [self._write_series(series)] if series.count == 2 else []
        stamp_ns = self.timestamps.next_ns(now_s)
        name = f"{regarding['name']}.{stamp_ns:x}"
        if len(name) > _NAME_LENGTH_MAX or not _NAME.fullmatch(name):
            name = str(uuid.uuid5(uuid.NAMESPACE_OID, name))
        namespace = regarding.get("namespace", DEFAULT_NAMESPACE)
        metadata: dict[str, Any] = {"name": name, "namespace": namespace}
        if record.annotations:
            metadata["annotations"] = dict(record.annotations)
        obj: dict[str, Any] = {"kind": "Event", "metadata": metadata}
        obj |= {"reason": record.reason, "type": record.type}
        if record.action:
            obj |= {
                "apiVersion": "events.k8s.io/v1",
                "eventTime": format_time(stamp_ns, MICROSECOND_DIGITS),
                "reportingController": record.reporting_controller,
                "reportingInstance": f"{record.reporting_controller}-{self.host}",
                "action": record.action,
                "regarding": regarding,
                "note": record.note,
            }
            if related:
                obj["related"] = related
        else:
            obj |= {
                "apiVersion": "v1",
                "involvedObject": regarding,
                "message": record.note,
                "source": {"component": record.reporting_controller},
                "reportingComponent": record.reporting_controller,
                **dict.fromkeys(("firstTimestamp", "lastTimestamp"), timestamp(now_s)),
                "count": 1,
            }
        self._series[key] = _EventSeries(obj, now_s)
        return [self._write(_Write(obj))]

    def outcome(self, purpose: RecorderPurpose, outcome: Outcome, now_s: float) -> list[Effect]:
        """Process the outcome of a write, and return the calls to make at once."""
        write = self._writing.pop(purpose.number, None)
        error = outcome.error
        if write is None or error is None:
            return []
        if isinstance(outcome.effect, Patch) and error.code == 404:
            return [self._write(write, creates=True)]
        # Upstream takes every answer of the server for final. Only when a series was to be created
        # that exists by now, there is something to patch again.
        is_retried = error.is_unknown or (error.reason == "AlreadyExists" and write.repetition)
        if is_retried and write.tries + 1 < TRIES_MAX:
            again = replace(write, tries=write.tries + 1)
            self._retries.append((now_s + RETRY_S, again))
        return []

    def wake(self, now_s: float) -> list[Effect]:
        """Return the calls that are due: retries, and updates of the counts of series."""
        due = [write for at_s, write in self._retries if at_s <= now_s]
        self._retries = [(at_s, write) for at_s, write in self._retries if at_s > now_s]
        effects = [self._write(write) for write in due]
        tick, before = int((now_s - self.start_s) // FINISH_S), self._ticks
        if tick > before:
            self._ticks = tick
            refreshes = tick // (REFRESH_S // FINISH_S) > before // (REFRESH_S // FINISH_S)
            for key, series in list(self._series.items()):
                is_over = series.last_s < now_s - FINISH_S
                if is_over:
                    del self._series[key]
                if series.count > 1 and (is_over or refreshes):
                    effects.append(self._write_series(series))
        return effects

    def next_wakeup_s(self) -> float | None:
        """Return when to call `wake`, in seconds since the epoch; None if nothing is pending."""
        times = [at_s for at_s, _ in self._retries]
        if self._series:
            times.append(self.start_s + (self._ticks + 1) * FINISH_S)
        return min(times, default=None)

    def _write_series(self, series: _EventSeries) -> Effect:
        if "eventTime" in series.obj:
            counted = {"count": series.count, "lastObservedTime": micro_time(series.last_s)}
            return self._write(_Write(series.obj, {"series": counted}))
        repetition = {"count": series.count, "lastTimestamp": timestamp(series.last_s)}
        return self._write(_Write(series.obj, repetition))

    def _write(self, write: _Write, *, creates: bool = False) -> Effect:
        self._count += 1
        self._writing[self._count] = write
        purpose, repetition = RecorderPurpose(self._count), write.repetition
        if creates or not repetition:
            return Create(purpose=purpose, kind="Event", obj={**write.obj, **repetition})
        name, namespace = (write.obj["metadata"][field] for field in ("name", "namespace"))
        return Patch(purpose=purpose, kind="Event", namespace=namespace, name=name, body=repetition)


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
