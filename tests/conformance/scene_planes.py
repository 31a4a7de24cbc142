"""The control planes on which scenes are played: in virtual time, and by the clock over HTTP."""

import asyncio
import json
import time
from collections.abc import Callable, Iterable
from functools import partial

import aiohttp

from podium.apiserver.requests import Request, encoded, handle
from podium.apiserver.store.watch import Watch
from podium.cluster.drivers.faults import INSTANT, Latency
from podium.cluster.virtual import Cluster, ClusterOptions
from tests.conformance.controller_scenes import (
    Answer,
    Ask,
    Json,
    Plane,
    ScenePlayer,
    SceneWorld,
    Script,
    path,
    preparation,
)

STAGGER_S = 0.25
"""From the start of one scene to that of the next, so that they begin at all parts of a second."""


class VirtualPlane:
    """The control plane of a cluster in virtual time; nodes do nothing.

    Args:
        latency: how long calls of the cluster's machines and news to them take.
    """

    def __init__(self, latency: Latency = INSTANT) -> None:
        self._cluster = Cluster(ClusterOptions(nodes=None, latency=latency))
        self._driver = self._cluster.driver
        self._cluster.start()

    @property
    def now_s(self) -> float:
        return self._driver.now_s

    def spawn(self, script: Script) -> None:
        self._driver.at(self.now_s, partial(self._go_on, script, None))

    def follow(self, kind: str, take: Callable[[str, Json], None]) -> None:
        store = self._cluster.store
        watch: Watch

        def hand_on() -> None:
            for event in watch.take():
                take(event.type, event.obj)  # type: ignore[arg-type]

        def wake() -> None:
            self._driver.at(self.now_s, hand_on)

        watch = store.watch(kind, from_revision=store.revision, wake=wake)

    def run(self, is_over: Callable[[], bool]) -> None:
        """Let time pass until something is over."""
        while not is_over():
            self._driver.advance(1.0)

    def _go_on(self, script: Script, answer: Answer | None) -> None:
        while True:
            try:
                wanted = script.send(answer)
            except StopIteration:
                return
            if not isinstance(wanted, Ask):
                self._driver.at(self.now_s + wanted, partial(self._go_on, script, None))
                return
            answer = self._ask(wanted)

    def _ask(self, asked: Ask) -> Answer:
        headers = {"Content-Type": asked.content_type}
        body = b"" if asked.body is None else encoded(asked.body)
        request = Request(asked.method, asked.path, headers, body)
        response = handle(self._cluster.server, request, self.now_s)
        return response.code, json.loads(response.content())


class LivePlane:
    """A control plane behind HTTP, from `async with` to its end.

    Args:
        url: of its API.
        token: of a user who may do everything.
    """

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._token = token
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "LivePlane":
        self._session = aiohttp.ClientSession(
            headers={"Authorization": f"Bearer {self._token}"},
            connector=aiohttp.TCPConnector(ssl=False, limit=0),
            timeout=aiohttp.ClientTimeout(total=None),
            read_bufsize=2**21,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._session.close()

    @property
    def now_s(self) -> float:
        return time.time()

    def spawn(self, script: Script) -> None:
        task = asyncio.ensure_future(self._carry_out(script))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def follow(self, kind: str, take: Callable[[str, Json], None]) -> None:
        task = asyncio.ensure_future(self._watch(kind, take))
        self._tasks.add(task)

    async def run(self, is_over: Callable[[], bool]) -> None:
        """Let time pass until something is over."""
        while not is_over():
            await asyncio.sleep(0.5)
            for task in self._tasks:
                if task.done():
                    task.result()

    async def _carry_out(self, script: Script) -> None:
        answer: Answer | None = None
        while True:
            try:
                wanted = script.send(answer)
            except StopIteration:
                return
            if isinstance(wanted, Ask):
                answer = await self._ask(wanted)
            else:
                answer = await asyncio.sleep(wanted)

    async def _ask(self, asked: Ask) -> Answer:
        while True:
            async with self._session.request(
                asked.method,
                self._url + asked.path,
                data=None if asked.body is None else encoded(asked.body),
                headers={"Content-Type": asked.content_type},
            ) as response:
                answer = response.status, json.loads(await response.read())
            is_conflict = response.status == 409 and asked.method == "PATCH"
            if not is_conflict:
                return answer
            await asyncio.sleep(0.1)

    async def _watch(self, kind: str, take: Callable[[str, Json], None]) -> None:
        _, listed = await self._ask(Ask("GET", path(kind)))
        version = listed["metadata"]["resourceVersion"]
        where = f"{self._url}{path(kind)}?watch=1&resourceVersion={version}&timeoutSeconds=3600"
        async with self._session.get(where) as response:
            async for line in response.content:
                event = json.loads(line)
                take(event["type"], event["object"])
        raise ConnectionError(f"the watch of {kind} has ended")


def _start_all(plane: Plane, scenes: Iterable[Json], played: dict[str, Json]) -> None:
    """Begin to play scenes, one after the other, and take down their records."""
    world = SceneWorld(plane)

    def start() -> Script:
        yield from preparation()
        for scene in scenes:
            plane.spawn(ScenePlayer(world, scene, played.__setitem__).play())
            yield STAGGER_S

    plane.spawn(start())


def play_in_virtual_time(scenes: list[Json], latency: Latency = INSTANT) -> dict[str, Json]:
    """The records of scenes that are played together on one cluster."""
    plane, played = VirtualPlane(latency), dict[str, Json]()
    _start_all(plane, scenes, played)
    plane.run(lambda: len(played) == len(scenes))
    return played


async def play_live(scenes: list[Json], url: str, token: str) -> dict[str, Json]:
    """The records of scenes that are played together by the clock."""
    played = dict[str, Json]()
    async with LivePlane(url, token) as plane:
        _start_all(plane, scenes, played)
        await plane.run(lambda: len(played) == len(scenes))
    return played
