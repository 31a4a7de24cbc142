"""Bodies that are sent in pieces over HTTP: events of watches as lines of JSON, and container logs.

A watch is a task that sleeps until the store wakes it, sends all pending events at once, and then
pauses, longer if many watches are active. So a burst of writes costs a few large sends per watch
instead of thousands of small ones, and leaves time for requests.

Logs are fetched from kubelets over HTTPS and forwarded as they arrive. The server uses a client
certificate of the cluster's CA. Like kube-apiserver without `--kubelet-certificate-authority`, it
doesn't verify the kubelet's certificate.
"""

import asyncio
import ssl
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from http import HTTPStatus
from random import Random
from typing import Any

import httptools
from starlette.types import Receive, Send

from podium.api.errors import RefusedError
from podium.apiserver.http.certificates import Certificates
from podium.apiserver.http.http_server import hung_up, raw_headers
from podium.apiserver.http.limits import Limits
from podium.apiserver.refusals import bad_request
from podium.apiserver.requests import NodeLog, Response, Watching, encoded
from podium.apiserver.requests.messages import refused
from podium.apiserver.requests.negotiation import TABLE
from podium.apiserver.requests.response_forms import Form

Event = Mapping[str, Any]

# Event types with shared texts, except for tables, whose ages are those of the moment.
_SHARED_TYPES = frozenset({"ADDED", "MODIFIED", "DELETED"})
_LENGTH_MAX = 16 * 2**20


class EventTexts:
    """A cache of events encoded by type, version of the object, and form, up to a size in bytes."""

    def __init__(self) -> None:
        self._length = 0
        self._texts: dict[tuple[int, str, str], bytes] = {}
        self._forms: dict[Form, int] = {}

    def form_number(self, form: Form) -> int:
        """Return a number that identifies a form, for use in cache keys."""
        return self._forms.setdefault(form, len(self._forms))

    def text(self, watching: Watching, form_number: int, event: Event, now_s: float) -> bytes:
        """Return an event encoded as one line; ages in tables are as of `now_s`."""
        if event["type"] not in _SHARED_TYPES or watching.form.output.shape == TABLE:
            return encoded(watching.shown(event, now_s))
        key = (form_number, event["type"], event["object"]["metadata"]["resourceVersion"])
        text = self._texts.get(key)
        if text is None:
            text = encoded(watching.shown(event, now_s))
            self._length += len(text)
            if self._length > _LENGTH_MAX:
                self._texts.clear()
                self._length = len(text)
            self._texts[key] = text
        return text


_EVENTS_MAX = 256
_PAUSE_S_MIN, _PAUSE_S_MAX = 0.01, 0.5
_PAUSE_S_PER_WATCH = 0.001
_TURNS = 16
# The size of a piece; a longer one is a single event.
_PIECE_BYTES = 64 * 2**10
# The most long pieces being sent at once, as unread ones stay in memory.
_LONG_PIECES = 16


