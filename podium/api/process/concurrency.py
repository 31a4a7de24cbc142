"""The number of usable cores, and execution of coroutines from synchronous code."""

import os
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def core_count() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_to_end(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end; in another thread if an event loop runs, as in notebooks."""
    # Most commands run no coroutine, and don't wait for these.
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
