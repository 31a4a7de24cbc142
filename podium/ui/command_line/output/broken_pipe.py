"""Output to a pipe whose reader has closed it, as `| head` does.

The command continues silently, and exits with its usual code, so that --fail-on still works.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any


@contextmanager
def pipe_may_break() -> Iterator[None]:
    """Tolerate inside of `with` that the reader of standard output closes the pipe."""
    stdout = sys.stdout
    # Leave a stream alone that other code has put in its place, such as that of completion.
    if not isinstance(stdout, TextIOWrapper) or not isinstance(
        stdout.buffer, BufferedWriter | FileIO
    ):
        yield
        return
    stdout.flush()
    file = _UnreadFile(stdout.fileno(), "w", closefd=False)
    sys.stdout = TextIOWrapper(
        BufferedWriter(file),
        stdout.encoding,
        stdout.errors,
        line_buffering=stdout.line_buffering,
        write_through=stdout.write_through,
    )
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stdout = stdout


def is_unread() -> bool:
    """Return whether the reader of standard output has closed the pipe."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return isinstance(raw, _UnreadFile) and raw.is_unread


class _UnreadFile(FileIO):
    is_unread = False

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            self.is_unread = True
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return len(data)
