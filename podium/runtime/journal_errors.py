"""What may be wrong with the file of a journal; each error names it."""

import sqlite3
from pathlib import Path

from podium.store.errors import JournalError

_PRIMARY_CODE = 0xFF
_IN_USE = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_UNAVAILABLE = frozenset(
    {
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
    }
)


class JournalFileError(JournalError):
    """The root of these errors.

    Attributes:
        path: the journal's file.
    """

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.path = path


class DamagedJournalError(JournalFileError):
    """It isn't what was written."""


class LockedJournalError(JournalFileError):
    """Somebody else uses it."""


class JournalSchemaError(JournalFileError):
    """It belongs to another program, or to another version of this one."""


class UnavailableJournalError(JournalFileError):
    """It can't be opened, read or written."""


def translated(path: Path, error: sqlite3.Error) -> JournalFileError:
    """What an error of SQLite's means for the journal."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY_CODE
    if code in _IN_USE:
        return LockedJournalError(path, "another process uses this journal")
    if code in _DAMAGED:
        return DamagedJournalError(path, f"the journal is damaged: {error}")
    if code in _UNAVAILABLE:
        return UnavailableJournalError(path, str(error))
    return JournalFileError(path, f"SQLite failed: {error}")
