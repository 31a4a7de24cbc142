"""Bodies over HTTP, read within limits."""

import asyncio

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from podium.server import statuses
from podium.server.limits import Limits


async def read_body(receive: Receive, limits: Limits) -> bytes:
    """The body of a request.

    Raises:
        Refused: 413, it is too long; or 408, it took too long to come.
        ClientDisconnect: it won't come any more.
    """
    parts: list[bytes] = []
    length, has_more = 0, True
    try:
        async with asyncio.timeout(limits.request_s):
            while has_more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                parts.append(message.get("body", b""))
                length += len(parts[-1])
                if length > limits.body_bytes_max:
                    raise statuses.too_large(limits.body_bytes_max)
                has_more = message.get("more_body", False)
    except TimeoutError:
        raise statuses.too_slow() from None
    return parts[0] if len(parts) == 1 else b"".join(parts)
