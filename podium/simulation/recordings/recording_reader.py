"""Reads a recording: how the cluster was at its beginning, and what happened from then on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from podium.api.objects import Object
from podium.simulation.recordings.segments import (
    BEGIN,
    END,
    GAP,
    HEADER,
    STATE,
    Identity,
    Line,
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
    """All of a recording, from its first segment on.

    Raises:
        RecordingError: there is none, or it is damaged.
    """
    reader = _Reader()
    for _, lines, _ in read_segments(directory):
        reader.take(lines)
    if not reader.has_begun:
        raise RecordingError(f"{directory}: ended before the state of the cluster was known")
    return Recording(
        path=str(directory),
        configuration=reader.configuration,
        started_s=reader.started_s,
        ended_s=reader.now_s,
        state=reader.state,
        changes=reader.changes,
        gaps=reader.gaps,
        is_closed=reader.is_closed,
    )


@dataclass(slots=True)
class _Reader:
    configuration: str = ""
    has_begun: bool = False
    is_closed: bool = False
    started_s: float = 0.0
    now_s: float = 0.0
    state: list[Object] = field(default_factory=list)
    changes: list[RecordedChange] = field(default_factory=list)
    gaps: list[RecordingGap] = field(default_factory=list)
    _known: dict[Identity, Object] = field(default_factory=dict)

    def take(self, lines: Iterable[Line]) -> None:
        """Take in the lines of the next segment."""
        for line in lines:
            kind = line["type"]
            self.is_closed = kind == END
            self.now_s = max(self.now_s, line["at"])
            if kind == HEADER:
                self.configuration = line.get("configuration") or ""
            elif kind == STATE:
                obj = line["object"]
                # Later segments repeat what is known.
                if not self.has_begun:
                    self.state.append(obj)
                    self._known[identity_of(obj)] = obj
            elif kind == BEGIN:
                if not self.has_begun:
                    self.has_begun, self.started_s = True, self.now_s
            elif kind == GAP:
                self.gaps.append(RecordingGap(line["since"], line["at"], line["reason"]))
            elif kind != END:
                self._change(kind, line["object"])

    def _change(self, kind: str, obj: Object) -> None:
        place = identity_of(obj)
        old = self._known.pop(place, None)
        gone = kind == "DELETED"
        if not gone:
            self._known[place] = obj
        # An object's last state may differ from the one before.
        old = obj if gone else old
        self.changes.append(RecordedChange(self.now_s, place[0], old, None if gone else obj))
