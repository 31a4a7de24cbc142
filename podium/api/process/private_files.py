"""Files that only their owner may read: opening, atomic writing, and reading."""

import contextlib
import os
import secrets
from pathlib import Path

from podium.api.errors import PodiumError

OWNER_ONLY = 0o600
_OWNER_ONLY_DIRECTORY = 0o700


class FileError(PodiumError):
    """A private file can't be read or written."""


def owner_only(path: str, flags: int) -> int:
    """Open a file with a mode that only lets its owner access it; an opener for `open`."""
    descriptor = os.open(path, flags, OWNER_ONLY)
    try:
        os.fchmod(descriptor, OWNER_ONLY)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def private_directory(path: Path) -> None:
    """Create a directory that only its owner may enter, unless it exists; raises FileError."""
    try:
        path.mkdir(mode=_OWNER_ONLY_DIRECTORY, parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{path}: can't make the directory: {error.strerror}") from None


def write_private(path: Path, content: bytes) -> None:
    """Write a file atomically that only its owner may read; raises FileError."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        # Whoever opens it first decides who may read it: nobody else can have made it.
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise FileError(f"{path}: can't write the file: {error.strerror}") from None


def read_private(path: Path) -> bytes | None:
    """Read a file, None if it doesn't exist; raises FileError, also if others may read it."""
    try:
        with open(path, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(f"{path}: can't read the file: {error.strerror}") from None
    if mode & 0o077:
        raise FileError(f"{path}: others may read it; chmod 600 it, or remove it to get a new one")
    return content
