"""The log of one run of a container, in the format of CRI, kept and rotated.

Each line has a time, the stream, `F` or, for a part of a longer line, `P`, and what was said.
"""

import asyncio
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path

from podium.api.process.private_files import owner_only
from podium.api.values.times import NANOS_PER_SECOND, format_time

SIZE_MAX = 10 * 2**20
FILES_MAX = 5
"""As kubelets have it: containerLogMaxSize and containerLogMaxFiles."""
_PART_MAX = 16 * 1024
_CHUNK = 64 * 1024
_NANOSECOND_DIGITS = 9


class LogFile:
    """The log of one run of a container while it is being written.

    Args:
        path: of it; rotated files have a number at their end, the newest the lowest.
        now_s: tells what time it is.
        size_max: how large a file may become before it is rotated, in bytes.
        files_max: how many files there are at most.
    """

    def __init__(
        self,
        path: Path,
        now_s: Callable[[], float],
        size_max: int = SIZE_MAX,
        files_max: int = FILES_MAX,
    ) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._now_s = now_s
        self._size_max = size_max
        self._files_max = files_max
        self._file = self._opened()

    async def follow(self, stream: str, reader: asyncio.StreamReader) -> None:
        """Write what a stream says until it ends.

        Args:
            stream: `stdout` or `stderr`.
            reader: of it.
        """
        rest = b""
        while chunk := await reader.read(_CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            entries = [entry for line in lines for entry in _entries(line)]
            while len(rest) > _PART_MAX:
                entries.append((b"P", rest[:_PART_MAX]))
                rest = rest[_PART_MAX:]
            self._write(stream, entries)
        if rest:
            self._write(stream, [(b"F", rest)])

    def close(self) -> None:
        """Nothing more is said."""
        self._file.close()

    def _write(self, stream: str, entries: list[tuple[bytes, bytes]]) -> None:
        stamp = format_time(int(self._now_s() * NANOS_PER_SECOND), _NANOSECOND_DIGITS)
        start = f"{stamp} {stream} ".encode()
        text = b"".join(b"%b%b %b\n" % (start, tag, said) for tag, said in entries)
        try:
            self._file.write(text)
            if self._file.tell() >= self._size_max:
                self._rotate()
        except OSError:
            # The disk is full, most likely. A container isn't to wait for that, so it is read on.
            return

    def _rotate(self) -> None:
        self._file.close()
        for number in range(self._files_max - 2, 0, -1):
            older = self._numbered(number)
            if older.exists():
                older.replace(self._numbered(number + 1))
        self._path.replace(self._numbered(1))
        self._file = self._opened()

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")

    def _opened(self) -> FileIO:
        return open(self._path, "ab", buffering=0, opener=owner_only)


def _entries(line: bytes) -> Iterator[tuple[bytes, bytes]]:
    while len(line) > _PART_MAX:
        yield b"P", line[:_PART_MAX]
        line = line[_PART_MAX:]
    yield b"F", line
