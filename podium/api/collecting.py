"""Garbage collection while much is made that stays."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Collect nothing for a while, such as while a cluster is read or loaded.

    That makes millions of values that all stay; the collector would look at each repeatedly. It
    nearly quadruples the time of reading a large cluster. Afterwards all of it counts as old, so
    that the next collection doesn't look at it either; where what is there was frozen, it is, too.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            was_frozen = gc.get_freeze_count() > 0
            gc.freeze()
            if not was_frozen:
                gc.unfreeze()
            gc.enable()
