"""Garbage collection while much is made that stays."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_keeps_all = False


def keep_all_there_is() -> None:
    """Look for garbage neither in what there is now, nor in what is made without collection.

    For processes that end soon, or keep what they have until their end.
    """
    global _keeps_all
    _keeps_all = True
    gc.freeze()


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Collect nothing for a while, such as while a cluster is read or loaded.

    That makes millions of values that all stay; the collector would look at each repeatedly. It
    nearly quadruples the time of reading a large cluster. Afterwards all of it counts as old, so
    that the next collection doesn't look at it either.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.freeze()
            if not _keeps_all:
                gc.unfreeze()
            gc.enable()
