"""Finding and loading the texts that a command line names: files, directories, standard input."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from podium.manifests.input_files import InputFileError, read_all, read_file
from podium.manifests.problems import Problem, Source

STDIN = "-"
STDIN_NAME = "stdin"

# What counts as a manifest in a directory; a file that is named itself may be called anything.
SUFFIXES = (".yaml", ".yml", ".json")


class File(msgspec.Struct, frozen=True):
    """A text that has been loaded.

    Attributes:
        name: its path as given or found, or `stdin`.
        data: its bytes.
    """

    name: str
    data: bytes


def load(paths: Sequence[str | File], stdin: BinaryIO | None) -> Iterator[File | Problem]:
    """The files that the paths stand for, one at a time, in order.

    Args:
        paths: files, directories (searched through, sorted by path), `-`, or files that are
            loaded already.
        stdin: what `-` stands for.
    """
    for path in paths:
        if isinstance(path, File):
            yield path
        elif path == STDIN:
            yield _load_stdin(stdin)
        elif Path(path).is_dir():
            yield from _load_directory(path)
        else:
            yield _load_file(path)


def _load_stdin(stdin: BinaryIO | None) -> File | Problem:
    if stdin is None:
        return Problem(Source(STDIN_NAME), "", "there is no standard input to read")
    try:
        return File(STDIN_NAME, read_all(stdin, STDIN_NAME))
    except InputFileError as error:
        return Problem(Source(STDIN_NAME), "", f"can't be read: {error.why}")


def _load_directory(path: str) -> Iterator[File | Problem]:
    unread: list[OSError] = []
    found = sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(path, onerror=unread.append)
        for name in names
        if name.endswith(SUFFIXES)
    )
    for error in unread:
        yield Problem(Source(error.filename), "", f"can't be read: {error.strerror}")
    if not found and not unread:
        message = f"the directory has no file that ends with {', '.join(SUFFIXES)}"
        yield Problem(Source(path), "", message)
    for name in found:
        yield _load_file(name)


def _load_file(path: str) -> File | Problem:
    try:
        return File(path, read_file(path))
    except InputFileError as error:
        return Problem(Source(path), "", f"can't be read: {error.why}")
