"""Signals that end a process."""

import asyncio
import signal


def stop_event(*more: signal.Signals) -> asyncio.Event:
    """Return an event that Ctrl-C, SIGTERM and further signals set in the running event loop."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, *more):
        loop.add_signal_handler(number, stop.set)
    return stop
