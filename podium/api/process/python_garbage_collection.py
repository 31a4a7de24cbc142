"""Garbage collection in processes with many objects that stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_ALLOCATIONS = 100_000
_YOUNG = 20
_MIDDLE = 50

_keeps_all = False


def keep_all_there_is() -> None:
    """Exclude present objects, and those made without collection, from garbage collection.

    It is for processes that end soon, or keep their objects until their end.
    """
    global _keeps_all
    _keeps_all = True
    gc.freeze()


def collect_rarely() -> None:
    """Exclude present objects from garbage collection, and collect others rarely.

    Reference counts free nearly all objects; circles are few.
    """
    keep_all_there_is()
    gc.set_threshold(_ALLOCATIONS, _YOUNG, _MIDDLE)


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Disable garbage collection while the context is active, such as while a cluster is loaded.

    Loading makes millions of objects that all stay; collections would look at each repeatedly, and
    nearly quadruple the time of reading a large cluster. Afterwards they all count as old, so that
    the next collection doesn't look at them.
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
