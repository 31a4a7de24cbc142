"""Feeds of the dashboard: a first view, the steps that change it, and the stream of steps."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from podium.apiserver.store.errors import ExpiredError
from podium.ui.dashboard.scene import LostTrackError, Scene
from podium.ui.dashboard.views import Abilities, Entry, Step, View, compressed

if TYPE_CHECKING:
    from podium.ui.dashboard.feeds.informer_source import InformerSource
    from podium.ui.dashboard.feeds.store_source import StoreSource

COALESCE_S = 0.2
"""Changes within this time become one step."""

LINGER_S = 60.0
"""How long a cluster is still followed after the last page has gone."""

STEPS_BYTES_MAX = 32 * 2**20
ENTRIES_MAX = 20_000
HEARTBEAT_S = 15.0
_ENTRIES_SHOWN = 500
_BUSY_SHARE = 0.1
_AT_ONCE = 500
_HEARTBEAT = b":\n\n"
_AGAIN = b"event: again\ndata: {}\n\n"

_logger = logging.getLogger(__name__)


class RecordedFeed:
    """The feed of a finished run: a view of its beginning, and all steps."""

    is_over = True

    def __init__(self, beginning: View, steps: Sequence[Step], entries: Sequence[Entry]) -> None:
        self._beginning = compressed(beginning)
        self._entries: Sequence[Entry] | deque[Entry] = entries
        # Encoded steps, in order: the first comes after step `_oldest`.
        self._steps = deque(map(msgspec.json.encode, steps))
        self._oldest = beginning.number

    async def beginning(self) -> bytes:
        """Return the view to start from, as gzipped JSON."""
        return self._beginning

    def after(self, number: int) -> list[bytes] | None:
        """Return the steps after step `number` as JSON; None if some aren't kept any more."""
        if not self._oldest <= number <= self._oldest + len(self._steps):
            return None
        return [*islice(self._steps, number - self._oldest, None)]

    def history(self, kind: str, namespace: str, name: str) -> list[Entry]:
        """Return the timeline entries about an object, or on a node, in order."""
        about, node = (kind, namespace, name), name if kind == "Node" else None
        return [
            entry
            for entry in self._entries
            if (entry.kind, entry.namespace, entry.name) == about or entry.node == node
        ]

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Keep the feed up to date inside of `with`, while a page reads the steps."""
        yield

    async def wait(self, seconds: float) -> bool:
        """Wait for the next step; return False if there is none within `seconds`."""
        return False

    def close(self) -> None:
        """Stop watching the cluster, and end all streams."""


class LiveFeed(RecordedFeed):
    """The feed of a running cluster: a current view, and the latest steps.

    The cluster is watched only while pages are open, and for some time afterwards, so that an
    unused dashboard costs nothing.
    """

    def __init__(self, source: "StoreSource | InformerSource", abilities: Abilities) -> None:
        self.source = source
        self.is_over = False
        self._abilities = abilities
        self._scene = Scene()
        self._entries: deque[Entry] = deque(maxlen=ENTRIES_MAX)
        self._steps: deque[bytes] = deque()
        self._steps_bytes = 0
        self._told_version = 0
        self._oldest = 0
        self._taking = asyncio.Lock()
        self._following: asyncio.Task[None] | None = None
        self._looked_s = 0.0
        self._lookers = 0
        self._news = asyncio.Event()

    async def beginning(self) -> bytes:
        self._looked_s = asyncio.get_running_loop().time()
        await self._take()
        entries = [*self._entries][-_ENTRIES_SHOWN:]
        at_s, start_s = self.source.passed_s(), self.source.start_s
        view = self._scene.view(self._abilities, at_s, start_s, entries)
        view = replace(view, disruptions=self.source.disruptions.number)
        return await asyncio.to_thread(compressed, view)

    @contextmanager
    def looking(self) -> Iterator[None]:
        self._lookers += 1
        try:
            yield
        finally:
            self._lookers -= 1
            self._looked_s = asyncio.get_running_loop().time()

    async def wait(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._news.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def close(self) -> None:
        self.is_over = True
        self._wake_waiters()
        if self._following is not None:
            self._following.cancel()
        self.source.stop()
        self.source.close()

    async def _take(self) -> None:
        """Add a step with the latest changes; start over with all objects if some were missed."""
        async with self._taking:
            if self._following is not None:
                try:
                    self._add_step()
                except (ExpiredError, LostTrackError) as error:
                    _logger.info("the dashboard begins again: %s", error)
                else:
                    return
            objects = self.source.start()
            scene = Scene(self._scene.number + 1)
            for at in range(0, len(objects), _AT_ONCE):
                scene.add(objects[at : at + _AT_ONCE])
                await asyncio.sleep(0)
            self._begin_with(scene)
            if self._following is None:
                self._following = asyncio.create_task(self._follow())
            self._add_step()

    def _begin_with(self, scene: Scene) -> None:
        self._scene, self._oldest = scene, scene.number
        self._steps.clear()
        self._entries.clear()
        self._steps_bytes = 0
        self._told_version = self.source.disruptions.version
        self._wake_waiters()

    def _add_step(self) -> None:
        source = self.source
        entries = source.entries()
        changes, log = [*source.changes()], source.disruptions
        disruptions, self._told_version = log.since(self._told_version), log.version
        places = source.places()
        step = self._scene.step(source.passed_s(), changes, places, entries, disruptions)
        if step is None:
            return
        self._entries += entries
        self._steps.append(msgspec.json.encode(step))
        self._steps_bytes += len(self._steps[-1])
        while self._steps_bytes > STEPS_BYTES_MAX:
            self._steps_bytes -= len(self._steps.popleft())
            self._oldest += 1
        self._wake_waiters()

    def _wake_waiters(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._lookers or loop.time() - self._looked_s < LINGER_S:
                began_s = loop.time()
                await self._take()
                took_s = loop.time() - began_s
                await asyncio.sleep(max(COALESCE_S, took_s / _BUSY_SHARE))
        except Exception:
            _logger.exception("the dashboard can't follow the cluster")
        finally:
            self.source.stop()
            self._following = None
            self._begin_with(Scene(self._scene.number + 1))


async def event_stream(feed: RecordedFeed, number: int) -> AsyncIterator[bytes]:
    """Yield the steps after step `number` as server-sent events, as fast as the client reads.

    Unread steps aren't kept for a client: once the feed has dropped the client's next step, the
    client has to start over with a new view.
    """
    with feed.looking():
        # The client knows by this that its request has arrived.
        yield _HEARTBEAT
        while True:
            steps = feed.after(number)
            if steps is None:
                yield _AGAIN
                return
            for step in steps:
                number += 1
                yield b"id: %d\ndata: %s\n\n" % (number, step)
            if steps:
                continue
            if feed.is_over:
                return
            if not await feed.wait(HEARTBEAT_S):
                yield _HEARTBEAT
