"""Logs, and cursors that remember how far each reader has read."""

from collections.abc import Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

LENGTH_MAX = 200_000


class Log(Generic[T]):
    """Entries in the order in which they were appended; the older half is dropped at a limit."""

    def __init__(self) -> None:
        self.end = 0
        """Raised by each entry and each restart; if it is unchanged, nothing has happened."""
        self._entries: list[T] = []

    def append(self, entry: T) -> None:
        self._entries.append(entry)
        self.end += 1
        if len(self._entries) > LENGTH_MAX:
            del self._entries[: len(self._entries) - LENGTH_MAX // 2]

    @property
    def entries(self) -> Sequence[T]:
        return self._entries

    def restart(self) -> None:
        """Drop all entries, so that every cursor is too far behind."""
        self._entries = []
        self.end += 1

    def forget_before(self, cursor: "Cursor[T]") -> None:
        read = len(self._entries) - (self.end - cursor._read)
        if 2 * read >= len(self._entries):
            del self._entries[: max(read, 0)]

    def cursor(self) -> "Cursor[T]":
        return Cursor(self)


class Cursor(Generic[T]):
    """The position up to which one reader has read a log."""

    __slots__ = ("_log", "_read")

    def __init__(self, log: Log[T]) -> None:
        self._log = log
        self._read = log.end

    def new(self, at_most: int = LENGTH_MAX) -> list[T] | None:
        """Return the entries since the last call, the oldest first.

        None if some of them were dropped or there are more than `at_most`; the reader then has to
        start over from the current state.
        """
        log = self._log
        behind = log.end - self._read
        if not behind:
            return []
        self._read = log.end
        if behind > at_most or behind > len(log._entries):
            return None
        return log._entries[-behind:]
