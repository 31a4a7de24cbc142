"""Watches over the network: prompt, told alike to all, bounded, and ended when they should be."""

import asyncio
import json
import logging
import socket
import ssl
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from starlette.types import Message

from podium.apiserver.http.http_server import allow_many_descriptors
from podium.apiserver.http.limits import Limits
from podium.apiserver.http.streams import Watches
from podium.apiserver.requests import Request, Watching, handle
from podium.apiserver.server import ApiServer
from podium.apiserver.store.store import Store
from tests.apiserver.http.running import PODS, Running, eventually, pod, running

LIMITS = Limits(watches_max=3, watch_s=60, bookmark_s=0.3)
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
Event = dict[str, Any]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    with running(tmp_path, limits=LIMITS, tls=False) as server:
        yield server


@pytest.fixture
def watch(server: Running) -> Iterator[Callable[..., Iterator[Event]]]:
    """Begins watches, which end with the test."""
    with ExitStack() as stack:
        client = stack.enter_context(server.client())

        def begin(query: str = "", path: str = PODS, **headers: str) -> Iterator[Event]:
            url = f"{path}?watch=true&{query}"
            answer = stack.enter_context(client.stream("GET", url, headers=headers, timeout=60))
            assert answer.status_code == 200
            assert answer.headers["Transfer-Encoding"] == "chunked"
            return (json.loads(line) for line in answer.iter_lines())

        yield begin


def create(server: Running, *names: str, **spec: Any) -> None:
    with server.client() as client:
        for name in names:
            assert client.post(PODS, json=pod(name, **spec)).status_code == 201


def test_events_come_as_they_happen(server: Running, watch: Callable[..., Iterator[Event]]) -> None:
    create(server, "a")
    events = watch()
    assert next(events)["object"]["metadata"]["name"] == "a"
    for name in "bc":
        create(server, name)
        event = next(events)
        assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", name)


def test_watches_in_one_form_are_told_alike_and_others_in_theirs(
    server: Running, watch: Callable[..., Iterator[Event]]
) -> None:
    first, second, table = watch(), watch(), watch(Accept=TABLE)
    create(server, "a")
    told = next(first)
    assert told == next(second)
    assert next(table)["object"]["rows"][0]["cells"][0] == "a"


def test_each_watch_of_a_node_sees_its_pods(
    server: Running, watch: Callable[..., Iterator[Event]]
) -> None:
    other, mine = (watch(f"fieldSelector=spec.nodeName%3D{name}") for name in ("n1", "n2"))
    create(server, "a", nodeName="n1")
    create(server, "b", nodeName="n2")
    assert next(mine)["object"]["metadata"]["name"] == "b"
    assert next(other)["object"]["metadata"]["name"] == "a"


def test_bookmarks_tell_how_far_a_watch_has_come(
    server: Running, watch: Callable[..., Iterator[Event]]
) -> None:
    events = watch("allowWatchBookmarks=true", path="/api/v1/nodes")
    assert next(events)["object"]["metadata"]["annotations"]
    create(server, "a")
    bookmark = next(events)
    assert bookmark["type"] == "BOOKMARK"
    assert int(bookmark["object"]["metadata"]["resourceVersion"]) > 1


def test_a_watch_ends_when_it_wants_to(watch: Callable[..., Iterator[Event]]) -> None:
    begun_s = time.monotonic()
    events = list(watch("timeoutSeconds=1&allowWatchBookmarks=true&resourceVersion=1"))
    assert time.monotonic() - begun_s > 0.9
    assert {event["type"] for event in events} == {"BOOKMARK"}


def test_a_watch_from_too_long_ago_is_told_so(tmp_path: Path) -> None:
    limits = Limits()
    with running(tmp_path, limits=limits, tls=False, store=Store(history_max=1)) as server:
        create(server, "a", "b", "c")
        with server.client() as client:
            answer = client.get(f"{PODS}?watch=true&resourceVersion=1")
    (event,) = [json.loads(line) for line in answer.text.splitlines()]
    assert event["type"] == "ERROR"
    assert event["object"]["code"] == 410


def test_a_watcher_that_hangs_up_is_forgotten(server: Running) -> None:
    with server.client() as client, client.stream("GET", f"{PODS}?watch=true"):
        eventually(lambda: server.watch_count() == 1)
    eventually(lambda: server.watch_count() == 0)


def test_watches_are_counted(server: Running, watch: Callable[..., Iterator[Event]]) -> None:
    for _ in range(LIMITS.watches_max):
        watch()
    with server.client() as client:
        refused = client.get(f"{PODS}?watch=true")
        assert refused.status_code == 429
        assert refused.headers["Retry-After"] == "1"
        assert client.get(PODS).status_code == 200


def test_a_server_that_stops_ends_its_watches(tmp_path: Path) -> None:
    with running(tmp_path, tls=True) as server, server.client() as client:
        answer = stack_of_watches(client, 5)
        server.within(server.serving.stop())
        for one in answer:
            assert one.read() == b""


def stack_of_watches(client: httpx.Client, count: int) -> list[httpx.Response]:
    requests = [client.build_request("GET", f"{PODS}?watch=true") for _ in range(count)]
    return [client.send(request, stream=True) for request in requests]


