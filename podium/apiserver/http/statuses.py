"""Refusals of the HTTP server itself, before the backend is asked."""

from podium.api.refused import RefusedError

_RETRY_S = 1


def unauthorized() -> RefusedError:
    """401: the credentials are unknown."""
    return RefusedError(401, "Unauthorized", "Unauthorized")


def too_many(what: str) -> RefusedError:
    """429: there is no room for another request, or watch, now."""
    message = f"Too many {what}, please try again later."
    return RefusedError(429, "TooManyRequests", message, retry_after_s=_RETRY_S)


def too_large(limit: int) -> RefusedError:
    """413: the body is longer than may be."""
    message = f"Request entity too large: limit is {limit}"
    return RefusedError(413, "RequestEntityTooLarge", message)


def too_slow() -> RefusedError:
    """408: the body hasn't come in time."""
    return RefusedError(408, "Timeout", "Timeout: request body was not received in time")


def internal_error() -> RefusedError:
    """500: something is wrong with the server."""
    return RefusedError(500, "InternalError", "Internal error occurred: see the server's log")
