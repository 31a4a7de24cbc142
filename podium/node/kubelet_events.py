"""Events that a kubelet records."""

from podium.api.objects import Object
from podium.control.effects import Record

REPORTER = "kubelet"


def node_record(about: Object, kind: str, reason: str, note: str) -> Record:
    """An event that a kubelet reports."""
    return Record(
        regarding=about,
        reporting_controller=REPORTER,
        type=kind,
        reason=reason,
        action="",
        note=note,
    )
