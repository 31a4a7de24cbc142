"""A cluster that runs, for as many pages as look at it.

While nobody looks, the cluster isn't followed, and goes about its work as if there were no
dashboard. The first page has it followed; some time after the last one has gone, it isn't any more.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from podium.apiserver.store.errors import ExpiredError
from podium.ui.dashboard.scene import LostTrackError, Scene
from podium.ui.dashboard.views import Abilities, Entry, KeptStep, compressed

if TYPE_CHECKING:
    from podium.ui.dashboard.feeds.informer_source import InformerSource
    from podium.ui.dashboard.feeds.store_source import StoreSource

COALESCE_S = 0.2
"""What changes within so long is one step."""

LINGER_S = 60.0
"""So long after the last look the cluster is still followed."""

STEPS_BYTES_MAX = 32 * 2**20
ENTRIES_MAX = 20_000
_ENTRIES_SHOWN = 500
_BUSY_SHARE = 0.1
_AT_ONCE = 500

_logger = logging.getLogger(__name__)


class LiveFeed:
    """The view of now, and the last steps that led there."""

    def __init__(self, source: "StoreSource | InformerSource", abilities: Abilities) -> None:
        self.source = source
        self._abilities = abilities
        self._scene = Scene()
        self._entries: deque[Entry] = deque(maxlen=ENTRIES_MAX)
        self._steps: deque[KeptStep] = deque()
        self._steps_bytes = 0
        # All steps after this one are kept.
        self._oldest = 0
        self._taking = asyncio.Lock()
        self._following: asyncio.Task[None] | None = None
        self._looked_s = 0.0
        self._lookers = 0
        self._news = asyncio.Event()
        self.is_over = False

    async def beginning(self) -> bytes:
        """A view to start from: JSON, compressed by gzip."""
        self._looked_s = asyncio.get_running_loop().time()
        await self._take()
        entries = [*self._entries][-_ENTRIES_SHOWN:]
        view = self._scene.view(
            self._abilities, self.source.passed_s(), self.source.start_s, entries
        )
        return await asyncio.to_thread(compressed, view)

    def after(self, number: int) -> list[KeptStep] | None:
        """The steps after one, in order; None if some of them aren't kept any more."""
        if not self._oldest <= number <= self._scene.number:
            return None
        missing = self._scene.number - number
        return [*islice(self._steps, len(self._steps) - missing, None)]

    def history(self, kind: str, namespace: str, name: str) -> list[Entry]:
        about = (kind, namespace, name)
        return [one for one in self._entries if (one.kind, one.namespace, one.name) == about]

    @contextmanager
    def looking(self) -> Iterator[None]:
        self._lookers += 1
        try:
            yield
        finally:
            self._lookers -= 1
            self._looked_s = asyncio.get_running_loop().time()

    async def wait(self, seconds: float) -> bool:
        """Whether a step comes within that time."""
        try:
            await asyncio.wait_for(self._news.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def close(self) -> None:
        """Follow it no more."""
        self.is_over = True
        self._tell()
        if self._following is not None:
            self._following.cancel()
        self.source.stop()

    async def _take(self) -> None:
        async with self._taking:
            if self._following is not None:
                try:
                    self._look()
                except (ExpiredError, LostTrackError) as error:
                    _logger.info("the dashboard begins anew: %s", error)
                else:
                    return
            objects = self.source.start()
            scene = Scene(self._scene.number + 1)
            for at in range(0, len(objects), _AT_ONCE):
                scene.add(objects[at : at + _AT_ONCE])
                await asyncio.sleep(0)
            self._forget(scene)
            if self._following is None:
                self._following = asyncio.create_task(self._follow())
            self._look()

    def _forget(self, scene: Scene) -> None:
        self._scene, self._oldest = scene, scene.number
        self._steps.clear()
        self._entries.clear()
        self._steps_bytes = 0
        self._tell()

    def _look(self) -> None:
        source = self.source
        entries = source.entries()
        step = self._scene.step(source.passed_s(), source.changes(), source.places(), entries)
        if step is None:
            return
        self._entries += entries
        kept = KeptStep(step.number, msgspec.json.encode(step))
        self._steps.append(kept)
        self._steps_bytes += len(kept.text)
        while self._steps_bytes > STEPS_BYTES_MAX:
            gone = self._steps.popleft()
            self._steps_bytes -= len(gone.text)
            self._oldest = gone.number
        self._tell()

    def _tell(self) -> None:
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
            self._forget(Scene(self._scene.number + 1))
