"""What stands behind the HTTP server: a cluster, as far as the server needs to know it."""

from typing import Protocol

from podium.apiserver.rbac.authorizer import Authorizer
from podium.apiserver.requests import Request, Response


class Backend(Protocol):
    """Answers the requests that a server receives.

    All methods are called in the event loop that the server runs in, one at a time, and should
    return soon: while one runs, nobody else is served.
    """

    @property
    def authorizer(self) -> Authorizer:
        """Knows who may do what."""
        ...

    def answer(self, request: Request) -> Response:
        """Answer a request, as `podium.apiserver.requests.handle` does.

        A watch may be the body; the server then takes from it, and closes it at its end. What
        refuses a request is a response, too: exceptions are bugs, or a journal that failed, and
        are told to clients as an internal error.
        """
        ...

    def now_s(self) -> float:
        """What time it is in the cluster, in seconds since the epoch."""
        ...

    def metrics(self) -> str:
        """The text that `/metrics` shows, in Prometheus' text format; may be empty."""
        ...
