"""How much clients may ask of the server, so that none of them can exhaust it."""

import msgspec

from podium.apiserver.requests.request_handler import BODY_LENGTH_MAX

_KIB = 2**10


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a server; clients that keep to Kubernetes' own never meet them.

    Attributes:
        connections_max: how many connections there may be at once; requests on more of them are
            answered with 503.
        requests_max: how many requests may be under way at once, watches apart; more are answered
            with 429, as kube-apiserver does.
        watches_max: how many watches there may be at once; more are answered with 429.
        body_bytes_max: of a body; what is longer is answered with 413.
        head_bytes: of a request's line and headers; longer ones are answered with 400.
        head_s: how long they may take to arrive, from the connection or the first byte of a further
            request on, as in kube-apiserver; later the client is hung up on. A TLS handshake may
            take as long.
        request_s: how long a body may take to arrive; later it is answered with 408.
        idle_s: how long a connection may stay open between requests.
        stall_s: how long a client may read nothing of what is sent to it.
        watch_s: how long a watch lasts that doesn't say; up to twice as long, by chance.
        bookmark_s: how often watches are told how far they have come.
        gzip_bytes_min: answers from this length on are compressed for those who accept it.
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
