"""Answers as ASGI messages."""

import re

from starlette.types import Send

from podium.apiserver.requests import Response
from podium.server.bodies import accepts_gzip, compressed
from podium.server.limits import Limits

RawHeaders = list[tuple[bytes, bytes]]

_NO_CACHE = (b"cache-control", b"no-cache, private")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


async def send_head(send: Send, response: Response, more: RawHeaders | None = None) -> None:
    """Send the status and the headers of an answer, and some more headers."""
    headers: RawHeaders = [_NO_CACHE, *(more or ())]
    for name, value in response.headers:
        # Warnings repeat what the client has sent, line ends and all.
        headers.append((name.lower().encode(), _CONTROL.sub(" ", value).encode()))
    await send({"type": "http.response.start", "status": response.code, "headers": headers})


async def send_whole(
    send: Send, response: Response, content: bytes, accept_encoding: str, limits: Limits
) -> None:
    """Send an answer with its content, compressed if that is long and the client can read it."""
    more: RawHeaders = []
    if len(content) >= limits.gzip_bytes_min:
        more.append((b"vary", b"Accept-Encoding"))
        if accepts_gzip(accept_encoding):
            content = await compressed(content)
            more.append((b"content-encoding", b"gzip"))
    more.append((b"content-length", str(len(content)).encode()))
    await send_head(send, response, more)
    await send({"type": "http.response.body", "body": content})
