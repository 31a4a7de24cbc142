"""The store's journal in a SQLite file.

Each write appends a row with the new version of an object. A row names the row that it replaces, so
that one table holds both the objects and their history. Compaction deletes rows that were replaced
long ago.
"""

import errno
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import msgspec

from podium.api.objects import Object
from podium.api.process.private_files import OWNER_ONLY, owner_only
from podium.apiserver.store.errors import JournalError, NoRoomError
from podium.apiserver.store.history import FIRST_REVISION, EventType, Recovered, WatchEvent

Durability = Literal["process", "power"]
"""Whether writes survive the end of the process only, or a power failure as well."""

_SYNCHRONOUS: Mapping[Durability, str] = {"process": "NORMAL", "power": "FULL"}

_APPLICATION_ID = 0x506F6469  # "Podi"
_SCHEMA_VERSION = 1
# `replaces` is the revision of the object's previous row, 0 for a new object. The only row of
# `compaction` has the revision after which all writes are in the journal.
_SCHEMA = (
    """
    CREATE TABLE versions (
      revision INTEGER PRIMARY KEY,
      replaces INTEGER NOT NULL,
      type TEXT NOT NULL,
      kind TEXT NOT NULL,
      body BLOB NOT NULL,
      checksum INTEGER NOT NULL
    )
    """,
    "CREATE TABLE compaction (oldest_revision INTEGER NOT NULL)",
    f"INSERT INTO compaction VALUES ({FIRST_REVISION})",
    f"PRAGMA application_id = {_APPLICATION_ID}",
    f"PRAGMA user_version = {_SCHEMA_VERSION}",
)
_INSERT = "INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?)"
_LOAD = "SELECT revision, replaces, type, kind, body, checksum FROM versions ORDER BY revision"
_COMPACT = (
    """
    DELETE FROM versions WHERE revision IN (
      SELECT replaces FROM versions WHERE revision > :old AND revision <= :new
    )
    """,
    "DELETE FROM versions WHERE revision > :old AND revision <= :new AND type = 'DELETED'",
    "UPDATE compaction SET oldest_revision = :new",
)

_DAMAGED = "the journal is damaged: revision {} {}"

_Row = tuple[int, int, EventType, str, bytes, int]

_PRIMARY_CODE = 0xFF
# Messages by the primary code of an error; other codes are failures of SQLite.
_WHYS = {
    **dict.fromkeys(
        (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED), "another process uses this journal"
    ),
    **dict.fromkeys((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB), "the journal is damaged: {}"),
    **dict.fromkeys((sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL), "{}"),
    **dict.fromkeys((sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY), "{}"),
}


