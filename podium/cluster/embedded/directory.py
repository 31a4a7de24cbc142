"""The data directory of a cluster, which one process at a time uses.

| file | content |
| --- | --- |
| `store.db` | the journal of all objects, with SQLite's log in `store.db-wal` |
| `store.db-revision` | the last acknowledged revision, which the journal must reach |
| `kubeconfig` | for kubectl, while the cluster runs |
| `disruptions.db` | the disruptions of pods that the dashboard shows, also of pods that are gone |
| `dashboard` | the link to the dashboard, while the cluster runs |
| `tls/`, `tokens/` | certificates and credentials; see `podium.apiserver.http` |
| `clock` | the latest time of the cluster, if it ran ahead of the wall clock |
| `lock` | held by the process that uses the directory |
"""

import contextlib
import errno
import fcntl
import os
import signal
import time
from pathlib import Path
from typing import IO, Self

from podium.api.errors import PodiumError
from podium.api.process.private_files import owner_only
from podium.cluster.embedded.sqlite_journal import SqliteJournal

_PRIVATE = 0o700


class DataDirectory:
    """A data directory, locked for this process inside of `with`; raises PodiumError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kubeconfig = path / "kubeconfig"
        self.dashboard = path / "dashboard"
        self._lock: IO[str] | None = None

    def __enter__(self) -> Self:
        try:
            self.path.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            lock = open(self.path / "lock", "a+", encoding="utf-8", opener=owner_only)
        except OSError as error:
            raise PodiumError(f"{self.path}: {error.strerror or error}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            pid = lock.read().strip()
            by = f" by process {pid}" if pid.isdecimal() else " by another process"
            lock.close()
            raise PodiumError(f"{self.path}: is in use{by}") from error
        try:
            lock.truncate(0)
            lock.write(f"{os.getpid()}\n")
            lock.flush()
        except OSError as error:
            with contextlib.suppress(OSError):
                lock.close()
            raise PodiumError(f"{self.path}: {error.strerror or error}") from error
        self._lock = lock
        # A killed process leaves them behind.
        self.forget_links()
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def forget_links(self) -> None:
        """Remove the kubeconfig and the link to the dashboard, which a running cluster makes."""
        self.kubeconfig.unlink(missing_ok=True)
        self.dashboard.unlink(missing_ok=True)

    def forget_kubeconfig(self) -> None:
        """Remove the kubeconfig that a killed process left; raises PodiumError."""
        if self.kubeconfig.exists():
            with self:
                pass

    def open_journal(self) -> SqliteJournal:
        """Open the journal; its writes survive a kill of the process. Raises JournalFileError."""
        return SqliteJournal(self.path / "store.db", durability="process")

    def high_water(self) -> "HighWater":
        return HighWater(self.path / "clock")


class HighWater:
    """The latest time of a cluster, in a file, so that time never goes back in the next run.

    The stored time is ahead of the cluster's, so that few advances need a write.
    """

    STEP_S = 60.0

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            text = path.read_text(encoding="utf-8") if path.exists() else "0"
            self.time_s = float(text)
            """An upper bound of the cluster's time so far, in seconds since the epoch."""
        except (OSError, ValueError) as error:
            raise PodiumError(f"{path}: doesn't hold a time: {error}") from error

    def rise(self, now_s: float, clock_s: float) -> None:
        """Store the cluster's time, before clients see it, if it is ahead of the wall clock's."""
        if now_s > clock_s and now_s > self.time_s:
            before_s, self.time_s = self.time_s, now_s + self.STEP_S
            new = self._path.with_suffix(".new")
            try:
                with open(new, "w", encoding="utf-8", opener=owner_only) as file:
                    file.write(f"{self.time_s!r}\n")
                new.replace(self._path)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                # Nor can any object be written at that time; `/readyz` reports the full disk.
                self.time_s = before_s


def stop_user(path: Path, patience_s: float = 60.0) -> int | None:
    """Stop the process that uses a data directory; return its id or None; raises PodiumError."""
    if not (path / "lock").exists():
        return None
    with open(path / "lock", "r+", encoding="utf-8") as lock:
        if _is_free(lock):
            return None
        pid = int(lock.read().strip() or 0)
        try:
            if pid:
                os.kill(pid, signal.SIGTERM)
        except OSError as error:
            raise PodiumError(f"{path}: process {pid}: {error.strerror}") from error
        end_s = time.monotonic() + patience_s
        while not _is_free(lock):
            if time.monotonic() >= end_s:
                raise PodiumError(f"{path}: is in use by process {pid}, which goes on")
            time.sleep(0.02)
        return pid


def _is_free(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    fcntl.flock(lock, fcntl.LOCK_UN)
    return True
