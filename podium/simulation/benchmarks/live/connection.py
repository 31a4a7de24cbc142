"""HTTP/1.1 for a load: one connection, kept open, with no more than the measurements need."""

import asyncio
import ssl
from base64 import b64decode
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

import yaml

from podium.api.errors import PodiumError

_BUFFER = 2**22


class LiveBenchError(PodiumError):
    """The cluster doesn't answer as it should."""


@dataclass(frozen=True, slots=True)
class LiveTarget:
    """The address of a cluster, and credentials for it."""

    host: str
    port: int
    token: str
    tls: ssl.SSLContext | None

    @classmethod
    def of(cls, kubeconfig: Path) -> Self:
        config = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        where = urlsplit(cluster["server"])
        authority = cluster.get("certificate-authority-data")
        tls = None
        if authority:
            tls = ssl.create_default_context(cadata=b64decode(authority).decode())
        return cls(str(where.hostname), int(where.port or 443), user["token"], tls)


class LiveConnection:
    """One connection; requests one after the other."""

    def __init__(
        self, target: LiveTarget, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._head = (
            f"Host: {target.host}:{target.port}\r\nAuthorization: Bearer {target.token}\r\n"
            "Content-Type: application/json\r\nAccept: application/json\r\n"
        )

    @classmethod
    async def open(cls, target: LiveTarget) -> Self:
        reader, writer = await asyncio.open_connection(
            target.host, target.port, ssl=target.tls, limit=_BUFFER
        )
        return cls(target, reader, writer)

    async def ask(self, method: str, path: str, body: bytes = b"") -> bytes:
        """Make a request; the answer's body; raises LiveBenchError."""
        self._send(method, path, body)
        code, headers = await self._headers()
        content = await self._reader.readexactly(int(headers["content-length"]))
        if code >= 300:
            raise LiveBenchError(f"{method} {path}: {code} {content.decode()[:300]}")
        return content

    async def watch(self, path: str) -> AsyncIterator[bytes]:
        """Follow a watch; one event after the other, as JSON."""
        self._send("GET", path, b"")
        code, _ = await self._headers()
        if code != 200:
            raise LiveBenchError(f"GET {path}: {code}")
        rest = b""
        while size := int(await self._reader.readline(), 16):
            chunk = await self._reader.readexactly(size + 2)
            *lines, rest = (rest + chunk[:-2]).split(b"\n")
            for line in lines:
                yield line

    def close(self) -> None:
        self._writer.transport.abort()

    def _send(self, method: str, path: str, body: bytes) -> None:
        head = f"{method} {path} HTTP/1.1\r\n{self._head}Content-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode() + body)

    async def _headers(self) -> tuple[int, dict[str, str]]:
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.partition(": ") for line in lines[1:] if line)
        return int(lines[0].split()[1]), {name.lower(): value for name, _, value in pairs}
