"""The edge to the terminal: all that commands print passes it, whatever it is made of.

Files and clusters say what others have written. A name that clears the screen, renames the window
or turns the direction of a line is printed with its control characters escaped.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from podium.api.values.terminal_text import escaped


@contextmanager
def terminal_guarded() -> Iterator[None]:
    """Escape what is printed within to standard output and standard error."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast("TextIO", EscapingStream(stream)) for stream in streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


class EscapingStream:
    """A stream whose texts are escaped; what is asked of it otherwise, the stream itself answers.

    Attributes:
        rich_proxied_file: the stream itself, to which Rich writes styles. Texts of others among
            them are escaped by `podium.ui.writers.terminal.EscapingConsole`.
    """

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        """Write a text, escaped."""
        return self.rich_proxied_file.write(escaped(text))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after another, escaped."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)
