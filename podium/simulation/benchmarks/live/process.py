"""`podium up` as a process that is measured, and connections to its API server.

A connection is kept open, and implements only the part of HTTP/1.1 that the measurements need.
"""

import asyncio
import os
import ssl
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self
from urllib.parse import urlsplit

import msgspec
import yaml

from podium.api.errors import PodiumError

_BUFFER = 2**22


class LiveTarget(msgspec.Struct, frozen=True):
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
    """A connection for one request after the other."""

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
        """Make a request and return the body of the response; raises PodiumError."""
        self._send(method, path, body)
        code, headers = await self._headers()
        content = await self._reader.readexactly(int(headers["content-length"]))
        if code >= 300:
            raise PodiumError(f"{method} {path}: {code} {content.decode()[:300]}")
        return content

    async def watch(self, path: str) -> AsyncIterator[bytes]:
        """Yield the events of a watch, as JSON; raises PodiumError."""
        self._send("GET", path, b"")
        code, _ = await self._headers()
        if code != 200:
            raise PodiumError(f"GET {path}: {code}")
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


_LOOK_S = 0.05
_START_S_MAX = 600.0
_KIB_PER_MIB = 1024


class UpProcess(msgspec.Struct, frozen=True):
    """A running `podium up` that is ready."""

    target: LiveTarget
    pid: int

    def memory_mib(self) -> float:
        """Return the resident set of the process, in MiB; only on Linux."""
        for line in Path(f"/proc/{self.pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / _KIB_PER_MIB
        raise PodiumError(f"the memory of process {self.pid} isn't known")

    def processor_s(self) -> float:
        """Return the CPU time of the process in seconds; only on Linux."""
        text = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii")
        fields = text.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def up(*options: str, keeps: bool = False) -> AsyncIterator[UpProcess]:
    """Run `podium up`, with a database if `keeps`, inside of `async with`; raises PodiumError."""
    with TemporaryDirectory(prefix="podium-bench-") as directory:
        # Without a data directory of its own, the cluster makes one in there.
        kept = ["--data-dir", directory] if keeps else []
        command = [sys.executable, "-m", "podium", "up", "--port", "0", *options, *kept]
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": directory},
        )
        end_s = time.monotonic() + _START_S_MAX
        try:
            while not (kubeconfigs := [*Path(directory).rglob("kubeconfig")]):
                if process.poll() is not None:
                    output = process.stderr.read() if process.stderr else ""
                    raise PodiumError(f"podium up has ended: {output.strip()}")
                if time.monotonic() > end_s:
                    raise PodiumError(f"podium up wasn't ready within {_START_S_MAX:.0f} s")
                await asyncio.sleep(_LOOK_S)
            yield UpProcess(LiveTarget.of(kubeconfigs[0]), process.pid)
        finally:
            process.terminate()
            await asyncio.to_thread(process.communicate)
