"""The dashboard over HTTP, of a cluster that runs."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest

from podium.apiserver.http.users import kept_tokens
from podium.cluster.embedded.cluster import EmbeddedCluster, EmbeddedOptions
from podium.cluster.embedded.cluster_clock import STOPPED
from podium.cluster.embedded.defaults import NodeShape
from podium.cluster.embedded.in_process_client import InProcessClient
from podium.cluster.embedded.initial_objects import simulated_nodes
from podium.ui.commands import QUESTIONS
from podium.ui.commands.arguments import arguments_of
from podium.ui.dashboard.dashboard_app import PREFIX
from podium.ui.dashboard.embedded_dashboard import mount_dashboard
from podium.ui.dashboard.pages import Pages
from podium.ui.inputs.option import Reach
from tests import objects
from tests.objects import Obj, budget, priority_class, workload
from tests.ui.dashboard.folding import folded, shown

HOSTILE = "<img src=x onerror=alert(1)>'\"&\u202e"


class Running:
    """A cluster with its dashboard, and clients of it."""

    def __init__(self, embedded: EmbeddedCluster) -> None:
        self.embedded = embedded
        self.link = mount_dashboard(embedded)
        self.tokens = kept_tokens(embedded.directory.path / "tokens")
        self.inside = InProcessClient(embedded.cluster)

    def client(self, token: str) -> httpx.AsyncClient:
        base_url = f"{self.embedded.served.url}{PREFIX}/api/"
        headers = {"authorization": f"Bearer {token}"} if token else {}
        return httpx.AsyncClient(base_url=base_url, headers=headers, trust_env=False, timeout=30)

    async def apply(self, *objects: dict[str, Any]) -> None:
        self.inside.apply(objects)
        self.embedded.backend.acted()
        await self.embedded.clock.advance(5)


@asynccontextmanager
async def running(data_dir: Path | None = None, *objects: Obj) -> AsyncIterator[Running]:
    options = EmbeddedOptions(
        objects=[*simulated_nodes(2, NodeShape()), *objects],
        data_dir=data_dir,
        port=0,
        is_insecure=True,
        speed=STOPPED,
        seed=1,
    )
    async with EmbeddedCluster(options) as embedded:
        yield Running(embedded)


def live(check: Callable[[Running], Awaitable[None]]) -> Callable[[], None]:
    """Makes a test of what is checked of a cluster."""

    async def run() -> None:
        async with running() as cluster:
            await check(cluster)

    return lambda: asyncio.run(run())


def pod(name: str, message: str = "", cpu: str = "100m", **fields: Any) -> Obj:
    return objects.pod(name, cpu, annotations={"says": message}, **fields)


@live
async def test_the_link_lets_somebody_look(cluster: Running) -> None:
    url, _, token = cluster.link.partition("#token=")
    assert url == f"{cluster.embedded.served.url}/dashboard/"
    assert token == cluster.tokens.reader
    async with cluster.client(token) as client:
        response = await client.get("beginning")
    view = response.json()
    assert response.headers["content-type"] == "application/json"
    assert response.headers["content-encoding"] == "gzip"
    assert [node["name"] for node in view["nodes"]] == ["podium-1", "podium-2"]
    assert (view["live"], view["canPlan"], view["canApply"]) == (True, True, True)


@live
async def test_nobody_sees_anything_without_signing_in(cluster: Running) -> None:
    paths = ("beginning", "changes?after=0", "pods/default/web", "nodes/podium-1")
    for token, path in product(("", "wrong", cluster.tokens.nodes), paths):
        async with cluster.client(token) as client:
            response = await client.get(path)
        assert response.status_code == 401
        assert response.json()["reason"] == "Unauthorized"


@live
async def test_whoever_may_not_see_all_sees_nothing(cluster: Running) -> None:
    await cluster.embedded.clock.advance(1)
    metadata = {"name": "robot", "namespace": "default"}
    await cluster.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
    path = "/api/v1/namespaces/default/serviceaccounts/robot/token"
    async with cluster.client(cluster.tokens.admin) as client:
        url = f"{cluster.embedded.served.url}{path}"
        answer = await client.post(url, json={"spec": {}})
    async with cluster.client(answer.json()["status"]["token"]) as client:
        response = await client.get("beginning")
    assert response.status_code == 403
    assert "robot" in response.json()["message"]


@live
async def test_steps_come_as_things_happen(cluster: Running) -> None:
    async with cluster.client(cluster.tokens.reader) as client:
        begun = (await client.get("beginning")).json()
        changes = client.stream("GET", f"changes?after={begun['number']}")
        async with changes as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            lines = stream.aiter_lines()
            assert await anext(lines) == ":"
            await cluster.apply(pod("web", HOSTILE))
            steps: list[dict[str, Any]] = []
            while not any(
                entry["type"] == "PodRunning" for step in steps for entry in step["entries"]
            ):
                line = await anext(lines)
                if line.startswith("data: "):
                    steps.append(httpx.Response(200, content=line[6:]).json())
        now = (await client.get("beginning")).json()
    assert folded(begun, steps) == shown(now)
    assert [one["state"] for one in now["pods"]] == ["running"]


@live
async def test_who_comes_late_learns_what_events_tell(cluster: Running) -> None:
    await cluster.apply(pod("web"), pod("huge", cpu="99"))
    async with cluster.client(cluster.tokens.reader) as client:
        view = (await client.get("beginning")).json()
    told = {(one["name"], one["type"]): one["text"] for one in view["entries"]}
    assert "Successfully assigned default/web" in told["web", "Scheduled"]
    assert told["huge", "FailedScheduling"].startswith("pod huge: FailedScheduling: 0/2 nodes")
    assert {one["name"]: one["queue"] for one in view["pods"]} == {
        "web": "",
        "huge": "unschedulable",
    }


@live
async def test_an_unknown_step_is_begun_again_from(cluster: Running) -> None:
    async with cluster.client(cluster.tokens.reader) as client:
        response = await client.get("changes?after=12345")
        assert response.text == ":\n\nevent: again\ndata: {}\n\n"
        for wrong in ("-1", "x", "9" * 40, ""):
            assert (await client.get(f"changes?after={wrong}")).status_code == 400


@live
async def test_names_are_told_as_they_are(cluster: Running) -> None:
    async with cluster.client(cluster.tokens.reader) as client:
        await client.get("beginning")
        await cluster.apply(pod("web", HOSTILE))
        await client.get("beginning")
        response = await client.get("pods/default/web")
        gone = await client.get("pods/default/<b>")
    assert response.headers["content-type"] == "application/json"
    assert HOSTILE.encode() not in response.content
    page = response.json()
    assert "onerror" in page["manifest"]
    assert [one["type"] for one in page["history"]][:2] == ["PodCreated", "PodBound"]
    assert gone.status_code == 404
    assert gone.headers["content-type"] == "application/json"


@live
async def test_every_answer_is_guarded(cluster: Running) -> None:
    for path in ("/", "/assets/nothing.js", "/assets/..%2fapp.py", "/api/beginning"):
        async with cluster.client("") as client:
            response = await client.get(f"{cluster.embedded.served.url}{PREFIX}{path}")
        policy = response.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'")
        assert "unsafe" not in policy
        assert "class DashboardApp" not in response.text
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"


@live
async def test_a_pods_page_has_the_whole_decision(cluster: Running) -> None:
    await cluster.apply(pod("web"), pod("huge", cpu="99"))
    async with cluster.client(cluster.tokens.reader) as client:
        bound = (await client.get("pods/default/web")).json()
        waiting = (await client.get("pods/default/huge")).json()
    assert bound["explanation"]["title"] == "Podium explain default/web"
    tables = [
        block
        for section in waiting["explanation"]["sections"]
        for block in section["blocks"]
        if "rows" in block
    ]
    first, *_, each = (table["rows"] for table in tables)
    assert first[0][0] == "request at most 4 CPU (no node has more than 4 CPU)"
    assert [row[0] for row in each] == ["podium-1", "podium-2"]
    assert waiting["problem"] == ""
    assert "the state has no" not in json.dumps(waiting)
    # Everybody sees the cluster as it was.
    assert len(cluster.inside.list("Pod", None)) == 2


@live
async def test_a_preemptors_page_keeps_what_was_weighed(cluster: Running) -> None:
    urgent = pod("urgent", cpu="3", priorityClassName="high")
    await cluster.apply(
        priority_class("high", 1000), *(pod(f"low-{number}", cpu="3") for number in (1, 2))
    )
    await cluster.apply(urgent)
    async with cluster.client(cluster.tokens.reader) as client:
        preemptor = (await client.get("pods/default/urgent")).json()["preemption"]
        other = (await client.get("pods/default/low-2")).json()
    assert preemptor["headline"] == "urgent took podium-1 of 2 candidates."
    chosen, lost = preemptor["sections"][0]["blocks"][0]["rows"]
    assert [cell if isinstance(cell, str) else cell["text"] for cell in chosen] == [
        *("podium-1", "default/low-1", "0", "chosen")
    ]
    assert lost == ["podium-2", "1", "0", "tied; the chosen node's name is smaller"]
    assert other["preemption"] is None


@live
async def test_a_victim_is_told_of_though_no_page_was_open(cluster: Running) -> None:
    owner = workload("Deployment", "low", "3", replicas=2)
    await cluster.apply(
        priority_class("high", 1000), owner, budget("low", status=None, minAvailable=1)
    )
    await cluster.apply(pod("urgent", cpu="3", priorityClassName="high"))
    await cluster.embedded.clock.advance(60)
    async with cluster.client(cluster.tokens.reader) as client:
        begun = (await client.get("beginning")).json()
        (lost,) = (await client.get("disruptions?before=2")).json()
        victim = (await client.get(f"pods/default/{lost['pod']['name']}")).json()
        gone = await client.get("pods/default/unheard-of")
        steps = client.stream("GET", f"changes?after={begun['number']}")
        async with steps as stream:
            await cluster.apply(pod("first", cpu="3", priorityClassName="high"))
            async for line in stream.aiter_lines():
                step = json.loads(line[6:]) if line.startswith("data: ") else {}
                if found := step.get("disruptions"):
                    break
        wrong = await client.get("disruptions?before=x")
    assert (begun["disruptions"], lost["number"], lost["cause"]) == (1, 1, "Preempted")
    assert lost["preemptor"] == "default/urgent"
    assert lost["pod"]["owner"] == "Deployment/low"
    assert [(one["name"], one["allowed"]) for one in lost["budgets"]] == [("low", 1)]
    assert lost["replacement"].startswith("default/low-")
    assert victim["preemption"]["headline"].startswith("urgent took podium-")
    assert (victim["manifest"], victim["explanation"], victim["problem"]) == ("", None, "")
    assert gone.status_code == 404
    assert (found[0]["number"], found[0]["preemptor"]) == (2, "default/first")
    assert wrong.status_code == 400


def test_a_preemption_at_the_very_start_is_noted() -> None:
    async def run() -> dict[str, Any]:
        low = [pod(f"low-{number}", cpu="3", nodeName=f"podium-{number}") for number in (1, 2)]
        urgent = pod("urgent", cpu="3", priorityClassName="high")
        async with (
            running(None, priority_class("high", 1000), *low, urgent) as cluster,
            cluster.client(cluster.tokens.reader) as client,
        ):
            view: dict[str, Any] = (await client.get("beginning")).json()
            return view

    view = asyncio.run(run())
    assert view["disruptions"] == 1


def test_disruptions_survive_a_restart(tmp_path: Path) -> None:
    async def run(disrupted: int) -> dict[str, Any]:
        async with running(data_dir=tmp_path) as cluster:
            if not disrupted:
                high, low = priority_class("high", 1000), pod("low", cpu="3")
                await cluster.apply(high, low, pod("other", cpu="3"))
                await cluster.apply(pod("urgent", cpu="3", priorityClassName="high"))
                await cluster.embedded.clock.advance(60)
            async with cluster.client(cluster.tokens.reader) as client:
                view = (await client.get("beginning")).json()
                (lost,) = (await client.get("disruptions?before=9")).json()
                page = (await client.get(f"pods/default/{lost['pod']['name']}")).json()
        assert view["disruptions"] == 1
        assert page["preemption"]["headline"].startswith("urgent took")
        return lost

    first, second = (asyncio.run(run(disrupted)) for disrupted in (0, 1))
    assert first == second


@live
async def test_manifests_are_tried_out_and_applied(cluster: Running) -> None:
    manifests = json.dumps(pod("web")) + "\n---\n" + json.dumps(pod("huge", cpu="99"))
    async with cluster.client(cluster.tokens.reader) as client:
        tried = (await client.post("plan", content=manifests)).json()
        refused = await client.post("apply", content=manifests)
    assert tried["presentation"]["headline"]
    assert "huge" in json.dumps(tried["presentation"])
    assert refused.status_code == 403
    assert "podium-reader" in refused.json()["message"]
    assert cluster.inside.list("Pod", None) == []
    async with cluster.client(cluster.tokens.admin) as client:
        first = (await client.post("apply", content=manifests)).json()
        changed = manifests.replace('"says": ""', '"says": "more"', 1) + "\n---\n"
        wrong = json.dumps({**pod("worse"), "spec": {"containers": []}})
        again = (await client.post("apply", content=changed + wrong)).json()
    assert [one["result"] for one in first] == ["created", "created"]
    assert [one["result"] for one in again] == ["configured", "unchanged", ""]
    assert again[2]["object"] == "Pod default/worse"
    assert "spec.containers: Required value" in again[2]["problem"]


@live
async def test_options_of_plans_are_a_form_of_those_that_need_nothing_here(
    cluster: Running,
) -> None:
    async with cluster.client(cluster.tokens.reader) as client:
        form = (await client.get("plan")).json()
        options = form["properties"]
        assert options["seeds"]["description"].startswith("Number of simulations")
        assert {"drain", "scale", "until", "repair"} <= options.keys()
        # Files of the server's, its processes and its code are nothing for a browser.
        assert not {"apply", "plugin", "scheduler_config", "gates", "workers"} & options.keys()
        assert "FILE" not in json.dumps(form)
        asked = {"drain": ["podium-1", "podium-2"], "until": "30s", "repair": "true"}
        tried = await client.post("plan", params=asked)
        assert "podium-2" in json.dumps(tried.json()["presentation"])
        for name, value, message in (
            ("seeds", "x", "seeds: must be a whole number, but is 'x'"),
            ("seeds", "0", "seeds: must be at least 1, but is 0"),
            ("until", "x", "until x: must be a duration such as 90s or 10m"),
            ("plugin", "a.py:A", "plugin: unknown; arguments are "),
        ):
            refused = await client.post("plan", params={name: value})
            assert refused.status_code == 400
            assert refused.json()["message"].startswith(message)


@pytest.mark.parametrize("question", QUESTIONS.values())
def test_no_option_that_names_files_is_for_browsers(question: str) -> None:
    module, _, kind = question.partition(":")
    asked = getattr(import_module(f"podium.ui.commands.{module}"), kind)
    for name, (_, option) in arguments_of(asked, Reach.EVERYWHERE).items():
        assert not re.search("FILE|DIR|CHART", option.metavar or ""), name


@live
async def test_what_is_wrong_with_manifests_is_told(cluster: Running) -> None:
    async with cluster.client(cluster.tokens.admin) as client:
        for path in ("plan", "apply"):
            response = await client.post(path, content="kind: Pod\nspec: {contaners: []}")
            assert response.status_code == 400
            assert response.json()["message"].startswith("manifests, document 1 (line 1): Pod")
        assert (await client.post("plan", content="")).status_code == 400
        many = workload("Deployment", "many", replicas=100_000)
        response = await client.post("plan", json=many)
        assert "100000 new pods" in response.json()["message"]


@live
async def test_a_nodes_page_has_its_signals(cluster: Running) -> None:
    usage = {"podium.dev/usage-memory": "2Gi"}
    await cluster.apply(objects.pod("hungry", "100m", on="podium-1", annotations=usage))
    async with cluster.client(cluster.tokens.reader) as client:
        used = (await client.get("nodes/podium-1")).json()
        idle = (await client.get("nodes/podium-2")).json()
    memory = {"signal": "memory.available", "threshold": "100Mi", "kind": "hard"}
    assert {**memory, "available": ""} in idle["signals"]
    assert {**memory, "available": "14Gi"} in used["signals"]
    assert "kind: Node" in used["manifest"]


def test_nothing_is_worked_out_for_who_has_hung_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def endless(_: Pages, *_names: str) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    begun, ended = asyncio.Event(), asyncio.Event()
    monkeypatch.setattr(Pages, "pod_page", endless)

    async def check(cluster: Running) -> None:
        async with cluster.client(cluster.tokens.reader) as client:
            asking = asyncio.create_task(client.get("pods/default/web"))
            await begun.wait()
            asking.cancel()
            await ended.wait()

    live(check)()
