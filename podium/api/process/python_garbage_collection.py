"""Garbage collection of Python in processes with many long-lived objects."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_ALLOCATIONS = 100_000
_YOUNG = 20
_MIDDLE = 50

_keeps_all = False


def keep_all_there_is() -> None:
    """Exclude objects, and those of `without_garbage_collection`, from collection for good."""
    global _keeps_all
    _keeps_all = True
    gc.freeze()


def collect_rarely() -> None:
    """Exclude existing objects from garbage collection, and collect others, few in cycles, less."""
    keep_all_there_is()
    gc.set_threshold(_ALLOCATIONS, _YOUNG, _MIDDLE)


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Disable garbage collection while the context is active, for example to load a cluster.

    Loading creates millions of objects that are kept; repeated collections would nearly quadruple
    the time for a large cluster. At the end, all objects are moved to the oldest generation, which
    the next collection doesn't traverse.
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
