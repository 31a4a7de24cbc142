"""Watchers that read nothing cost little, and those that read slowly go on."""

import asyncio
import json
import logging
import socket
import ssl
import struct
from pathlib import Path
from random import Random
from typing import Any

import pytest
from starlette.types import Message

from podium.apiserver.http.limits import Limits
from podium.apiserver.http.streams import Watches
from podium.apiserver.requests import Request, Watching, handle
from podium.apiserver.server import ApiServer
from podium.apiserver.store.store import Store
from tests.apiserver.http.running import eventually, running

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
