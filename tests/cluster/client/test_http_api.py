"""The API over HTTP, against an embedded cluster."""

import asyncio
import socket
import socketserver
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from podium import Cluster
from podium.cluster.client.connection import MissingConnectionError, load_connection
from podium.cluster.client.http_api import CallFailedError, HttpApi
from podium.cluster.drivers.live import LiveDriver, SteadyClock
from podium.machines.async_api import UnreachableError, WatchExpiredError
from podium.machines.effects import Bind, Create, Delete, Evict, Patch, Record, Replace
from podium.machines.events import Event, Synced
from tests.cluster.drivers.machines import Diary
from tests.objects import budget, config_map, pod

PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=2, speed="10x") as running:
        yield running


@asynccontextmanager
async def api_of(cluster: Cluster, **options: Any) -> AsyncIterator[HttpApi]:
    connection = await load_connection(str(cluster.kubeconfig))
    async with HttpApi(connection, Random(1), **options) as api:
        yield api


async def test_effects_are_carried_out(cluster: Cluster) -> None:
    async with api_of(cluster) as api:
        created = await api.call(Create(kind="ConfigMap", obj=config_map("m", a="1")))
        assert created.error is None
        assert created.obj is not None
        patch = Patch(kind="ConfigMap", name="m", namespace="default", body={"data": {"b": "2"}})
        assert (await api.call(patch)).error is None
        assert (await api.get("ConfigMap", "m", "default"))["data"] == {"a": "1", "b": "2"}
        outdated = await api.call(Replace(kind="ConfigMap", obj=created.obj))
        assert outdated.error is not None
        assert outdated.error.reason == "Conflict"
        wrong = Delete(kind="ConfigMap", name="m", namespace="default", uid="other")
        assert (await api.call(wrong)).error is not None
        assert (await api.call(Delete(kind="ConfigMap", name="m", namespace="default"))).obj
        with pytest.raises(CallFailedError) as raised:
            await api.get("ConfigMap", "m", "default")
        assert raised.value.error.code == 404


async def test_a_refusal_is_an_outcome(cluster: Cluster) -> None:
    cluster.apply(budget("guarded", minAvailable=1), pod("guarded"))
    cluster.advance(5)
    uid = cluster.get("Pod", "guarded")["metadata"]["uid"]
    again = Bind(namespace="default", name="guarded", uid=uid, node_name="podium-1")
    async with api_of(cluster) as api:
        outcomes = [
            await api.call(one) for one in (Evict(namespace="default", name="guarded"), again)
        ]
    errors = [(one.error.code, one.error.reason) for one in outcomes if one.error]
    assert errors == [(429, "TooManyRequests"), (409, "Conflict")]


async def test_lists_come_in_pages_and_say_what_they_list(cluster: Cluster) -> None:
    names = [f"paged-{number}" for number in range(7)]
    cluster.apply(*(config_map(name) for name in names))
    async with api_of(cluster, page_length=3) as api:
        listed = await api.list("ConfigMap")
        found = [one for one in listed.objects if one["metadata"]["name"] in names]
        assert [one["metadata"]["name"] for one in found] == names
        assert {(one["kind"], one["apiVersion"]) for one in found} == {("ConfigMap", "v1")}
        assert listed.revision >= max(int(one["metadata"]["resourceVersion"]) for one in found)


async def test_a_watch_goes_on_from_a_list(cluster: Cluster) -> None:
    async with api_of(cluster) as api:
        listed = await api.list("ConfigMap")
        await api.call(Create(kind="ConfigMap", obj=config_map("watched")))
        async for news in api.watch("ConfigMap", listed.revision):
            assert [(one.type, one.obj["metadata"]["name"]) for one in news] == [
                ("ADDED", "watched")
            ]
            break


async def test_only_what_is_selected_is_told(cluster: Cluster) -> None:
    cluster.apply(config_map("chosen"), config_map("other"))
    async with api_of(cluster, fields={"ConfigMap": "metadata.name=chosen"}) as api:
        listed = await api.list("ConfigMap")
        assert [one["metadata"]["name"] for one in listed.objects] == ["chosen"]


async def test_a_machine_is_driven_over_it(cluster: Cluster) -> None:
    record = Record(
        regarding={"kind": "Node", "metadata": {"name": "podium-1"}},
        reporting_controller="diary",
        type="Normal",
        reason="Written",
        action="Writing",
        note="It is written.",
    )
    create = Create(kind="ConfigMap", obj=config_map("driven"), purpose="driven")

    def react(event: Event, now_s: float) -> list[Create | Record]:
        return [record, create] if isinstance(event, Synced) else []

    diary, clock = Diary(react), SteadyClock()
    async with api_of(cluster) as api, LiveDriver(api, clock) as driver:
        driver.add(diary)
        while not any("driven: done" in note for note in diary.notes):
            await asyncio.sleep(0.01)
    (event,) = [one for one in cluster.list("Event") if one.get("reason") == "Written"]
    assert event["action"] == "Writing"


