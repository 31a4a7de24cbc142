"""Steps as server-sent events, as fast as the client reads them."""

from collections.abc import AsyncIterator

from podium.ui.dashboard.feeds.live_feed import LiveFeed
from podium.ui.dashboard.feeds.recorded_feed import RecordedFeed

Feed = LiveFeed | RecordedFeed
"""A cluster that runs, or a run that is over, for the pages that look at it."""

HEARTBEAT_S = 15.0
_HEARTBEAT = b":\n\n"
_AGAIN = b"event: again\ndata: {}\n\n"


async def event_stream(feed: Feed, number: int) -> AsyncIterator[bytes]:
    """The steps after one, those that there are and those that come.

    What a client hasn't read yet isn't kept for it: it is told to begin again once the feed has
    forgotten the step that is its next.
    """
    with feed.looking():
        # Whoever has asked knows by this that it was heard.
        yield _HEARTBEAT
        while True:
            steps = feed.after(number)
            if steps is None:
                yield _AGAIN
                return
            for step in steps:
                yield b"id: %d\ndata: %s\n\n" % (step.number, step.text)
                number = step.number
            if steps:
                continue
            if feed.is_over:
                return
            if not await feed.wait(HEARTBEAT_S):
                yield _HEARTBEAT
