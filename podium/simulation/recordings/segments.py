"""The files of a recording: segments of JSON lines, compressed member by member.

A segment begins with the whole state, so that older segments may be removed, and a recording can be
continued from its last segment alone. Each flush appends a gzip member of whole lines. A killed
process leaves at most one incomplete member at the end, which is ignored.
"""

import fcntl
import gzip
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from podium.api.errors import PodiumError
from podium.api.kinds.builtin_kinds import kind_of
from podium.api.kinds.snapshot_kinds import Identity
from podium.api.objects import Object, place_of
from podium.api.release import __version__
from podium.machines.events import Change

HEADER, STATE, BEGIN, GAP, END = "HEADER", "STATE", "BEGIN", "GAP", "END"
"""Types of lines, besides the types of watch events: ADDED, MODIFIED and DELETED."""

FORMAT = 1
SEGMENT_BYTES = 16 * 2**20
# A state that fills a segment by itself is written again only when as much has happened since.
_EVENTS_PER_STATE = 2
_GZIP = 16 + zlib.MAX_WBITS
_NAME = re.compile(r"segment-(\d{6})\.jsonl\.gz")

Line = dict[str, Any]


class SegmentWriter:
    """The writer of a recording, which locks the directory until `close`; raises PodiumError.

    `configuration` is the cluster's KubeSchedulerConfiguration as text; empty for the default one.
    """

    def __init__(
        self, directory: Path, configuration: str = "", segment_bytes: int = SEGMENT_BYTES
    ) -> None:
        self.number = 0
        self.bytes_written = 0
        self._directory = directory
        self._configuration = configuration
        self._segment_bytes = segment_bytes
        self._state_bytes = self._event_bytes = 0
        self._lines: list[bytes] = []
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(directory, os.O_RDONLY)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise PodiumError(f"{directory}: another process is recording there") from None
        except OSError as error:
            raise PodiumError(f"{directory}: {error.strerror}") from None

    def resume(self) -> list[Line]:
        """Continue the last segment; return its complete lines, if any; raises PodiumError."""
        for path in reversed(segment_paths(self._directory)):
            content = path.read_bytes()
            lines, whole = _decoded(path, content)
            if any(line["type"] == BEGIN for line in lines):
                header = lines[0]
                if header.get("configuration", "") != self._configuration:
                    raise PodiumError(f"{path}: was recorded with another configuration")
                if whole < len(content):
                    os.truncate(path, whole)
                self.number = _number(path)
                self._event_bytes = whole
                return lines
            # The process was killed while it wrote the state, which the segment before has, too.
            path.unlink()
        return []

    def begin_segment(self, state: Iterable[Any], at_s: float) -> None:
        """Begin the next segment with the state of the cluster."""
        self.flush()
        self.number += 1
        self._state_bytes = self._event_bytes = 0
        header = {"format": FORMAT, "podium": __version__, "configuration": self._configuration}
        self.write(HEADER, at_s, **header)
        for obj in state:
            self.write(STATE, at_s, object=obj)
        self.write(BEGIN, at_s)
        self.flush()
        self._state_bytes, self._event_bytes = self._event_bytes, 0

    def write(self, kind: str, at_s: float, **rest: Any) -> None:
        """Add a line, to be written by the next flush."""
        line = {"type": kind, "at": round(at_s, 6), **rest}
        self._lines.append(msgspec.json.encode(line))

    @property
    def is_full(self) -> bool:
        """Return whether the next segment should begin."""
        least = max(self._segment_bytes, _EVENTS_PER_STATE * self._state_bytes)
        return self._event_bytes >= least

    def flush(self) -> None:
        """Write the added lines to disk; raises PodiumError."""
        if not self._lines:
            return
        member = gzip.compress(b"\n".join(self._lines) + b"\n", compresslevel=6, mtime=0)
        self._lines.clear()
        path = self._directory / f"segment-{self.number:06}.jsonl.gz"
        try:
            with path.open("ab") as file:
                file.write(member)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise PodiumError(f"{path}: {error.strerror}") from None
        self._event_bytes += len(member)
        self.bytes_written += len(member)

    def close(self) -> None:
        """Unlock the directory; lines that haven't been flushed are lost."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def identity_of(obj: Object) -> Identity:
    """Return kind, namespace and name of an object."""
    kind = kind_of(obj)
    return (str(obj.get("kind") or "") if kind is None else kind.key, *place_of(obj))


def segment_paths(directory: Path) -> list[Path]:
    """Return the segments of a recording, in order; raises PodiumError."""
    try:
        return sorted(path for path in directory.iterdir() if _NAME.fullmatch(path.name))
    except OSError as error:
        raise PodiumError(f"{directory}: {error.strerror}") from None


def read_segments(directory: Path) -> Iterator[tuple[Path, list[Line], bool]]:
    """Yield each segment's path and lines, and if its end is incomplete; raises PodiumError."""
    paths = segment_paths(directory)
    if not paths:
        raise PodiumError(f"{directory}: there is no recording (segment-000001.jsonl.gz)")
    for before, path in zip((None, *paths), paths, strict=False):
        if before is not None and _number(path) != _number(before) + 1:
            missing = f"segments between {before.name} and {path.name} are missing"
            raise PodiumError(f"{directory}: {missing}")
        content = path.read_bytes()
        lines, whole = _decoded(path, content)
        is_torn = whole < len(content)
        if is_torn and path is not paths[-1]:
            raise PodiumError(f"{path}: is damaged after byte {whole}")
        yield path, lines, is_torn


