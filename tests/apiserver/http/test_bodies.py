"""What clients send, however broken, is answered as kube-apiserver answers it: never with 500."""

import gzip
import json
from urllib.parse import quote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.apiserver.requests.request_handler import BODY_LENGTH_MAX
from tests.apiserver.http.running import JSON, PODS, Running, pod

MERGE_PATCH = {"Content-Type": "application/merge-patch+json"}
YAML = {"Content-Type": "application/yaml"}
PROTOBUF = "application/vnd.kubernetes.protobuf"


def nested(depth: int) -> bytes:
    return b'{"spec":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"


BROKEN = {
    "nothing": b"",
    "half": b'{"kind": "Pod", "spec": {',
    "text": b"hello",
    "a number": b"17",
    "a list": b"[1, 2]",
    "two values": b"{} {}",
    "bad UTF-8": b'{"kind": "\xff\xfe"}',
    "half a character": b'{"kind": "\xc3"}',
    "a lone surrogate": b'{"metadata": {"name": "\\ud800"}}',
    "a zero byte": b"\x00",
    "not a number": b'{"spec": {"priority": NaN}}',
    "a huge number": b'{"spec": {"priority": ' + b"9" * 5000 + b"}}",
    "a deep object": nested(100_000),
    "a deep list": b"[" * 100_000 + b"]" * 100_000,
    "a deep list without end": b"[" * 100_000,
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("headers", [JSON, MERGE_PATCH], ids=["created", "patched"])
def test_broken_json_is_the_clients_fault(
    client: httpx.Client, body: bytes, headers: dict[str, str]
) -> None:
    if headers is JSON:
        answer = client.post(PODS, content=body, headers=headers)
    else:
        answer = client.patch("/api/v1/namespaces/default", content=body, headers=headers)
    assert 400 <= answer.status_code < 500
    assert answer.json()["kind"] == "Status"


@pytest.mark.parametrize("body", [b"\xff\xfe\xfd", b"a: [1, 2", b"a: &a [*a]", b"\ta: 1"])
def test_broken_yaml_is_too(client: httpx.Client, body: bytes) -> None:
    answer = client.post(PODS, content=body, headers=YAML)
    assert 400 <= answer.status_code < 500


@pytest.mark.parametrize("is_announced", [True, False])
def test_a_body_that_is_too_long_is_read_and_refused(
    client: httpx.Client, is_announced: bool
) -> None:
    piece = b" " * 2**16
    count = BODY_LENGTH_MAX // len(piece) + 1
    content = piece * count if is_announced else iter([piece] * count)
    answer = client.post(PODS, content=content, headers=JSON)
    assert answer.status_code == 413
    assert answer.json()["reason"] == "RequestEntityTooLarge"
    assert client.get("/healthz").status_code == 200


def test_the_longest_body_is_taken(client: httpx.Client) -> None:
    body = json.dumps(pod("long")).encode()
    padding = b" " * (BODY_LENGTH_MAX - len(body))
    assert client.post(PODS, content=body + padding, headers=JSON).status_code == 201


def test_nobody_reads_what_strangers_send(server: Running) -> None:
    with server.client("") as stranger:
        answer = stranger.post(PODS, content=b" " * 2**22, headers=JSON)
    assert answer.status_code == 401


def test_protobuf_is_read_of_few_kinds_and_never_written(client: httpx.Client) -> None:
    headers, broken = {"Content-Type": PROTOBUF}, b"k8s\x00\x0a\x09"
    assert client.post("/api/v1/nodes", content=broken, headers=headers).status_code == 415
    assert client.post(PODS, content=broken, headers=headers).status_code == 400
    assert client.get(PODS, headers={"Accept": PROTOBUF}).status_code == 406
    answer = client.get(PODS, headers={"Accept": f"{PROTOBUF},application/json"})
    assert answer.headers["Content-Type"] == "application/json"


def test_long_answers_are_compressed_for_those_who_can_read_it(client: httpx.Client) -> None:
    text = "x" * 200_000
    config = {"metadata": {"name": "long"}, "data": {"text": text}}
    maps = "/api/v1/namespaces/default/configmaps"
    assert client.post(maps, json=config, headers={"Accept-Encoding": ""}).status_code == 201
    with client.stream("GET", f"{maps}/long") as answer:
        raw = b"".join(answer.iter_raw())
    assert answer.headers["Content-Encoding"] == "gzip"
    assert int(answer.headers["Content-Length"]) == len(raw) < 10_000
    assert json.loads(gzip.decompress(raw))["data"]["text"] == text
    for refusing in ("", "identity", "br"):
        plain = client.get(f"{maps}/long", headers={"Accept-Encoding": refusing})
        assert "Content-Encoding" not in plain.headers
        assert plain.json()["data"]["text"] == text


def test_short_answers_arent(client: httpx.Client) -> None:
    answer = client.get("/api/v1/namespaces/default")
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Cache-Control"] == "no-cache, private"


def test_a_head_is_a_get_without_its_body(client: httpx.Client) -> None:
    path = "/api/v1/namespaces/default"
    whole, head = client.get(path), client.head(path)
    assert head.status_code == 200
    assert head.content == b""
    assert head.headers["Content-Length"] == whole.headers["Content-Length"]
    assert client.head(f"{PODS}?watch=true").status_code == 200
    assert client.options(path).status_code == 405


def test_warnings_may_repeat_anything(client: httpx.Client) -> None:
    odd = {**pod("odd"), "é\r\nX-Injected: 1": 1}
    answer = client.post(PODS, json=odd)
    assert answer.status_code == 201
    assert "X-Injected" not in answer.headers
    assert "é  X-Injected: 1" in answer.headers["Warning"]


def test_a_bug_is_told_without_its_details(
    server: Running, client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    server.backend.fault = RuntimeError("a secret")
    try:
        answer = client.get(PODS)
    finally:
        server.backend.fault = None
    assert answer.status_code == 500
    assert answer.json()["reason"] == "InternalError"
    assert "secret" not in answer.text
    assert "a secret" in caplog.text


@given(st.binary(max_size=300))
def test_bytes_are_taken_or_refused(client: httpx.Client, body: bytes) -> None:
    answer = client.post(PODS, content=body)
    assert answer.status_code in range(400, 500)
    assert answer.json()["kind"] == "Status"


@given(st.binary(max_size=40).map(quote), st.binary(max_size=40).map(quote))
def test_paths_and_queries_are_taken_or_refused(
    client: httpx.Client, path: str, query: str
) -> None:
    # A watch would begin, and never end.
    answer = client.head(f"/api/v1/{path}?{query}")
    assert answer.status_code in range(200, 500)
