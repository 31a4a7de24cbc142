"""Events that a kubelet records."""

from collections.abc import Mapping
from typing import Any

from podium.control.effects import Record

Object = Mapping[str, Any]

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