def _number(path: Path) -> int:
    match = _NAME.fullmatch(path.name)
    assert match
    return int(match.group(1))


def _decoded(path: Path, content: bytes) -> tuple[list[Line], int]:
    lines: list[Line] = []
    end = 0
    while end < len(content):
        member = zlib.decompressobj(_GZIP)
        try:
            text = member.decompress(content[end:])
        except zlib.error:
            break
        if not member.eof:
            break
        try:
            lines += map(msgspec.json.decode, text.splitlines())
        except msgspec.DecodeError as error:
            raise PodiumError(f"{path}: a line isn't JSON: {error}") from None
        end = len(content) - len(member.unused_data)
    if lines and (lines[0].get("type"), lines[0].get("format")) != (HEADER, FORMAT):
        raise PodiumError(f"{path}: isn't a segment that this version of Podium reads")
    return lines, end


class RecordedChange(Change, frozen=True):
    """A change of an object, and when it was seen."""

    at_s: float = 0.0


class RecordingGap(msgspec.Struct, frozen=True):
    """A time in which no recorder ran, so that only the changes in sum are known."""

    since_s: float
    until_s: float
    reason: str


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """The recorded changes of a cluster; times are in seconds since the epoch."""

    path: str
    configuration: str
    """The KubeSchedulerConfiguration of the cluster, as text; empty for the default one."""
    started_s: float
    ended_s: float
    state: Sequence[Object]
    changes: Sequence[RecordedChange]
    gaps: Sequence[RecordingGap]
    is_closed: bool
    """Whether the recorder was stopped regularly, rather than killed."""


def read_recording(directory: Path) -> Recording:
    """Read a recording; raises PodiumError."""
    configuration, is_closed, now_s = "", False, 0.0
    started_s: float | None = None
    state: list[Object] = []
    changes: list[RecordedChange] = []
    gaps: list[RecordingGap] = []
    objects: dict[Identity, Object] = {}
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
                objects[identity_of(line["object"])] = line["object"]
        elif kind == BEGIN:
            started_s = now_s if started_s is None else started_s
        elif kind == GAP:
            gaps.append(RecordingGap(line["since"], line["at"], line["reason"]))
        elif kind != END:
            obj = line["object"]
            identity = identity_of(obj)
            before = objects.pop(identity, None)
            if kind == "DELETED":
                # The last state of an object may differ from the one before.
                changes.append(RecordedChange(identity[0], obj, None, now_s))
            else:
                objects[identity] = obj
                changes.append(RecordedChange(identity[0], before, obj, now_s))
    if started_s is None:
        raise PodiumError(f"{directory}: ended before the state of the cluster was known")
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
