"""A proxy in front of the API server that makes things go wrong, by seed."""

import asyncio
import gc
import ssl
import threading
import warnings
from dataclasses import dataclass
from random import Random
from typing import Self

_HEAD_END = b"\r\n\r\n"
_FAILURES = (OSError, EOFError, asyncio.LimitOverrunError, asyncio.CancelledError)


@dataclass
class Faults:
    """What goes wrong, and how often; everything may be changed while the proxy runs.

    Attributes:
        cut: the share of answers that end in the middle.
        lost: the share of answers that don't come at all, though the request is carried out.
        errors: the share of requests that are answered with 500, 503 or 429 instead.
        latency_s: how long every request takes longer.
        stalls: whether watches tell nothing any more, without ending.
    """

    cut: float = 0.0
    lost: float = 0.0
    errors: float = 0.0
    latency_s: float = 0.0
    stalls: bool = False


class FaultProxy:
    """Listens on loopback, in a thread of its own, until the end of `with`.

    Attributes:
        faults: what goes wrong.
        counts: how often what happened.
        under_way: how many requests besides watches have no whole answer yet.
    """

    def __init__(self, port: int, seed: int) -> None:
        self.faults = Faults()
        self.counts = dict.fromkeys(("cut", "lost", "errors", "stalled", "requests"), 0)
        self.under_way = 0
        self._target = port
        self._tasks: set[object] = set()
        self._rng = Random(seed)
        self._loop = asyncio.new_event_loop()
        self._tls = ssl.create_default_context()
        self._tls.check_hostname, self._tls.verify_mode = False, ssl.CERT_NONE

    def __enter__(self) -> Self:
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        # Connections that were cut off in the middle complain when they are collected, which
        # would be held against whichever test runs then.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()

    def _run(self, ready: threading.Event) -> None:
        self._loop.run_until_complete(self._serve(ready))
        self._loop.close()

    async def _serve(self, ready: threading.Event) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._handle, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        ready.set()
        await self._stop.wait()
        server.close()
        # Connections that were accepted already still become tasks.
        await asyncio.sleep(0.05)
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in others:
                task.cancel()
            await asyncio.wait(others)

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The loop itself doesn't keep tasks that wait from being collected as garbage.
        task = asyncio.current_task()
        self._tasks.add(task)
        try:
            await self._answer(reader, writer)
        except _FAILURES:
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(_HEAD_END)
        lines = head.split(b"\r\n")
        lengths = [one for one in lines if one.lower().startswith(b"content-length:")]
        body = await reader.readexactly(int(lengths[0].split(b":")[1]) if lengths else 0)
        self.counts["requests"] += 1
        is_watch = b"watch=true" in lines[0]
        self.under_way += not is_watch
        try:
            await self._pass_on(lines, body, writer, is_watch)
        finally:
            self.under_way -= not is_watch

    async def _pass_on(
        self, lines: list[bytes], body: bytes, writer: asyncio.StreamWriter, is_watch: bool
    ) -> None:
        faults, rng = self.faults, self._rng
        await asyncio.sleep(faults.latency_s)
        if rng.random() < faults.errors:
            self.counts["errors"] += 1
            code = rng.choice((b"500 Internal", b"503 Unavailable", b"429 Busy\r\nRetry-After: 1"))
            writer.write(b"HTTP/1.1 %b\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}" % code)
            await writer.drain()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self._target, ssl=self._tls)
        try:
            rest = [one for one in lines if one and not one.lower().startswith(b"connection:")]
            back.write(b"\r\n".join([*rest, b"Connection: close"]) + _HEAD_END + body)
            left = None
            if rng.random() < faults.lost and not is_watch:
                self.counts["lost"] += 1
                await there.read(1)
                return
            if rng.random() < faults.cut:
                self.counts["cut"] += 1
                left = rng.randrange(1, 20_000 if is_watch else 1_500)
            await self._relay(there, writer, left, is_watch)
        finally:
            back.transport.abort()

    async def _relay(
        self,
        there: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        left: int | None,
        is_watch: bool,
    ) -> None:
        while chunk := await there.read(65_536):
            if is_watch and self.faults.stalls:
                self.counts["stalled"] += 1
                await self._stop.wait()
            writer.write(chunk if left is None else chunk[:left])
            await writer.drain()
            if left is not None:
                left -= len(chunk)
                if left <= 0:
                    return
