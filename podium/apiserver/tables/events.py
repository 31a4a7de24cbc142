"""The columns of events, which are stored in the shape of core/v1."""

from podium.api.objects import Object, name
from podium.apiserver.tables.columns import WIDE, Column, at, text
from podium.apiserver.tables.durations import since


def _first_time(event: Object) -> object:
    return event.get("firstTimestamp") or event.get("eventTime")


def _last_time(event: Object) -> object:
    if event.get("series"):
        return at(event, "series", "lastObservedTime")
    return event.get("lastTimestamp") or _first_time(event)


def _count(event: Object, _now_s: float) -> int:
    if event.get("series"):
        return int(at(event, "series", "count") or 0)
    return int(event.get("count") or 1)


def _object(event: Object, _now_s: float) -> str:
    kind = str(at(event, "involvedObject", "kind") or "").lower()
    involved = at(event, "involvedObject", "name")
    return f"{kind}/{involved}" if involved else kind


def _source(event: Object, _now_s: float) -> str:
    component = at(event, "source", "component") or event.get("reportingComponent") or ""
    instance = at(event, "source", "host") or event.get("reportingInstance") or ""
    return f"{component}, {instance}" if instance else str(component)


def _message(event: Object, _now_s: float) -> str:
    return str(event.get("message") or "").strip()


EVENT = (
    Column("Last Seen", lambda e, now_s: since(_last_time(e), now_s), "Time since it was seen."),
    Column("Type", text("type"), "Normal or Warning."),
    Column("Reason", text("reason"), "What happened, in one word."),
    Column("Object", _object, "What it happened to."),
    Column("Subobject", text("involvedObject", "fieldPath"), "Which part of that.", priority=WIDE),
    Column("Source", _source, "Who reports it.", priority=WIDE),
    Column("Message", _message, "What happened, in a sentence."),
    Column(
        "First Seen",
        lambda event, now_s: since(_first_time(event), now_s),
        "Time since it was first seen.",
        priority=WIDE,
    ),
    Column("Count", _count, "How often it was seen.", priority=WIDE),
    Column("Name", lambda e, _: name(e), "Name of the event.", priority=WIDE, format="name"),
)
