"""Beginning and ending to serve."""

import asyncio
import socket
from asyncio.selector_events import _SelectorSocketTransport  # type: ignore[attr-defined]
from pathlib import Path
from random import Random

import httpx
import pytest

from podium.apiserver.http.http_app import ApiApp
from podium.apiserver.http.http_server import CannotListenError, Serving
from podium.apiserver.http.limits import Limits
from podium.apiserver.http.users import Tokens
from tests.apiserver.http.running import PlainBackend, running


def app(limits: Limits) -> ApiApp:
    return ApiApp(PlainBackend(), Tokens({}), limits, Random(1))


async def start(host: str = "127.0.0.1", port: int = 0, **more: object) -> Serving:
    limits = Limits()
    return await Serving.start(
        app(limits),
        limits,
        host=host,
        port=port,
        certificates=None,
        **more,  # type: ignore[arg-type]
    )


def test_it_listens_once_it_has_started_and_no_longer_once_it_has_stopped() -> None:
    async def live() -> None:
        serving = await start()
        async with httpx.AsyncClient(base_url=serving.url) as client:
            assert (await client.get("/readyz")).text == "ok"
            await serving.stop()
            with pytest.raises(httpx.ConnectError):
                await httpx.AsyncClient(base_url=serving.url).get("/readyz")
        await serving.stop()

    asyncio.run(live())


def test_head_and_body_of_an_answer_go_out_at_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    write = _SelectorSocketTransport.write

    def note(self: _SelectorSocketTransport, data: bytes) -> None:
        written.append(data)
        write(self, data)

    async def ask() -> None:
        serving = await start()
        async with httpx.AsyncClient(base_url=serving.url) as client:
            for path, method in (("/readyz", "GET"), ("/readyz", "HEAD"), ("/nowhere", "GET")):
                await client.request(method, path, headers={"Connection": "close"})
        await serving.stop()

    monkeypatch.setattr(_SelectorSocketTransport, "write", note)
    asyncio.run(ask())
    answers = [data for data in written if data.startswith(b"HTTP/1.1 ")]
    assert [answer.partition(b"\r\n\r\n")[2][:2] for answer in answers] == [b"ok", b"", b'{"']


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            CannotListenError, match=rf"port {port} of 127\.0\.0\.1 is in use already"
        ):
            asyncio.run(start(port=port))


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.name.invalid"])
def test_an_address_of_another_machine_is_named(host: str) -> None:
    with pytest.raises(CannotListenError, match=f"{host} is no address of this machine"):
        asyncio.run(start(host=host))


def test_a_port_that_is_none_is_named() -> None:
    with pytest.raises(CannotListenError, match="port 70000"):
        asyncio.run(start(port=70_000))


def test_the_port_is_free_again_at_once(tmp_path: Path) -> None:
    async def again() -> None:
        for _ in range(3):
            serving = await start(port=port)
            async with httpx.AsyncClient(base_url=serving.url) as client:
                await client.get("/readyz")
                await serving.stop()

    with running(tmp_path, tls=False) as server:
        port = server.address[1]
    asyncio.run(again())


def test_requests_that_come_together_are_answered_in_their_order() -> None:
    async def ask() -> list[bytes]:
        serving = await start()
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", int(serving.url.rpartition(":")[2])
        )
        paths = (b"/readyz", b"/nowhere", b"/livez")
        writer.write(b"".join(b"GET %s HTTP/1.1\r\nHost: here\r\n\r\n" % path for path in paths))
        answers = []
        for _ in paths:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            await reader.readexactly(length)
            answers.append(head.split(b" ", 2)[1])
        writer.close()
        await serving.stop()
        return answers

    assert asyncio.run(ask()) == [b"200", b"401", b"200"]
