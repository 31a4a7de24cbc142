"""Slow and greedy clients are hung up on, and nobody else notices."""

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from podium.apiserver.http.limits import Limits
from tests.apiserver.http.running import PODS, Running, eventually, running

LIMITS = Limits(
    head_s=0.5, request_s=0.5, idle_s=1, stall_s=0.5, connections_max=20, requests_max=3
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("slow"), limits=LIMITS, tls=False) as server:
        yield server


def request(server: Running, line: str, *headers: str, token: str = "") -> bytes:
    token = token or server.tokens.admin
    lines = [f"{line} HTTP/1.1", "Host: x", f"Authorization: Bearer {token}", *headers]
    return "\r\n".join([*lines, "", ""]).encode()


def answer_until_hung_up(connection: socket.socket) -> bytes:
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def test_half_a_body_isnt_waited_for(server: Running) -> None:
    with server.connect() as slow:
        slow.sendall(request(server, f"POST {PODS}", "Content-Length: 9") + b"{")
        assert answer_until_hung_up(slow).startswith(b"HTTP/1.1 408 ")


def test_a_connection_without_a_request_is_cut(server: Running) -> None:
    with server.connect() as silent:
        assert answer_until_hung_up(silent) == b""


def trickle(connection: socket.socket, head: bytes) -> bytes:
    """Send a head, and then a byte of a header now and then, until the server hangs up."""
    try:
        connection.sendall(head)
        connection.settimeout(0.05)
        for _ in range(200):
            with suppress(TimeoutError):
                if part := connection.recv(65536):
                    return part
                return b""
            connection.sendall(b"a")
    except ConnectionError:
        return b""
    pytest.fail("it never hung up")


def test_headers_that_trickle_are_not_waited_for(server: Running) -> None:
    with server.connect() as slow:
        assert trickle(slow, b"GET /version HTTP/1.1\r\nX: ") == b""
    with server.connect() as slow:
        # A further request on the same connection has as long.
        slow.sendall(request(server, "GET /healthz"))
        assert slow.recv(65536).endswith(b"ok")
        assert trickle(slow, b"GET /version HTTP/1.1\r\nX: ") == b""


def test_a_watch_outlasts_the_time_of_a_head(server: Running) -> None:
    with server.connect() as watching:
        watching.sendall(request(server, f"GET {PODS}?watch=1&timeoutSeconds=2") + b"GET /")
        began_s = time.monotonic()
        answer = b""
        while not answer.endswith(b"0\r\n\r\n"):
            answer += watching.recv(65536)
        assert time.monotonic() - began_s > LIMITS.head_s


def test_tls_connections_without_a_request_are_cut(tmp_path: Path) -> None:
    with running(tmp_path, limits=LIMITS) as server:
        assert server.certificates is not None
        trust = ssl.create_default_context(cafile=server.certificates.authority)
        with trust.wrap_socket(server.connect(), server_hostname="127.0.0.1") as silent:
            assert answer_until_hung_up(silent) == b""


def test_a_tls_handshake_isnt_waited_for(tmp_path: Path) -> None:
    with running(tmp_path, limits=LIMITS) as server, server.connect() as silent:
        # asyncio's own limit is a minute.
        silent.settimeout(20)
        assert answer_until_hung_up(silent) == b""


@pytest.mark.parametrize(("length", "code"), [(60_000, b"200"), (66_000, b"400")])
def test_the_length_of_a_head_is_exact(server: Running, length: int, code: bytes) -> None:
    headers = [f"X-{number}: {'x' * 990}" for number in range(length // 1000)]
    with server.connect() as greedy:
        greedy.sendall(request(server, "GET /version", *headers, "Connection: close"))
        assert answer_until_hung_up(greedy).startswith(b"HTTP/1.1 " + code)


def test_an_idle_connection_is_closed(server: Running) -> None:
    with server.connect() as idle:
        idle.sendall(request(server, "GET /healthz"))
        assert answer_until_hung_up(idle).endswith(b"ok")


def test_a_client_that_doesnt_read_is_hung_up_on(server: Running) -> None:
    large = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "large"}}
    maps = "/api/v1/namespaces/default/configmaps"
    with server.client() as client:
        client.post(maps, json={**large, "data": {"text": "x" * 900_000}})
    with server.connect() as deaf:
        deaf.sendall(request(server, f"GET {maps}/large", "Accept-Encoding: identity") * 50)
        eventually(lambda: server.serving.connection_count == 1)
        eventually(lambda: server.serving.connection_count == 0)


@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"x" * 100_000,
        b"GET /api HTTP/1.1\r\nX: " + b"x" * 100_000,
        b"GET /api HTTP/1.1\r\n" + b"X: y\r\n" * 40_000 + b"\r\n",
    ],
    ids=["path", "header", "headers"],
)
def test_endless_headers_are_refused(server: Running, head: bytes) -> None:
    with server.connect() as greedy:
        try:
            greedy.sendall(head)
        except ConnectionError:
            return
        answer = answer_until_hung_up(greedy)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "text", [b"hello\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"GET \xff HTTP/1.1\r\n\r\n"]
)
def test_what_isnt_http_is_refused(server: Running, text: bytes) -> None:
    with server.connect() as confused:
        confused.sendall(text)
        assert answer_until_hung_up(confused).startswith(b"HTTP/1.1 400 ")


def test_requests_one_after_the_other_are_answered_in_order(server: Running) -> None:
    with server.connect() as eager:
        eager.sendall(request(server, "GET /healthz") + request(server, "GET /nothing"))
        answer = answer_until_hung_up(eager)
    assert answer.index(b" 200 OK") < answer.index(b" 404 Not Found")


def test_requests_under_way_are_counted(server: Running) -> None:
    begin = request(server, f"POST {PODS}", "Content-Length: 9")
    with server.client() as client, ExitStack() as stack:
        for _ in range(LIMITS.requests_max):
            stack.enter_context(server.connect()).sendall(begin)
        eventually(lambda: client.get("/healthz").status_code == 429)
        refused = client.get(PODS)
        assert refused.headers["Retry-After"] == "1"
        assert refused.json()["reason"] == "TooManyRequests"
        eventually(lambda: client.get("/healthz").status_code == 200)


def test_connections_are_counted(server: Running) -> None:
    with ExitStack() as stack, server.client() as client:
        for _ in range(LIMITS.connections_max):
            stack.enter_context(server.connect())
        eventually(lambda: client.get("/healthz").status_code == 503)
        stack.close()
        eventually(lambda: client.get("/healthz").status_code == 200)
