"""Signals that end a process."""

import asyncio
import signal


def stop_event(*more: signal.Signals) -> asyncio.Event:
    """What Ctrl-C and SIGTERM set in the running event loop, and further signals."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, *more):
        loop.add_signal_handler(number, stop.set)
    return stop
