"""Watches over HTTP: lines of JSON, sent as things happen.

A watch costs a task that sleeps until the store wakes it. Then it sends all there is at once, and
pauses before it looks again, the longer the more watches do so: bursts of writes cost each watcher
a few large sends instead of thousands of small ones, and leave time for those who write.
"""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

from starlette.types import Receive, Send

from podium.apiserver.requests import Watching
from podium.server.event_texts import EventTexts
from podium.server.limits import Limits

_EVENTS_MAX = 256
_PAUSE_S_MIN, _PAUSE_S_MAX = 0.01, 0.5
_PAUSE_S_PER_WATCH = 0.001
_TURNS = 16


class Watches:
    """All watches of a server.

    Args:
        limits: how many there may be, and how long they last.
        now_s: what time it is in the cluster, in seconds since the epoch.
        rng: chooses how long watches last that don't say.
    """

    def __init__(self, limits: Limits, now_s: Callable[[], float], rng: Random) -> None:
        self._limits = limits
        self._now_s = now_s
        self._rng = rng
        self._texts = EventTexts()
        self._news: set[asyncio.Event] = set()
        self._pausing = 0
        # One write may wake thousands; requests have their turn after every few of them.
        self._turns = asyncio.Semaphore(_TURNS)
        self._is_closing = False

    @property
    def count(self) -> int:
        """How many watches there are."""
        return len(self._news)

    def close(self) -> None:
        """End all watches soon, and those that are still to come at once."""
        self._is_closing = True
        for news in self._news:
            news.set()

    async def serve(self, watching: Watching, receive: Receive, send: Send) -> None:
        """Send the body of an answer, of which the head was sent, until the watch ends."""
        watch = _Watch(watching, self._limits, self._duration_s(watching), self._texts)
        self._news.add(watch.news)
        watcher = asyncio.create_task(watch.notice_hanging_up(receive))
        try:
            while True:
                async with self._turns:
                    if not self._goes_on(watch):
                        break
                    events = watch.take(self._now_s())
                    await asyncio.sleep(0)
                if events:
                    await send({"type": "http.response.body", "body": events, "more_body": True})
                    await self._pause(watch)
                else:
                    await watch.wait()
            if not watch.is_gone:
                last = b"" if self._is_closing else watch.finish(self._now_s())
                await send({"type": "http.response.body", "body": last, "more_body": False})
        finally:
            watcher.cancel()
            watch.close()
            self._news.discard(watch.news)

    def _goes_on(self, watch: "_Watch") -> bool:
        """Whether to look for news; what happens from here on wakes the watch once more."""
        watch.news.clear()
        return not (self._is_closing or watch.is_over)

    def _duration_s(self, watching: Watching) -> float:
        # 0 leaves it to the server, too.
        return watching.timeout_s or self._rng.uniform(1, 2) * self._limits.watch_s

    async def _pause(self, watch: "_Watch") -> None:
        """Let others have their turn, and news come together."""
        if watch.has_more:
            await asyncio.sleep(0)
            return
        self._pausing += 1
        try:
            pause_s = max(_PAUSE_S_MIN, _PAUSE_S_PER_WATCH * self._pausing)
            await asyncio.sleep(min(pause_s, _PAUSE_S_MAX))
        finally:
            self._pausing -= 1


class _Watch:
    """One watch on its way to a client.

    Attributes:
        news: set when there may be something to do.
        is_gone: whether the client has hung up.
        has_more: whether the last take has left something.
    """

    def __init__(
        self, watching: Watching, limits: Limits, duration_s: float, texts: EventTexts
    ) -> None:
        self.news = asyncio.Event()
        self.is_gone = False
        self.has_more = False
        self._watching = watching
        self._texts = texts
        self._form_number = texts.form_number(watching.form)
        self._loop = asyncio.get_running_loop()
        self._end_s = self._loop.time() + duration_s
        self._bookmark_every_s = limits.bookmark_s
        self._bookmark_s = self._loop.time() + limits.bookmark_s
        watching.stream.wake_by(self.news.set)

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be sent but the end."""
        return self.is_gone or self._watching.has_ended or self._loop.time() >= self._end_s

    def take(self, now_s: float) -> bytes:
        """What is to be sent now; empty if it is nothing."""
        events = self._watching.stream.take(_EVENTS_MAX)
        self.has_more = len(events) == _EVENTS_MAX
        if self._loop.time() >= self._bookmark_s:
            self._bookmark_s = self._loop.time() + self._bookmark_every_s
            bookmark = self._bookmark()
            if bookmark is not None and not self.has_more:
                events.append(bookmark)
        return self._written(events, now_s)

    async def wait(self) -> None:
        """Sleep until there may be something to do."""
        timer = self._loop.call_at(min(self._bookmark_s, self._end_s), self.news.set)
        try:
            await self.news.wait()
        finally:
            timer.cancel()

    def finish(self, now_s: float) -> bytes:
        """The last that is to be sent."""
        events = self._watching.stream.take(_EVENTS_MAX)
        bookmark = self._bookmark()
        return self._written(events if bookmark is None else [*events, bookmark], now_s)

    async def notice_hanging_up(self, receive: Receive) -> None:
        """Wait until the client has hung up."""
        while (await receive())["type"] != "http.disconnect":
            pass
        self.is_gone = True
        self.news.set()

    def close(self) -> None:
        """Cost nothing any more."""
        self._watching.stream.close()

    def _bookmark(self) -> Any:
        stream = self._watching.stream
        return stream.bookmark() if stream.allows_bookmarks else None

    def _written(self, events: list[Any], now_s: float) -> bytes:
        text, number = self._texts.text, self._form_number
        return b"".join([text(self._watching, number, event, now_s) for event in events])
