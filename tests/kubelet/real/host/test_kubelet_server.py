"""The endpoint of a node: connections that ask for nothing are cut."""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from podium.apiserver.http.certificates import LOCAL_NAMES, kept_certificates
from podium.kubelet.real.host.containers import Containers
from podium.kubelet.real.host.kubelet_server import KubeletServer
from podium.kubelet.real.host.node_directory import NodeDirectory

HOST = "127.0.0.1"
HEAD_S = 0.5
# Far less than what asyncio and aiohttp wait for by themselves.
PATIENCE_S = 20
REQUEST = b"GET /containerLogs/default/p/c HTTP/1.1\r\nHost: x\r\n\r\n"


@asynccontextmanager
async def served(root: Path) -> AsyncIterator[int]:
    """The port of an endpoint."""

    async def fetch_pod(_namespace: str, _name: str) -> None:
        return None

    async def may_read(_user: str, _groups: object) -> bool:
        return False

    own = kept_certificates(root / "pki", time.time(), [*LOCAL_NAMES])
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(own.certificate, own.key)
    directory = NodeDirectory(root)
    server = KubeletServer(
        directory,
        Containers(time.time, None, root),
        fetch_pod=fetch_pod,
        may_read=may_read,
        now_s=time.time,
        address=HOST,
        port=0,
        tls=tls,
        head_s=HEAD_S,
    )
    async with server:
        yield server.port


async def connected(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    return await asyncio.open_connection(HOST, port, ssl=trusting)


async def rest(reader: asyncio.StreamReader) -> bytes:
    """What comes until the server hangs up."""
    try:
        return await asyncio.wait_for(reader.read(), PATIENCE_S)
    except ConnectionError:
        return b""


async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """Send a byte of a header now and then until the server hangs up."""
    ended = asyncio.ensure_future(rest(reader))
    writer.write(b"GET / HTTP/1.1\r\nX: ")
    while not ended.done():
        writer.write(b"a")
        await asyncio.wait([ended], timeout=0.05)
    return ended.result()


def test_a_connection_without_a_handshake_is_cut(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path) as port:
            reader, writer = await asyncio.open_connection(HOST, port)
            assert await rest(reader) == b""
            writer.close()

    asyncio.run(play())


def test_a_connection_without_a_request_is_cut(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path) as port:
            reader, writer = await connected(port)
            assert await rest(reader) == b""
            writer.close()

    asyncio.run(play())


def test_heads_that_trickle_are_not_waited_for(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path) as port:
            reader, writer = await connected(port)
            assert await asyncio.wait_for(trickle(reader, writer), PATIENCE_S) == b""
            writer.close()
            # A further request on a connection has no longer.
            reader, writer = await connected(port)
            writer.write(REQUEST)
            answer = await reader.readuntil(b"\r\n\r\nUnauthorized")
            assert answer.startswith(b"HTTP/1.1 401 ")
            assert await asyncio.wait_for(trickle(reader, writer), PATIENCE_S) == b""
            writer.close()

    asyncio.run(play())
