"""The journal of a sweep: results of finished runs, from which a killed sweep can be continued.

A line is a JSON object, on disk before the next result is awaited. The first line identifies
the sweep. An incomplete last line is dropped, and its run repeated.
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


class TrialJournal:
    """The results of a sweep's runs by key, in a file of one process; raises PodiumError."""

    def __init__(self, directory: Path, digest: str) -> None:
        self._path = directory / NAME
        self._header = {"sweep": digest}
        self._results: dict[str, Result] = {}
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("a+b")
        except OSError as error:
            raise PodiumError(f"{self._path}: {error.strerror or error}") from None
        try:
            self._read()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __contains__(self, key: str) -> bool:
        return key in self._results

    def __getitem__(self, key: str) -> Result:
        return self._results[key]

    def add(self, key: str, result: Result) -> None:
        self._append({"run": key, "result": result})
        self._results[key] = result

    def finish(self, keys: Iterable[str]) -> None:
        """Sort the results of a finished sweep by `keys`."""
        lines: list[Mapping[str, Any]] = [self._header]
        lines += [{"run": key, "result": self._results[key]} for key in keys]
        sorted_path = self._path.with_suffix(".new")
        with sorted_path.open("wb") as file:
            file.writelines([_line(line) for line in lines])
            file.flush()
            os.fsync(file.fileno())
        sorted_path.replace(self._path)

    def _append(self, line: Mapping[str, Any]) -> None:
        try:
            self._file.write(_line(line))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise PodiumError(f"{self._path}: {error.strerror or error}") from None

    def _read(self) -> None:
        try:
            # A lock of this process alone: forks that outlive it don't keep others away.
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PodiumError(f"{self._path}: another process is writing to it") from None
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
            results = {line["run"]: line["result"] for line in lines[1:]}
        except (ValueError, KeyError, TypeError) as error:
            raise PodiumError(f"{self._path}: can't be read: {error}") from None
        if lines and lines[0] != self._header:
            raise PodiumError(
                f"{self._path}: belongs to another sweep, or its files have changed since; "
                "name another directory, or remove this one"
            )
        self._results = results
        self._file.truncate(len(whole))
        if not lines:
            self._append(self._header)


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
