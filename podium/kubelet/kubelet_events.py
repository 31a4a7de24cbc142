"""The Events that a kubelet records."""

from podium.api.objects import Object
from podium.machines.effects import Record, event_of

REPORTER = "kubelet"


def node_record(about: Object, kind: str, reason: str, note: str) -> Record:
    """Return an Event with the kubelet as its reporter."""
    return event_of(about, REPORTER, kind, reason, note)
