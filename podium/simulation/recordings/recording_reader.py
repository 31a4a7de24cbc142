"""Reads a recording: how the cluster was at its beginning, and what happened from then on."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from podium.api.objects import Object
from podium.simulation.recordings.segments import (
    BEGIN,
    END,
    GAP,
    HEADER,
    STATE,
    Identity,
    RecordingError,
    identity_of,
    read_segments,
)


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """An object came, changed or went.

    Attributes:
        at_s: when the recorder was told, in seconds since the epoch.
    """

    at_s: float
    kind: str
    old: Object | None
    new: Object | None


@dataclass(frozen=True, slots=True)
class RecordingGap:
    """A time of which only the result is known."""

    since_s: float
    until_s: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The recorded changes of a cluster; times are in seconds since the epoch.

    Attributes:
        configuration: the KubeSchedulerConfiguration of the cluster, as text; empty for the
            default one.
        is_closed: whether it ends where the recorder was told to end.
    """

    path: str
    configuration: str
    started_s: float
    ended_s: float
    state: Sequence[Object]
    changes: Sequence[RecordedChange]
    gaps: Sequence[RecordingGap]
    is_closed: bool


def read_recording(directory: Path) -> Recording:
    """All of a recording, from its first segment on; raises RecordingError."""
    configuration, is_closed, now_s = "", False, 0.0
    started_s: float | None = None
    state: list[Object] = []
    changes: list[RecordedChange] = []
    gaps: list[RecordingGap] = []
    known: dict[Identity, Object] = {}
    for line in (line for _, lines, _ in read_segments(directory) for line in lines):
        kind = line["type"]
        is_closed = kind == END
        now_s = max(now_s, line["at"])
        if kind == HEADER:
            configuration = line.get("configuration") or ""
        elif kind == STATE:
            # Later segments repeat what is known.
            if started_s is None:
                state.append(line["object"])
                known[identity_of(line["object"])] = line["object"]
        elif kind == BEGIN:
            started_s = now_s if started_s is None else started_s
        elif kind == GAP:
            gaps.append(RecordingGap(line["since"], line["at"], line["reason"]))
        elif kind != END:
            obj, is_gone = line["object"], kind == "DELETED"
            place = identity_of(obj)
            before = known.pop(place, None)
            if not is_gone:
                known[place] = obj
            # An object's last state may differ from the one before.
            old, new = (obj, None) if is_gone else (before, obj)
            changes.append(RecordedChange(now_s, place[0], old, new))
    if started_s is None:
        raise RecordingError(f"{directory}: ended before the state of the cluster was known")
    return Recording(
        path=str(directory),
        configuration=configuration,
        started_s=started_s,
        ended_s=now_s,
        state=state,
        changes=changes,
        gaps=gaps,
        is_closed=is_closed,
    )
