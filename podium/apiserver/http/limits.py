"""Limits on clients, so that no client can exhaust the server."""

import msgspec

from podium.apiserver.requests.request_handler import BODY_LENGTH_MAX

_KIB = 2**10


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a server; clients within Kubernetes' own limits never reach them.

    Attributes:
        connections_max: most connections at once; requests on further ones get 503.
        requests_max: most requests at once, except watches; further ones get 429, as from
            kube-apiserver.
        watches_max: most watches at once; further ones get 429.
        head_bytes: longest request line with headers; longer ones get 400.
        head_s: seconds for request line and headers, from the connection or the first byte of a
            later request, as in kube-apiserver; also for a TLS handshake.
        request_s: seconds for a body to arrive; then the request gets 408.
        idle_s: seconds that a connection may be idle between requests.
        stall_s: seconds that a client may not read what is sent to it.
        watch_s: seconds that watches without a timeout last, or at random up to twice as long.
        gzip_bytes_min: size from which responses are compressed for clients that accept it.
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
