"""Escaping of control characters in everything that commands print.

Names and messages from files and clusters may have control sequences that clear the screen, rename
the window or reverse the direction of a line; these are printed escaped.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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