def broken(cluster: Cluster, directory: Path, **cluster_fields: str) -> str:
    config = yaml.safe_load(cluster.kubeconfig.read_text())
    config["clusters"][0]["cluster"] |= cluster_fields
    path = directory / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    return str(path)


async def test_who_cannot_be_reached_has_not_been_asked(cluster: Cluster, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        server = f"https://127.0.0.1:{taken.getsockname()[1]}"
        connection = await load_connection(broken(cluster, tmp_path, server=server))
        async with HttpApi(connection, Random(1)) as api:
            outcome = await api.call(Create(kind="ConfigMap", obj=config_map("m")))
            assert outcome.error is not None
            assert not outcome.error.is_unknown
            with pytest.raises(UnreachableError):
                await api.list("ConfigMap")
            with pytest.raises(UnreachableError):
                async for _ in api.watch("ConfigMap", 1):
                    pass


Answer = Callable[[socket.socket], None]


@asynccontextmanager
async def odd_server(
    cluster: Cluster, directory: Path, answer: Answer, request_s: float = 5.0
) -> AsyncIterator[HttpApi]:
    """An API behind which is something else."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            answer(self.request)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        connection = await load_connection(broken(cluster, directory, server=url))
        try:
            async with HttpApi(connection, Random(1), request_s=request_s) as api:
                yield api
        finally:
            server.shutdown()


def hang_up(_: socket.socket) -> None:
    pass


def be_silent(client: socket.socket) -> None:
    while client.recv(1000):
        pass


def saying(code: int, body: str) -> Answer:
    def answer(client: socket.socket) -> None:
        while b"\r\n\r\n" not in client.recv(10_000):
            pass
        head = f"HTTP/1.1 {code} Odd\r\nContent-Length: {len(body)}\r\n\r\n"
        client.sendall(f"{head}{body}".encode())

    return answer


@pytest.mark.parametrize("answer", [hang_up, be_silent, saying(502, "Bad gateway")])
async def test_nobody_knows_what_became_of_a_call_without_an_answer(
    answer: Answer, cluster: Cluster, tmp_path: Path
) -> None:
    async with odd_server(cluster, tmp_path, answer, request_s=0.2) as api:
        outcome = await api.call(Create(kind="ConfigMap", obj=config_map("m")))
        assert outcome.error is not None
        assert outcome.error.is_unknown


GONE = '{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired","message":"too old"}'


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (saying(410, GONE), WatchExpiredError),
        (saying(200, '{"type":"ERROR","object":' + GONE + "}\n"), WatchExpiredError),
        (saying(500, "{}"), UnreachableError),
        (saying(200, "{}\n"), UnreachableError),
        (saying(200, ""), UnreachableError),
        (hang_up, UnreachableError),
    ],
)
async def test_how_a_watch_ends_is_told(
    answer: Answer, expected: type[Exception], cluster: Cluster, tmp_path: Path
) -> None:
    async with odd_server(cluster, tmp_path, answer) as api:
        with pytest.raises(expected):
            async for _ in api.watch("Pod", 5):
                pass


PLUGIN = """
import json, pathlib, sys
calls, token = pathlib.Path(sys.argv[1]), sys.argv[2]
tries = len(calls.read_text()) if calls.exists() else 0
calls.write_text("x" * (tries + 1))
status = {"token": token if tries else "outdated"}
version = "client.authentication.k8s.io/v1"
print(json.dumps({"apiVersion": version, "kind": "ExecCredential", "status": status}))
"""


async def test_credentials_that_are_not_taken_any_more_are_read_anew(
    cluster: Cluster, tmp_path: Path
) -> None:
    config = yaml.safe_load(cluster.kubeconfig.read_text())
    token = config["users"][0]["user"]["token"]
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": sys.executable,
        "args": ["-c", PLUGIN, str(tmp_path / "calls"), token],
        "interactiveMode": "Never",
    }
    config["users"][0]["user"] = {"exec": plugin}
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    connection = await load_connection(str(path))
    async with HttpApi(connection, Random(1)) as api:
        assert (await api.list("Node")).objects
    assert (tmp_path / "calls").read_text() == "xx"


@pytest.mark.parametrize("content", ["", "a: [", "apiVersion: v1\nkind: Config\n", None])
def test_a_file_that_leads_nowhere_is_told(content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    if content is not None:
        path.write_text(content)
    with pytest.raises(MissingConnectionError, match=str(path)):
        asyncio.run(load_connection(str(path)))


def test_without_any_file_it_is_told_where_one_may_be(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(MissingConnectionError, match="KUBECONFIG"):
        asyncio.run(load_connection())
