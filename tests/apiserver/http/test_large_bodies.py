"""While a large body is looked at, others are served."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
import yaml

from tests.apiserver.http.running import JSON, PODS, Running, pod, running

YAML = {"Content-Type": "application/yaml"}
TOLERATIONS = [{"key": f"k{number}", "operator": "Exists"} for number in range(3000)]
T = TypeVar("T")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    with running(tmp_path, tls=False) as server:
        yield server


class Held:
    """Work that is begun, and goes on once it is let."""

    def __init__(self) -> None:
        self.begun, self.let = threading.Event(), threading.Event()

    def __call__(self, work: Callable[[], T]) -> T:
        self.begun.set()
        assert self.let.wait(60)
        return work()


def code_of(server: Running, body: bytes, headers: dict[str, str], held: Held) -> int:
    """The code of the answer to a body, before which others are answered."""
    codes: list[int] = []

    def send() -> None:
        with server.client() as client:
            codes.append(client.post(PODS, content=body, headers=headers, timeout=60).status_code)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        assert held.begun.wait(60)
        with server.client() as client:
            assert client.get("/healthz").status_code == 200
            assert client.post(PODS, json=pod("b")).status_code == 201
            assert not codes
    finally:
        held.let.set()
        sender.join()
    return codes[0]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    held = Held()
    monkeypatch.setattr("podium.apiserver.http.http_app.uncollected", held)
    return held


@pytest.mark.parametrize(
    ("spec", "code"),
    [({"tolerations": TOLERATIONS}, 201), ({"volumes": [{}] * 30_000}, 422)],
    ids=["valid", "invalid"],
)
def test_in_json(server: Running, held: Held, spec: dict[str, Any], code: int) -> None:
    body = json.dumps(pod("a", **spec)).encode()
    assert code_of(server, body, JSON, held) == code


def test_in_yaml(server: Running, held: Held) -> None:
    body = yaml.dump(pod("a", tolerations=TOLERATIONS), Dumper=yaml.CSafeDumper).encode()
    assert code_of(server, body, YAML, held) == 201


def test_a_small_patch_of_a_large_object(server: Running, held: Held) -> None:
    held.let.set()
    with server.client() as client:
        assert client.post(PODS, json=pod("a", tolerations=TOLERATIONS)).status_code == 201
        held.begun.clear()
        patch = {"metadata": {"labels": {"a": "b"}}}
        headers = {"Content-Type": "application/merge-patch+json"}
        assert client.patch(f"{PODS}/a", json=patch, headers=headers).status_code == 200
        assert held.begun.is_set()


def test_a_list_of_large_objects(server: Running, held: Held) -> None:
    held.let.set()
    with server.client() as client:
        client.post(PODS, json=pod("a", tolerations=TOLERATIONS))
        held.begun.clear()
        assert len(client.get(PODS).json()["items"]) == 1
        assert held.begun.is_set()
