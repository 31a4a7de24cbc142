"""Reading of named files: regular files, terminals and pipes.

Pipes without a writer (which would block), devices (which may never end) and files that exceed the
memory are refused. A shell's `<(command)` is a pipe, which is read to its end.
"""

import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from podium.api.errors import PodiumError

SIZE_MAX_BYTES = 4 * 2**30
"""Limit of the size of a file."""

_CHUNK_BYTES = 2**20
_OPENING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class InputFileError(PodiumError):
    """A file that can't be read, and why."""

    def __init__(self, path: str | Path, why: str) -> None:
        super().__init__(f"{path}: can't be read: {why}")
        self.why = why


def open_file(path: str | Path) -> BinaryIO:
    """Open a file, a terminal, or a pipe; raises InputFileError."""
    try:
        descriptor = os.open(path, _OPENING)
    except OSError as error:
        raise InputFileError(path, _words(error)) from None
    except ValueError:
        raise InputFileError(path, "a path can't hold a null byte") from None
    try:
        status = os.fstat(descriptor)
        if stat.S_ISFIFO(status.st_mode):
            try:
                first = os.read(descriptor, _CHUNK_BYTES)
                if not first:
                    raise InputFileError(path, "it is a pipe that nobody writes to")
            except BlockingIOError:
                first = b""
            os.set_blocking(descriptor, True)
            return io.BufferedReader(_Pipe(descriptor, first))
        if stat.S_ISDIR(status.st_mode):
            raise InputFileError(path, "it is a directory")
        is_device = stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)
        is_null = is_device and status.st_rdev == os.stat(os.devnull).st_rdev
        if is_device and not is_null and not os.isatty(descriptor):
            raise InputFileError(path, "it is a device")
        _check_size(status.st_size, path)
        os.set_blocking(descriptor, True)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_file(path: str | Path) -> bytes:
    """Read a file; raises InputFileError."""
    with open_file(path) as file:
        return read_all(file, path)


def read_all(file: BinaryIO, path: str | Path) -> bytes:
    """Read the rest of an open file; raises InputFileError with the path."""
    size, chunks = 0, []
    try:
        while chunk := file.read(_CHUNK_BYTES):
            size += len(chunk)
            chunks.append(chunk)
            _check_size(size, path)
    except (OSError, EOFError) as error:
        raise InputFileError(path, _words(error)) from None
    return b"".join(chunks)


def read_text(path: str | Path, stdin: BinaryIO | None = None) -> str:
    """Read a UTF-8 text from a file, or for `-` from `stdin` if given; raises InputFileError."""
    is_stdin = stdin is not None and str(path) == "-"
    data = read_all(stdin, "stdin") if is_stdin and stdin is not None else read_file(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputFileError(path, f"not UTF-8 text: {error.reason}") from None


def lines(file: BinaryIO, path: str | Path, length_max: int) -> Iterator[bytes]:
    """Yield the lines of an open file; raises InputFileError if one exceeds `length_max` bytes."""
    while line := file.readline(length_max + 1):
        if len(line) > length_max:
            raise InputFileError(path, f"a line is longer than {length_max} bytes")
        yield line


class _Pipe(io.RawIOBase):
    def __init__(self, descriptor: int, first: bytes) -> None:
        super().__init__()
        self._file = os.fdopen(descriptor, "rb", buffering=0)
        self._first = first

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._first:
            return self._file.readinto(buffer) or 0
        part, self._first = self._first[: len(buffer)], self._first[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        self._file.close()
        super().close()


def _check_size(size: int, path: str | Path) -> None:
    if size > SIZE_MAX_BYTES:
        raise InputFileError(path, f"it is larger than {SIZE_MAX_BYTES} bytes")


def _words(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)