def test_a_watcher_that_doesnt_read_is_hung_up_on(tmp_path: Path) -> None:
    limits = Limits(stall_s=0.5)
    maps = "/api/v1/namespaces/default/configmaps"
    with (
        running(tmp_path, limits=limits, tls=False) as server,
        server.connect() as deaf,
        server.client() as client,
    ):
        deaf.sendall(watch_request(server, maps))
        eventually(lambda: server.watch_count() == 1)
        for number in range(30):
            data = {"text": "x" * 900_000}
            client.post(maps, json={"metadata": {"name": f"m{number}"}, "data": data})
        eventually(lambda: server.watch_count() == 0)


def watch_request(server: Running, path: str) -> bytes:
    """The bytes that ask for a watch."""
    authorization = f"Authorization: Bearer {server.tokens.admin}"
    return f"GET {path}?watch=true HTTP/1.1\r\nHost: x\r\n{authorization}\r\n\r\n".encode()


def test_two_thousand_watches_are_no_trouble(tmp_path: Path) -> None:
    count = 2000
    if allow_many_descriptors() < 2 * count + 100:
        pytest.skip("this process may not have that many open files")
    with running(tmp_path, tls=False) as server, ExitStack() as stack:
        watchers = [stack.enter_context(server.connect()) for _ in range(count)]
        for watcher in watchers:
            watcher.sendall(watch_request(server, PODS))
        eventually(lambda: server.watch_count() == count)
        create(server, "a")
        for watcher in watchers:
            assert reads(watcher, b'"type":"ADDED"')
        # They hang up amid a storm, and nothing is left of them.
        create(server, *(f"b{number}" for number in range(20)))
        stack.close()
        eventually(lambda: server.watch_count() == 0)


def reads(connection: socket.socket, text: bytes) -> bool:
    """Whether a text comes."""
    read = b""
    while text not in read:
        part = connection.recv(65536)
        if not part:
            return False
        read += part
    return True


MAPS = "/api/v1/namespaces/default/configmaps"
COUNT = 60
LENGTH = 400_000


class Client:
    """A client of a watch, which reads when it is told to."""

    def __init__(self) -> None:
        self.unread = 0
        self.read = b""
        self.reads = asyncio.Event()

    async def send(self, message: Message) -> None:
        if self.unread > 2**16:
            await self.reads.wait()
            self.unread = 0
        self.unread += len(message["body"])
        self.read += message["body"]

    async def receive(self) -> Message:
        await asyncio.Event().wait()
        raise AssertionError("nobody hangs up")


def served() -> tuple[ApiServer, Store]:
    store = Store(history_max=40)
    server = ApiServer(store, Random(1))
    server.bootstrap(0.0)
    return server, store


def watching(server: ApiServer) -> Watching:
    body = handle(server, Request("GET", f"{MAPS}?watch=true"), 0.0).body
    assert isinstance(body, Watching)
    return body


def put(server: ApiServer, name: str, length: int = LENGTH) -> None:
    body = json.dumps({"metadata": {"name": name}, "data": {"text": "x" * length}}).encode()
    assert handle(server, Request("POST", MAPS, {}, body), 0.0).code == 201


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0.02)


def test_what_is_kept_for_deaf_watchers_is_bounded() -> None:
    async def live() -> None:
        server, _ = served()
        watches = Watches(Limits(), lambda: 0.0, Random(1))
        clients = [Client() for _ in range(COUNT)]
        tasks = [
            asyncio.create_task(watches.serve(watching(server), one.receive, one.send))
            for one in clients
        ]
        for number in range(10):
            put(server, f"m{number}")
            await settle()
        unread = [one.unread for one in clients]
        assert max(unread) < 2 * LENGTH
        assert LENGTH < sum(unread) < 20 * LENGTH
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    asyncio.run(live())


def test_one_that_reads_slowly_misses_nothing_and_one_that_is_too_slow_is_told_so() -> None:
    async def live() -> list[Any]:
        server, _ = served()
        watches = Watches(Limits(), lambda: 0.0, Random(1))
        slow, deaf = Client(), Client()
        for one in (slow, deaf):
            one.task = asyncio.create_task(  # type: ignore[attr-defined]
                watches.serve(watching(server), one.receive, one.send)
            )
        for number in range(50):
            put(server, f"m{number}", 100_000)
            slow.reads.set()
            await settle()
            slow.reads.clear()
        slow.reads.set()
        deaf.reads.set()
        await settle()
        slow.task.cancel()  # type: ignore[attr-defined]
        await deaf.task  # type: ignore[attr-defined]
        return [[json.loads(line) for line in one.read.splitlines()] for one in (slow, deaf)]

    slow, deaf = asyncio.run(live())
    names = [event["object"]["metadata"]["name"] for event in slow]
    assert [name for name in names if name.startswith("m")] == [f"m{n}" for n in range(50)]
    assert [event["object"].get("code") for event in deaf][-1] == 410


def test_clients_that_go_away_while_they_are_written_to_are_no_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR), running(tmp_path) as server:
        context = server.trust()
        assert isinstance(context, ssl.SSLContext)
        token = f"Authorization: Bearer {server.tokens.admin}"
        ask = f"GET {MAPS}?watch=true HTTP/1.1\r\nHost: x\r\n{token}\r\n\r\n".encode()
        with server.client() as client:
            for number in range(3):
                watchers = [
                    context.wrap_socket(server.connect(), server_hostname="127.0.0.1")
                    for _ in range(10)
                ]
                for one in watchers:
                    one.sendall(ask)
                    one.recv(1)
                data = {"text": "x" * 900_000}
                client.post(MAPS, json={"metadata": {"name": f"m{number}"}, "data": data})
                for one in watchers:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    one.close()
        eventually(lambda: server.serving.connection_count == 0)
    assert not caplog.records