class Watches:
    """All open watches of a server."""

    def __init__(self, limits: Limits, now_s: Callable[[], float], rng: Random) -> None:
        self._limits = limits
        self._now_s = now_s
        self._rng = rng
        self._texts = EventTexts()
        self._news: set[asyncio.Event] = set()
        self._pausing = 0
        # One write may wake thousands of watches; after every few, requests have their turn.
        self._turns = asyncio.Semaphore(_TURNS)
        self._long_pieces = asyncio.Semaphore(_LONG_PIECES)
        self._is_closing = False

    @property
    def count(self) -> int:
        """The number of open watches."""
        return len(self._news)

    def close(self) -> None:
        """Request the end of all watches; new ones end at once."""
        self._is_closing = True
        for news in self._news:
            news.set()

    async def serve(self, watching: Watching, receive: Receive, send: Send) -> None:
        """Send a watch's events, after the response's headers were sent, until the watch ends."""
        # 0 and None leave the duration to the server.
        duration_s = watching.timeout_s or self._rng.uniform(1, 2) * self._limits.watch_s
        watch = _Watch(watching, self._limits, duration_s, self._texts)
        self._news.add(watch.news)
        watcher = asyncio.create_task(watch.notice_hanging_up(receive))
        try:
            while True:
                async with self._turns:
                    # Events from here on wake the watch again.
                    watch.news.clear()
                    if self._is_closing or watch.is_over:
                        break
                    events = watch.take(self._now_s())
                    await asyncio.sleep(0)
                if events:
                    await self._send(send, events)
                    await self._pause(watch)
                else:
                    await watch.wait()
            if watch.is_gone:
                return
            last = b""
            if not self._is_closing:
                watch.look()
                while piece := watch.piece(self._now_s()):
                    await self._send(send, piece)
            if not self._is_closing:
                last = watch.bookmark(self._now_s())
            await send({"type": "http.response.body", "body": last, "more_body": False})
        finally:
            watcher.cancel()
            watching.stream.close()
            self._news.discard(watch.news)

    async def _send(self, send: Send, piece: bytes) -> None:
        message = {"type": "http.response.body", "body": piece, "more_body": True}
        if len(piece) <= _PIECE_BYTES:
            await send(message)
            return
        async with self._long_pieces:
            await send(message)
            # This second send waits until the client has read the piece.
            await send({**message, "body": b""})

    async def _pause(self, watch: "_Watch") -> None:
        if watch.has_more:
            await asyncio.sleep(0)
            return
        self._pausing += 1
        try:
            pause_s = max(_PAUSE_S_MIN, _PAUSE_S_PER_WATCH * self._pausing)
            await asyncio.sleep(min(pause_s, _PAUSE_S_MAX))
        finally:
            self._pausing -= 1


class _Watch:
    def __init__(
        self, watching: Watching, limits: Limits, duration_s: float, texts: EventTexts
    ) -> None:
        self.news = asyncio.Event()
        self.is_gone = False
        self.has_more = False
        self._has_stopped_short = False
        self._watching = watching
        self._events: deque[Event] = deque()
        self._text = b""
        self._texts = texts
        self._form_number = texts.form_number(watching.form)
        self._loop = asyncio.get_running_loop()
        self._end_s = self._loop.time() + duration_s
        self._bookmark_every_s = limits.bookmark_s
        self._bookmark_s = self._loop.time() + limits.bookmark_s
        watching.stream.wake_by(self.news.set)

    @property
    def is_over(self) -> bool:
        """Whether the watch has nothing left to send but its end."""
        return self.is_gone or self._watching.stream.has_ended or self._loop.time() >= self._end_s

    def take(self, now_s: float) -> bytes:
        """Return the bytes to send now; may be empty."""
        if not (self._text or self._events):
            self.look()
        piece = self.piece(now_s)
        if self._loop.time() >= self._bookmark_s:
            self._bookmark_s = self._loop.time() + self._bookmark_every_s
            if not self.has_more:
                piece += self.bookmark(now_s)
        return piece

    def look(self) -> None:
        """Read new events from the stream."""
        events = self._watching.stream.take(_EVENTS_MAX)
        self._has_stopped_short = len(events) == _EVENTS_MAX
        self._events.extend(events)

    def piece(self, now_s: float) -> bytes:
        """Return the encoded events to send in one piece, at least one event."""
        parts: list[bytes] = []
        length = 0
        while self._text or self._events:
            text = self._text or self._written(self._events.popleft(), now_s)
            length += len(text)
            self._text = text if parts and length > _PIECE_BYTES else b""
            if self._text:
                break
            parts.append(text)
        self.has_more = bool(self._text or self._events) or self._has_stopped_short
        return b"".join(parts)

    def bookmark(self, now_s: float) -> bytes:
        """Return the encoded bookmark; empty if not requested, or if events are pending."""
        stream = self._watching.stream
        bookmark = stream.bookmark() if stream.allows_bookmarks else None
        return b"" if bookmark is None else self._written(bookmark, now_s)

    async def wait(self) -> None:
        """Sleep until there may be bytes to send."""
        timer = self._loop.call_at(min(self._bookmark_s, self._end_s), self.news.set)
        try:
            await self.news.wait()
        finally:
            timer.cancel()

    async def notice_hanging_up(self, receive: Receive) -> None:
        """Wait until the client has disconnected."""
        await hung_up(receive)
        self.is_gone = True
        self.news.set()

    def _written(self, event: Event, now_s: float) -> bytes:
        return self._texts.text(self._watching, self._form_number, event, now_s)


