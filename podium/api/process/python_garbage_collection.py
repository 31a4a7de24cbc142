"""Garbage collection where much is made that stays."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_ALLOCATIONS = 100_000
_YOUNG = 20
_MIDDLE = 50

_keeps_all = False


def keep_all_there_is() -> None:
    """Look for garbage neither in what there is now, nor in what is made without collection.

    For processes that end soon, or keep what they have until their end.
    """
    global _keeps_all
    _keeps_all = True
    gc.freeze()


def collect_rarely() -> None:
    """Leave what was read so far alone, as it stays until the end, and look at the rest rarely.

    Nearly everything goes as soon as nobody refers to it any more; circles are few.
    """
    keep_all_there_is()
    gc.set_threshold(_ALLOCATIONS, _YOUNG, _MIDDLE)


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
