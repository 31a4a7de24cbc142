"""Container logs, fetched from kubelets over HTTPS and forwarded as they arrive.

The server uses a client certificate of the cluster's CA. Like kube-apiserver without
`--kubelet-certificate-authority`, it doesn't verify the kubelet's certificate.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from http import HTTPStatus

import httptools
from starlette.types import Receive, Send

from podium.api.refused import RefusedError
from podium.apiserver.http.certificates import Certificates
from podium.apiserver.http.http_connection import hung_up, raw_headers
from podium.apiserver.refusals import bad_request
from podium.apiserver.requests import NodeLog, Response
from podium.apiserver.requests.messages import refused

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
