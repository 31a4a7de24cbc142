"""Who may ask for what, and the tokens of nodes, made from one secret."""

import ssl
from functools import partial

import httpx
import pytest

from podium.apiserver.authentication.users import READER, User
from podium.apiserver.http.users import Tokens, node_by_token, node_token
from tests.apiserver.http.running import PODS, Running, pod

READ = [("GET", PODS), ("GET", "/api/v1/nodes?limit=1"), ("GET", "/metrics"), ("GET", "/apis")]
WRITE = [
    ("POST", PODS),
    ("DELETE", PODS),
    ("PUT", f"{PODS}/x"),
    ("PATCH", f"{PODS}/x"),
    ("DELETE", f"{PODS}/x"),
    ("POST", f"{PODS}/x/eviction"),
    ("POST", f"{PODS}/x/binding"),
    ("PUT", "/api/v1/nodes/n/status"),
]
OPEN = ["/healthz", "/livez", "/readyz", "/version"]
OTHERS = ["/", "/api", "/openapi/v2", "/healthz/ping", "/version/x", "/nothing", "/favicon.ico"]


@pytest.mark.parametrize("path", OPEN)
def test_anybody_may_ask_how_the_server_is(server: Running, path: str) -> None:
    with server.client("") as anybody:
        assert anybody.get(path).status_code == 200
        assert anybody.head(path).status_code == 200
        assert anybody.post(path).status_code == 403


@pytest.mark.parametrize("path", [*OTHERS, *(path for _, path in READ + WRITE)])
def test_nothing_else_without_a_token(server: Running, path: str) -> None:
    with server.client("") as anybody:
        for method in ("GET", "HEAD", "POST", "OPTIONS", "DELETE"):
            assert anybody.request(method, path).status_code == 401


@pytest.mark.parametrize(
    "authorization", ["Bearer wrong", "Bearer", "", "Basic YWRtaW46YWRtaW4=", "Bearer \xff", "x"]
)
def test_wrong_credentials_are_worse_than_none(server: Running, authorization: str) -> None:
    headers = {"Authorization": authorization.encode("latin-1")}
    with server.client("") as anybody:
        answer = anybody.get("/healthz", headers=headers)
    assert answer.status_code == 401
    assert answer.json() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "Unauthorized",
        "reason": "Unauthorized",
        "code": 401,
    }


def test_the_scheme_is_read_in_any_case(server: Running) -> None:
    with server.client("") as anybody:
        headers = {"Authorization": f"bEARER   {server.tokens.admin}"}
        assert anybody.get(PODS, headers=headers).status_code == 200


@pytest.mark.parametrize(("method", "path"), READ)
def test_a_reader_may_look(server: Running, method: str, path: str) -> None:
    with server.client(server.tokens.reader) as reader:
        assert reader.request(method, path).status_code == 200


@pytest.mark.parametrize(("method", "path"), WRITE)
def test_a_reader_may_change_nothing(server: Running, method: str, path: str) -> None:
    with server.client(server.tokens.reader) as reader:
        answer = reader.request(method, path, json=pod("x"))
    assert answer.status_code == 403
    assert answer.json()["reason"] == "Forbidden"


def test_refusals_are_worded_like_those_of_rbac(server: Running) -> None:
    with server.client(server.tokens.reader) as reader:
        answer = reader.post(PODS, json=pod("x")).json()
    why = 'cannot create resource "pods" in API group "" in the namespace "default"'
    assert answer["message"] == f'pods is forbidden: User "podium-reader" {why}'


def test_users_come_and_go(server: Running) -> None:
    token = "a-token-of-somebody-who-may-do-nothing"
    server.users.add(token, User("system:node:n", ("system:nodes",)))
    with server.client(token) as node:
        answer = node.get("/metrics")
        assert answer.status_code == 403
        message = 'forbidden: User "system:node:n" cannot get path "/metrics"'
        assert answer.json()["message"] == message
        server.users.remove(token)
        assert node.get("/metrics").status_code == 401


def test_metrics_are_text_for_prometheus(server: Running, client: httpx.Client) -> None:
    answer = client.get("/metrics")
    assert answer.text == "pods 1\n"
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert client.post("/metrics").status_code == 405


def test_nobody_believes_a_server_that_they_dont_know(server: Running) -> None:
    with (
        httpx.Client(base_url=server.serving.url, verify=ssl.create_default_context()) as stranger,
        pytest.raises(httpx.ConnectError, match="certificate verify failed"),
    ):
        stranger.get("/healthz")


def test_a_server_with_tls_speaks_nothing_else(server: Running) -> None:
    host, port = server.address
    with httpx.Client() as plain, pytest.raises(httpx.TransportError):
        plain.get(f"http://{host}:{port}/healthz")


SECRET = "a-secret-that-nobody-else-knows-of"
TOKEN = node_token(SECRET, "worker-1")


def test_a_node_is_known_by_its_token() -> None:
    user = node_by_token(SECRET, TOKEN)
    assert user is not None
    assert user.name == "system:node:worker-1"
    assert user.node == "worker-1"


@pytest.mark.parametrize(
    "token",
    [
        "",
        "node::",
        TOKEN[:-1],
        TOKEN.replace("worker-1", "worker-2"),
        TOKEN.removeprefix("node:"),
        node_token("another secret", "worker-1"),
        node_token(SECRET, ""),
        "node:worker-1:\xff",
    ],
)
def test_nobody_is_known_by_another(token: str) -> None:
    assert node_by_token(SECRET, token) is None


def test_several_know_who_any_of_them_knows() -> None:
    users = Tokens({"reader's token": READER}, partial(node_by_token, SECRET))
    found = [users.user(f"Bearer {token}") for token in ("reader's token", TOKEN, "no token")]
    assert [user.name if user else None for user in found] == [
        "podium-reader",
        "system:node:worker-1",
        None,
    ]
