"""How much clients may ask of the server, so that none of them can exhaust it."""

from dataclasses import dataclass

from podium.apiserver.requests.handling import BODY_LENGTH_MAX

_KIB, _MIB = 2**10, 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a server; clients that keep to Kubernetes' own never meet them.

    Attributes:
        connections_max: how many connections there may be at once; more are hung up on.
        requests_max: how many requests may be under way at once, watches apart; more are answered
            with 429, as kube-apiserver does.
        watches_max: how many watches there may be at once; more are answered with 429.
        header_bytes_max: of the request line and the headers together.
        body_bytes_max: of a body; what is longer is answered with 413.
        drained_bytes_max: how much of a longer body is read and thrown away, so that its sender
            comes to read the answer.
        handshake_s: how long TLS may take to begin.
        request_s: how long a request may take to arrive, from the connection or from its first
            byte on.
        idle_s: how long a connection may stay open between requests.
        stall_s: how long a client may read nothing of what is sent to it.
        watch_s: how long a watch lasts that doesn't say; up to twice as long, by chance.
        bookmark_s: how often watches are told how far they have come.
        gzip_bytes_min: answers from this length on are compressed for those who accept it.
    """

    connections_max: int = 8192
    requests_max: int = 400
    watches_max: int = 5000
    header_bytes_max: int = 64 * _KIB
    body_bytes_max: int = BODY_LENGTH_MAX
    drained_bytes_max: int = 64 * _MIB
    handshake_s: float = 10.0
    request_s: float = 30.0
    idle_s: int = 90
    stall_s: float = 30.0
    watch_s: float = 1800.0
    bookmark_s: float = 60.0
    gzip_bytes_min: int = 128 * _KIB
