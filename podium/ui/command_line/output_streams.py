"""Output streams of commands, guarded against control characters and closed pipes.

Names and messages from files and clusters may have control sequences that clear the screen, rename
the window or reverse the direction of a line; these are printed escaped. If the reader of a pipe
has closed it, as `| head` does, the command continues silently, and exits with its usual code, so
that --fail-on still works.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any, TextIO, cast

from podium.api.values.message_words import escaped


@contextmanager
def terminal_guarded() -> Iterator[None]:
    """Escape all output to standard output and standard error inside of `with`."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast("TextIO", EscapingStream(stream)) for stream in streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


class EscapingStream:
    """A text stream that wraps another stream, and escapes what is written to it."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream
        """The wrapped stream, to which Rich writes its styles; `EscapingConsole` escapes the texts
        between them."""

    def write(self, text: str) -> int:
        """Write a text with its control characters escaped."""
        return self.rich_proxied_file.write(escaped(text))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts with their control characters escaped."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


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
