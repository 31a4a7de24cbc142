"""Limits on clients, so that no client can exhaust the server."""

import msgspec

from podium.apiserver.requests.request_handler import BODY_LENGTH_MAX

_KIB = 2**10


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a server; clients within Kubernetes' own limits never reach them."""

    connections_max: int = 8192
    """Most connections at once; requests on further ones get 503."""
    requests_max: int = 400
    """Most requests at once, except watches; further ones get 429, as from kube-apiserver."""
    watches_max: int = 5000
    """Most watches at once; further ones get 429."""
    body_bytes_max: int = BODY_LENGTH_MAX
    head_bytes: int = 64 * _KIB
    """Longest request line with headers; longer ones get 400."""
    head_s: float = 32.0
    """Seconds for request line and headers, from the connection or the first byte of a later
    request, as in kube-apiserver; also for a TLS handshake."""
    request_s: float = 30.0
    """Seconds for a body to arrive; then the request gets 408."""
    idle_s: int = 90
    """Seconds that a connection may be idle between requests."""
    stall_s: float = 30.0
    """Seconds that a client may not read what is sent to it."""
    watch_s: float = 1800.0
    """Seconds that watches without a timeout last, or at random up to twice as long."""
    bookmark_s: float = 60.0
    gzip_bytes_min: int = 128 * _KIB
    """Size from which responses are compressed for clients that accept it."""
