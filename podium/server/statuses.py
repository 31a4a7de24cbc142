"""What the server refuses by itself, before anybody behind it is asked."""

from podium.api.refused import Refused
from podium.apiserver.requests import Response
from podium.apiserver.requests.messages import Headers
from podium.apiserver.requests.negotiation import JSON

_RETRY_S = 1


def unauthorized() -> Refused:
    """401: nobody knows who that is."""
    return Refused(401, "Unauthorized", "Unauthorized")


def too_many(what: str) -> Refused:
    """429: there is no room for another request, or watch, now."""
    message = f"Too many {what}, please try again later."
    return Refused(429, "TooManyRequests", message, retry_after_s=_RETRY_S)


def too_large(limit: int) -> Refused:
    """413: the body is longer than may be."""
    message = f"Request entity too large: limit is {limit}"
    return Refused(413, "RequestEntityTooLarge", message)


def too_slow() -> Refused:
    """408: the body hasn't come in time."""
    return Refused(408, "Timeout", "Timeout: request body was not received in time")


def internal_error() -> Refused:
    """500: something is wrong with the server."""
    return Refused(500, "InternalError", "Internal error occurred: see the server's log")


def answer(refusal: Refused) -> Response:
    """A refusal as an answer."""
    headers: Headers = (("Content-Type", JSON),)
    if refusal.retry_after_s is not None:
        headers += (("Retry-After", str(refusal.retry_after_s)),)
    return Response(refusal.code, refusal.status(), headers)
