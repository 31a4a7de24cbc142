"""A sweep's journal: the results of its runs as they come, so that it goes on after a kill.

A line is a JSON object and is on the disk before the next run's result is taken. The first line
says which sweep it is. A line that a kill has cut short is dropped, and its run played again.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from podium.api.errors import PodiumError

NAME = "journal.jsonl"

Result = Mapping[str, Any]


class TrialJournalError(PodiumError):
    """A journal that can't be gone on with."""


class TrialJournal:
    """The results that are known, and where more are added.

    Raises:
        JournalError: the directory has the journal of another sweep, or can't be written.
    """

    def __init__(self, directory: Path, digest: str) -> None:
        self._path = directory / NAME
        self._header = {"sweep": digest}
        self._known: dict[str, Result] = {}
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("a+b")
        except OSError as error:
            raise TrialJournalError(f"{self._path}: {error.strerror or error}") from None
        try:
            self._begin()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def __getitem__(self, key: str) -> Result:
        return self._known[key]

    def add(self, key: str, result: Result) -> None:
        self._append({"run": key, "result": result})
        self._known[key] = result

    def finish(self, keys: Iterable[str]) -> None:
        """Put the results in this order, in which they needn't have come."""
        lines: list[Mapping[str, Any]] = [self._header]
        lines += [{"run": key, "result": self._known[key]} for key in keys]
        other = self._path.with_suffix(".new")
        with other.open("wb") as file:
            file.writelines([_line(line) for line in lines])
            file.flush()
            os.fsync(file.fileno())
        other.replace(self._path)

    def _append(self, line: Mapping[str, Any]) -> None:
        try:
            self._file.write(_line(line))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise TrialJournalError(f"{self._path}: {error.strerror or error}") from None

    def _begin(self) -> None:
        try:
            # Of this process alone: forks that outlive it don't keep others away.
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TrialJournalError(f"{self._path}: another process is writing to it") from None
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
            known = {line["run"]: line["result"] for line in lines[1:]}
        except (ValueError, KeyError, TypeError) as error:
            raise TrialJournalError(f"{self._path}: can't be read: {error}") from None
        if lines and lines[0] != self._header:
            raise TrialJournalError(
                f"{self._path}: belongs to another sweep, or its files have changed since; "
                "name another directory, or remove this one"
            )
        self._known = known
        self._file.truncate(len(whole))
        if not lines:
            self._append(self._header)


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
