"""Limits of clients, so that none of them can exhaust the server."""

import msgspec

from podium.apiserver.requests.request_handler import BODY_LENGTH_MAX

_KIB = 2**10


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a server; clients within Kubernetes' own limits never reach them.

    Attributes:
        connections_max: the most connections at once; requests on further ones get 503.
        requests_max: the most requests at once, apart from watches; further ones get 429, as from
            kube-apiserver.
        watches_max: the most watches at once; further ones get 429.
        body_bytes_max: the longest body; longer ones get 413.
        head_bytes: the longest request line with headers; longer ones get 400.
        head_s: time for line and headers from the connection, or from the first byte of a further
            request on, as in kube-apiserver; later the client is disconnected. Also the time for a
            TLS handshake.
        request_s: time for a body to arrive; later it gets 408.
        idle_s: how long a connection may be idle between requests.
        stall_s: how long a client may read nothing that is sent to it.
        watch_s: duration of watches without a timeout; at random up to twice as long.
        bookmark_s: interval of bookmarks.
        gzip_bytes_min: size from which on answers are compressed for clients that accept it.
    """

    connections_max: int = 8192
    requests_max: int = 400
    watches_max: int = 5000
    body_bytes_max: int = BODY_LENGTH_MAX
    head_bytes: int = 64 * _KIB
    head_s: float = 32.0
    request_s: float = 30.0
    idle_s: int = 90
    stall_s: float = 30.0
    watch_s: float = 1800.0
    bookmark_s: float = 60.0
    gzip_bytes_min: int = 128 * _KIB
