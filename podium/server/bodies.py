"""Bodies over HTTP: read within limits, and compressed where it is worth it."""

import asyncio
import zlib

from starlette.types import Receive

from podium.server import statuses
from podium.server.limits import Limits

_LEVEL = 1
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


class HungUp(Exception):  # noqa: N818 - it says what it is
    """The client has hung up before it had sent all."""


async def read_body(receive: Receive, limits: Limits) -> bytes:
    """The body of a request.

    Raises:
        Refused: 413, it is too long; most of it has been read then, so that the client is
            listening.
        HungUp: it won't come any more.
    """
    parts: list[bytes] = []
    length, has_more = 0, True
    while has_more and length <= limits.drained_bytes_max:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise HungUp
        part = message.get("body", b"")
        length += len(part)
        if length <= limits.body_bytes_max:
            parts.append(part)
        else:
            parts.clear()
        has_more = message.get("more_body", False)
    if length > limits.body_bytes_max:
        raise statuses.too_large(limits.body_bytes_max)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def accepts_gzip(header: str) -> bool:
    """Whether an Accept-Encoding header accepts gzip."""
    for clause in header.lower().split(","):
        coding, _, parameter = clause.partition(";")
        if coding.strip() in ("gzip", "*"):
            return parameter.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


async def compressed(content: bytes) -> bytes:
    """The content, compressed with gzip, while others are served."""
    return await asyncio.to_thread(_gzip, content)


def _gzip(content: bytes) -> bytes:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_WINDOW)
    return packer.compress(content) + packer.flush()
