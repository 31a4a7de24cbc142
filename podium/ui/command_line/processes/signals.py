"""Signals that end a process."""

import asyncio
import signal


def stop_event(*more: signal.Signals) -> asyncio.Event:
    """Return an event of the running loop that Ctrl-C, SIGTERM and the signals `more` set."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, *more):
        loop.add_signal_handler(number, stop.set)
    return stop