_CONNECT_S = 10
_CHUNK = 64 * 2**10
_REFUSAL_BYTES_MAX = 10 * 2**10


class NodeLogs:
    """Fetches the logs of containers from the kubelets of their nodes."""

    def __init__(self, certificate: Certificates) -> None:
        self._tls = ssl.create_default_context()
        self._tls.check_hostname = False
        self._tls.verify_mode = ssl.CERT_NONE
        self._tls.load_cert_chain(certificate.certificate, certificate.key)

    async def serve(self, response: Response, log: NodeLog, receive: Receive, send: Send) -> None:
        """Send a log until it ends or the client disconnects."""
        sending = asyncio.create_task(self._send(response, log, send))
        hanging_up = asyncio.create_task(hung_up(receive))
        try:
            await asyncio.wait({sending, hanging_up}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            for task in (sending, hanging_up):
                task.cancel()
            await asyncio.wait({sending, hanging_up})

    async def _send(self, response: Response, log: NodeLog, send: Send) -> None:
        async def head(answer: Response) -> None:
            start = {"type": "http.response.start", "status": answer.code}
            await send({**start, "headers": raw_headers(answer)})

        rest, host = b"", f"{log.address}:{log.port}"
        url, writer = f"https://{host}{log.path}", None
        try:
            try:
                async with asyncio.timeout(_CONNECT_S):
                    reader, writer = await asyncio.open_connection(
                        log.address, log.port, ssl=self._tls
                    )
            except (OSError, TimeoutError) as error:
                why = f'Get "{url}": dial tcp {host}: {str(error) or "i/o timeout"}'
                raise _internal(why) from None
            request = f"GET {log.path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
            writer.write(request.encode())
            answer = _Answer(reader)
            await answer.check(url, log.pod)
            await head(response)
            async for piece in answer.pieces():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        except RefusedError as refusal:
            failure = refused(refusal)
            await head(failure)
            rest = failure.content()
        finally:
            if writer is not None:
                writer.transport.abort()
        await send({"type": "http.response.body", "body": rest, "more_body": False})


class _Answer:
    """A kubelet's HTTP response that is parsed while it arrives; implements httptools' protocol."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._status = 0
        self._reader = reader
        self._parser = httptools.HttpResponseParser(self)
        self._pieces: list[bytes] = []
        self._is_over = False

    def on_headers_complete(self) -> None:
        self._status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        self._pieces.append(body)

    def on_message_complete(self) -> None:
        self._is_over = True

    async def check(self, url: str, pod: str) -> None:
        """Wait for the kubelet's response headers; raises RefusedError unless the status is 200."""
        while not self._status:
            await self._read()
            if self._is_over and not self._status:
                raise _internal(f'Get "{url}": EOF')
        if self._status == HTTPStatus.OK:
            return
        refusal_text = b""
        async for piece in self.pieces():
            refusal_text += piece
            if len(refusal_text) > _REFUSAL_BYTES_MAX:
                break
        text = refusal_text[:_REFUSAL_BYTES_MAX].decode(errors="replace")
        if self._status == HTTPStatus.BAD_REQUEST:
            raise bad_request(text)
        if self._status == HTTPStatus.NOT_FOUND:
            why = f"the server could not find the requested resource ( pods/log {pod})"
            raise RefusedError(404, "NotFound", why, details={"name": pod, "kind": "pods/log"})
        raise _internal(text)

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the body in pieces as they arrive."""
        while True:
            while self._pieces:
                yield self._pieces.pop(0)
            if self._is_over:
                return
            await self._read()

    async def _read(self) -> None:
        try:
            chunk = await self._reader.read(_CHUNK)
            if chunk:
                self._parser.feed_data(chunk)
        except (OSError, httptools.HttpParserError):
            chunk = b""
        self._is_over = self._is_over or not chunk


def _internal(why: str) -> RefusedError:
    return RefusedError(500, "InternalError", f"Internal error occurred: {why}")