class JournalFileError(JournalError):
    """A journal file that is damaged or can't be used."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why}")


class FullJournalError(JournalFileError, NoRoomError):
    """The disk of the journal file is full."""


class SqliteJournal:
    """Stores writes in one file (with SQLite's `-wal` beside it), which no other process may use.

    The last acknowledged revision is in a separate file, `-revision`, because SQLite doesn't report
    lost writes if its log is damaged, cut off or missing.
    """

    def __init__(
        self, path: Path, *, durability: Durability = "power", history_max: int = 32_768
    ) -> None:
        """Open the file, or create it in an existing directory; raises JournalFileError.

        After a restart, watches can resume from the last `history_max` writes of all kinds
        together. The latest version of each object is always kept.
        """
        self._path = path
        self._history_max = history_max
        # Number of writes between compactions.
        self._compaction_step = max(history_max // 16, 1)
        if not path.parent.is_dir():
            raise JournalFileError(path, f"{path.parent} isn't a directory")
        self._is_full = False
        log = _beside(path, "wal")
        self._had_log = log.exists() and log.stat().st_size > 0
        if not path.exists():
            # SQLite gives the files beside it the same mode.
            try:
                os.close(owner_only(str(path), os.O_RDWR | os.O_CREAT))
            except OSError as error:
                raise _unavailable(path, error) from error
        with self._errors_named():
            self._db = sqlite3.connect(path, timeout=0, isolation_level=None)
            try:
                self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
                is_new = self._check_schema()
                mode = self._db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
                if mode != "wal":
                    raise JournalFileError(self._path, "no write-ahead log can be kept there")
                self._db.execute(f"PRAGMA synchronous = {_SYNCHRONOUS[durability]}")
                with self._db:
                    # Takes the lock, which is held until the connection is closed.
                    self._db.execute("BEGIN EXCLUSIVE")
                    for statement in _SCHEMA if is_new else ():
                        self._db.execute(statement)
                self._oldest_revision = self._number("SELECT oldest_revision FROM compaction")
                try:
                    # Not by opening them: closing a file would end all locks of the process on it.
                    for file in (path, _beside(path, "wal")):
                        if file.exists():
                            file.chmod(OWNER_ONLY)
                    self._acknowledged = _Note(_beside(path, "revision"))
                except OSError as error:
                    raise _unavailable(path, error) from error
            except BaseException:
                self._db.close()
                raise

    def load(self) -> Recovered:
        with self._errors_named():
            events = list(self._events(self._db.execute(_LOAD)))
        self._check_end(max(self._oldest_revision, *(event.revision for event in events[-1:]), 0))
        return Recovered(self._oldest_revision, events)

    def append(self, events: Sequence[WatchEvent]) -> None:
        rows: list[_Row] = []
        for event in events:
            replaces, body = _version(event.previous), msgspec.json.encode(event.obj)
            row = event.revision, replaces, event.type, event.kind
            rows.append((*row, body, _checksum(*row, body)))
        with self._errors_named(), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(_INSERT, rows)
            old, new = self._oldest_revision, events[-1].revision - self._history_max
            is_time = new - old >= self._compaction_step
            for statement in _COMPACT if is_time else ():
                self._db.execute(statement, {"old": old, "new": new})
        self._oldest_revision = new if is_time else old
        try:
            self._acknowledged.note(events[-1].revision)
        except OSError as error:
            raise _unavailable(self._path, error) from error
        self._is_full = False

    def is_full(self) -> bool:
        """Return whether the last write failed on a full disk, and the disk still is full."""
        # SQLite's own free pages may take a small write, though the disk is full.
        if self._is_full and os.statvfs(self._path.parent).f_bavail:
            with suppress(JournalFileError), self._errors_named():
                with self._db:
                    self._db.execute("BEGIN IMMEDIATE")
                    self._db.execute("UPDATE compaction SET oldest_revision = oldest_revision")
                self._is_full = False
        return self._is_full

    def close(self) -> None:
        self._acknowledged.close()
        with self._errors_named():
            self._db.close()

    def _check_schema(self) -> bool:
        application_id = self._number("PRAGMA application_id")
        version = self._number("PRAGMA user_version")
        tables = self._number("SELECT count(*) FROM sqlite_master")
        if (application_id, version, tables) == (0, 0, 0):
            return True
        if application_id != _APPLICATION_ID:
            raise JournalFileError(self._path, "a database, but not a journal of Podium's")
        if version != _SCHEMA_VERSION:
            known = f"this version of Podium reads {_SCHEMA_VERSION}"
            raise JournalFileError(self._path, f"the journal's schema is {version}; {known}")
        return False

    def _check_end(self, last: int) -> None:
        note = self._acknowledged
        try:
            noted = note.revision()
        except ValueError:
            why = f"the journal is damaged: {note.path} holds no revision; remove it to go on"
            raise JournalFileError(self._path, why) from None
        if last >= noted:
            return
        log, kept = _beside(self._path, "wal"), _beside(self._path, "wal.damaged")
        where = ""
        if self._had_log:
            # Closing the file deletes the part of the log that SQLite can't read.
            with open(kept, "wb", opener=owner_only) as file:
                file.write(log.read_bytes())
            where = f" (what is left of its log is in {kept})"
        raise JournalFileError(
            self._path,
            f"the journal is damaged: it ends at revision {last}, but writes up to revision "
            f"{noted} were acknowledged{where}; put a copy of the directory in its place, or "
            f"remove {note.path} to go on without these {noted - last} writes",
        )

    def _number(self, query: str) -> int:
        row = self._db.execute(query).fetchone()
        if row is None:
            raise JournalFileError(self._path, f"the journal is damaged: nothing for {query}")
        return int(row[0])

    def _events(self, rows: Iterable[_Row]) -> Iterator[WatchEvent]:
        objects: dict[tuple[str, str, str], Object] = {}
        for revision, replaces, event_type, kind, body, checksum in rows:
            if checksum != _checksum(revision, replaces, event_type, kind, body):
                raise JournalFileError(self._path, _DAMAGED.format(revision, "has been altered"))
            obj: Object = msgspec.json.decode(body)
            namespace, name = obj["metadata"].get("namespace", ""), obj["metadata"]["name"]
            key = (kind, namespace, name)
            previous = objects.get(key)
            if revision > self._oldest_revision and replaces != _version(previous):
                raise JournalFileError(self._path, _DAMAGED.format(replaces, "is missing"))
            objects[key] = obj
            if event_type == "DELETED":
                del objects[key]
            yield WatchEvent(revision, event_type, kind, namespace, name, obj, previous)

    @contextmanager
    def _errors_named(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY_CODE
            is_full = code == sqlite3.SQLITE_FULL
            self._is_full = self._is_full or is_full
            kind = FullJournalError if is_full else JournalFileError
            why = _WHYS.get(code, "SQLite failed: {}").format(error)
            raise kind(self._path, why) from error


class _Note:
    """The last acknowledged revision, in a file of one line of fixed length.

    The file is overwritten in place, which takes no space and can't be interrupted by a kill.
    """

    _LENGTH = 20

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = owner_only(str(path), os.O_RDWR | os.O_CREAT)
        if not os.fstat(self._descriptor).st_size:
            try:
                self.note(0)
            except OSError:
                self.close()
                raise

    def revision(self) -> int:
        return int(os.pread(self._descriptor, self._LENGTH, 0))

    def note(self, revision: int) -> None:
        os.pwrite(self._descriptor, b"%*d\n" % (self._LENGTH - 1, revision), 0)

    def close(self) -> None:
        os.close(self._descriptor)


def _beside(path: Path, what: str) -> Path:
    return path.with_name(f"{path.name}-{what}")


def _unavailable(path: Path, error: OSError) -> JournalFileError:
    kind = FullJournalError if error.errno == errno.ENOSPC else JournalFileError
    return kind(path, error.strerror or str(error))


def _version(obj: Mapping[str, Any] | None) -> int:
    return 0 if obj is None else int(obj["metadata"]["resourceVersion"])


def _checksum(revision: int, replaces: int, event_type: str, kind: str, body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(f"{revision} {replaces} {event_type} {kind}".encode()))
