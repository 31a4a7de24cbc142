"""What has happened, as entries of the dashboard: of a timeline, and of Events."""

from collections.abc import Iterable, Iterator

from podium.api.objects import Object, part
from podium.api.values.times import epoch_s
from podium.simulation.timeline import TimelineEntry
from podium.simulation.timeline.facts import event_facts
from podium.simulation.timeline.timeline_sentences import sentence, subject
from podium.ui.dashboard.views import Entry

_EVENT = "Event"
_TIMES = ("lastTimestamp", "eventTime", "firstTimestamp", "deprecatedLastTimestamp")


def told(entries: Iterable[TimelineEntry]) -> Iterator[Entry]:
    """Those entries of a timeline that say something."""
    for entry in entries:
        if text := sentence(entry):
            yield _entry(entry, text)


def of_events(events: Iterable[Object], start_s: float) -> list[Entry]:
    """What Events tell of the past, in order; the clock's start is in seconds since the epoch."""
    found: list[Entry] = []
    for event in events:
        times = (event.get(field) for field in _TIMES)
        at = next(filter(None, (*times, event["metadata"].get("creationTimestamp"))), None)
        at_s = round((epoch_s(at) if at else 0.0) - start_s, 3)
        by = event.get("reportingComponent") or part(event, "source").get("component") or ""
        for fact in event_facts(None, event):
            entry = TimelineEntry(at_s, _EVENT, by=by, details=fact.details)
            text = sentence(entry)
            if not text:
                # The timeline tells it by itself.
                about, details = entry.details["regarding"], entry.details
                named = (about.get(field, "") for field in ("kind", "namespace", "name"))
                text = f"{subject(*named)}: {details['reason']}: {details['message']}"
            found.append(_entry(entry, text))
    return sorted(found, key=lambda entry: entry.at_s)


def _entry(entry: TimelineEntry, text: str) -> Entry:
    what, kind, namespace, name = entry.type, entry.kind, entry.namespace, entry.name
    if what == _EVENT:
        regarding = entry.details["regarding"]
        what = entry.details["reason"] or _EVENT
        kind, namespace, name = (
            regarding.get(field) or "" for field in ("kind", "namespace", "name")
        )
    return Entry(
        at_s=round(entry.at_s, 3),
        type=what,
        kind=kind,
        namespace=namespace,
        name=name,
        by=entry.by,
        text=text,
    )
