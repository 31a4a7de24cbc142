"""The logs of containers in CRI's format, which are written, rotated and read as by a kubelet.

A line has a time, the stream, `F` (or `P` for a part of a longer line), and the text.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import BinaryIO

import msgspec

from podium.api.process.private_files import owner_only
from podium.api.values.times import NANOS_PER_SECOND, format_time

SIZE_MAX = 10 * 2**20
FILES_MAX = 5
"""The kubelet's defaults of containerLogMaxSize and containerLogMaxFiles."""
_PART_MAX = 16 * 1024
_CHUNK = 64 * 1024
_NANOSECOND_DIGITS = 9


@dataclass(eq=False)
class LogFile:
    """The log of a running container, to be written."""

    path: Path
    """Path of the newest file; the names of rotated files end with a number."""
    now_s: Callable[[], float]
    size_max: int = SIZE_MAX
    """Size at which a file is rotated, in bytes."""
    files_max: int = FILES_MAX

    def __post_init__(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._opened()

    async def follow(self, stream: str, reader: asyncio.StreamReader) -> None:
        """Write a stream (`stdout` or `stderr`) until it ends."""
        rest = b""
        while chunk := await reader.read(_CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            entries = [entry for line in lines for entry in _entries(line)]
            *parts, (_, rest) = _entries(rest)
            self._write(stream, [*entries, *parts])
        if rest:
            self._write(stream, [(b"F", rest)])

    def close(self) -> None:
        self._file.close()

    def _write(self, stream: str, entries: list[tuple[bytes, bytes]]) -> None:
        stamp = format_time(int(self.now_s() * NANOS_PER_SECOND), _NANOSECOND_DIGITS)
        start = f"{stamp} {stream} ".encode()
        text = b"".join(b"%b%b %b\n" % (start, tag, said) for tag, said in entries)
        try:
            self._file.write(text)
            if self._file.tell() >= self.size_max:
                self._file.close()
                for number in range(self.files_max - 2, 0, -1):
                    older = self._numbered(number)
                    if older.exists():
                        older.replace(self._numbered(number + 1))
                self.path.replace(self._numbered(1))
                self._file = self._opened()
        except OSError:
            # The disk is full, most likely. Containers don't wait for that.
            return

    def _numbered(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{number}")

    def _opened(self) -> FileIO:
        return open(self.path, "ab", buffering=0, opener=owner_only)


def _entries(line: bytes) -> Iterator[tuple[bytes, bytes]]:
    while len(line) > _PART_MAX:
        yield b"P", line[:_PART_MAX]
        line = line[_PART_MAX:]
    yield b"F", line


_LOOK_S = 0.1
_FIELDS = 4


class LogOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a log to read, as in PodLogOptions."""

    follow: bool = False
    """Whether to continue until the container has exited."""
    tail_lines: int | None = None
    """Number of lines at the end to begin with; None for all."""
    since: str = ""
    """Time from which to read, in the log's format; empty for all lines."""
    timestamps: bool = False
    limit_bytes: int | None = None
    """Number of bytes to read at most; None for no limit."""


async def log_text(
    path: Path, options: LogOptions, is_running: Callable[[], bool]
) -> AsyncIterator[bytes]:
    """Read the newest file of a log piece by piece, as the kubelet does."""
    shown, rest, file = _Shown(options), b"", _opened(path)
    if file is None:
        return
    try:
        file.seek(_tail_start(file, options.tail_lines))
        while True:
            is_last = not (options.follow and is_running())
            while chunk := file.read(_CHUNK):
                *lines, rest = (rest + chunk).split(b"\n")
                if text := shown.text(lines):
                    yield text
                if shown.is_full:
                    return
            newest = _opened(path)
            if newest is not None and not os.path.sameopenfile(newest.fileno(), file.fileno()):
                file.close()
                file, rest = newest, b""
                continue
            if newest is not None:
                newest.close()
            if is_last:
                return
            await asyncio.sleep(_LOOK_S)
    finally:
        file.close()


class _Shown:
    def __init__(self, options: LogOptions) -> None:
        self._options = options
        self._since = options.since.encode()
        self._left = options.limit_bytes
        self._is_line_start = True

    @property
    def is_full(self) -> bool:
        return self._left == 0

    def text(self, lines: Sequence[bytes]) -> bytes:
        text = b"".join(map(self._line, lines))
        if self._left is not None:
            text = text[: self._left]
            self._left -= len(text)
        return text

    def _line(self, line: bytes) -> bytes:
        fields = line.split(b" ", _FIELDS - 1)
        # A full disk may have cut a line.
        if len(fields) < _FIELDS or fields[0] < self._since:
            return b""
        stamp, _, tag, said = fields
        start = stamp + b" " if self._options.timestamps and self._is_line_start else b""
        self._is_line_start = tag == b"F"
        return start + said + (b"\n" if self._is_line_start else b"")


def _opened(path: Path) -> BinaryIO | None:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None


def _tail_start(file: BinaryIO, lines: int | None) -> int:
    if lines is None:
        return 0
    position = file.seek(0, os.SEEK_END)
    # The last line has an end, too.
    left = lines + 1
    while position > 0:
        start = max(position - _CHUNK, 0)
        file.seek(start)
        chunk = file.read(position - start)
        end = len(chunk)
        while (end := chunk.rfind(b"\n", 0, end)) >= 0:
            left -= 1
            if left == 0:
                return start + end + 1
        position = start
    return 0
