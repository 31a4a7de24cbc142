"""What becomes of a command whose output nobody reads to its end, as with `| head`."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# As shells have it of a command that SIGPIPE has ended.
BROKEN_PIPE_EXIT_CODE = 141


@contextmanager
def pipe_may_break() -> Iterator[None]:
    """End quietly if nobody reads what is printed."""
    try:
        try:
            yield
        finally:
            # Now rather than when Python ends, where nothing could be done about it.
            sys.stdout.flush()
    except BrokenPipeError:
        forget_output()


def forget_output() -> None:
    """Print nothing any more, and exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    raise SystemExit(BROKEN_PIPE_EXIT_CODE)
