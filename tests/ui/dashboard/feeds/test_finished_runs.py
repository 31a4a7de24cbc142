"""Runs that are over: all their steps, and their decisions once more."""

import asyncio
import json
import signal
import subprocess
import sys
from socket import socket
from typing import Any

import httpx
import pytest
from msgspec.json import decode

from podium.cluster.manifests.manifest_sources import read_sources
from podium.cluster.virtual import Cluster
from podium.simulation.runner.scenario_runner import simulate
from podium.simulation.scenario.scenario_document import read_scenario
from podium.simulation.timeline.observer import Observer
from podium.ui.dashboard.feeds.feed import LiveFeed, RecordedFeed, event_stream
from podium.ui.dashboard.feeds.finished_runs import (
    FinishedRun,
    RunIsOverError,
    simulation_explainer,
)
from podium.ui.dashboard.feeds.run_recorder import RunRecorder
from podium.ui.dashboard.feeds.store_source import StoreSource
from podium.ui.dashboard.views import Abilities
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.cluster.virtual.busy_cluster import BusyCluster
from tests.conftest import ROOT
from tests.device_objects import DRIVER
from tests.ui.dashboard.folding import folded, read, shown

EXAMPLES = ROOT / "examples"
SCENARIO = EXAMPLES / "scenarios/proposal-1.yaml"


def view_of(cluster: Cluster) -> dict[str, Any]:
    """What a live dashboard would show."""

    async def look() -> dict[str, Any]:
        feed = LiveFeed(StoreSource(cluster, []), Abilities("now"))
        view = read(await feed.beginning())
        feed.close()
        return view

    return asyncio.run(look())


def all_of(feed: RecordedFeed) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    view = read(asyncio.run(feed.beginning()))
    return view, [json.loads(one) for one in feed.after(view["number"]) or ()]


def test_a_simulation_as_steps() -> None:
    scenario = read_scenario(str(SCENARIO), SCENARIO.read_text())
    recorders: list[RunRecorder] = []
    ended = simulate(scenario, prepare=lambda cluster: recorders.append(RunRecorder(cluster)))
    view, steps = all_of(recorders[0].finished("proposal", ended.entries))
    assert folded(view, steps) == shown(view_of(ended.cluster))
    assert not view["live"]
    assert view["title"] == "proposal"
    assert [step["atS"] for step in steps] == [10.0, 40.0, 70.0, 72.0]
    preempted = {pod["name"] for pod in steps[0]["pods"] if pod["state"] == "terminating"}
    assert preempted == {"a", "b"}
    assert {pod["name"]: pod["nominatedNode"] for pod in steps[0]["pods"]}["c"] == "node-1"
    entries = [entry for step in steps for entry in step["entries"]]
    assert [entry["atS"] for entry in entries] == sorted(entry["atS"] for entry in entries)
    assert {"Preempted", "PodBound", "AssertionPassed"} <= {entry["type"] for entry in entries}
    assert view["disruptions"] == 2
    objects = recorders[0].objects
    told = [decode(one) for one in objects.disruptions.before(view["disruptions"] + 1)]
    assert [(one["pod"]["name"], one["preemptor"]) for one in told] == [
        ("a", "default/c"),
        ("b", "default/c"),
    ]
    assert {one["atS"] - objects.start_s for one in told} == {10.0}


def test_many_steps_are_made_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []
    for per_level in (5_000, 1):
        monkeypatch.setattr("podium.ui.dashboard.feeds.run_recorder.STEPS_PER_LEVEL", per_level)
        busy = BusyCluster(1, round_s=60.0)
        recorder = RunRecorder(busy.cluster)
        busy.play(2)
        view, steps = all_of(recorder.finished("busy", ()))
        assert folded(view, steps) == shown(view_of(busy.cluster))
        assert busy.cluster.driver.hooks == []
        counts.append(len(steps))
    assert counts[0] > counts[1] > 3


@pytest.mark.parametrize(
    ("example", "changed"), [("proposal-1", "waiting.yaml"), ("devices", "web.yaml")]
)
def test_a_plan_as_steps(example: str, changed: str) -> None:
    state = [one.obj for one in read_sources([str(EXAMPLES / example / "state")]).objects]
    waiting = str(EXAMPLES / example / changed)
    news = [one.obj for one in read_sources([waiting], is_applied=True).objects]
    begun: list[tuple[Cluster, Observer, RunRecorder]] = []
    found = plan(
        PlanRequest(state=LoadedState(state), changes=(Apply(tuple(news)),)),
        prepare=lambda cluster, observer: begun.append((cluster, observer, RunRecorder(cluster))),
    )
    ((cluster, observer, recorder),) = begun
    view, steps = all_of(recorder.finished("podium plan", observer.entries))
    assert folded(view, steps) == shown(view_of(cluster))
    assert {pod["name"] for pod in view["pods"]} == {
        one["metadata"]["name"] for one in state if one["kind"] == "Pod"
    }
    assert found.preemptions
    assert steps[0]["pods"]
    devices = {pod["node"]: pod["devices"] for pod in view["pods"] if "devices" in pod}
    has_devices = example == "devices"
    assert devices == {node: {DRIVER: 1} for node in ("node-1", "node-2") if has_devices}


def test_decisions_of_a_simulation_are_made_once_more() -> None:
    scenario = read_scenario(str(SCENARIO), SCENARIO.read_text())
    run = FinishedRun(simulation_explainer(scenario))
    told = run.explain("default/c")
    titles = [section["title"] for section in told["sections"]]
    assert [title for title in titles if title.startswith("Decision")] == [
        "Decision 1 of 3, t+10s",
        "Decision 2 of 3, t+40s",
        "Decision 3 of 3, t+70s",
    ]
    assert "node-1" in told["headline"]
    with pytest.raises(
        RunIsOverError, match="no scheduler of this run has decided about default/a"
    ):
        run.explain("default/a")
    with pytest.raises(RunIsOverError):
        run.attempt(b"", {})


def test_the_stream_of_a_run_ends() -> None:
    busy = BusyCluster(0, round_s=20.0)
    recorder = RunRecorder(busy.cluster)
    busy.play(1)
    feed = recorder.finished("busy", ())

    async def streamed() -> list[bytes]:
        return [piece async for piece in event_stream(feed, 0)]

    pieces = asyncio.run(streamed())
    assert pieces[-1].startswith(b"id: %d\n" % (len(pieces) - 1))


BEST_PRACTICE = ROOT / "examples/best-practice"


@pytest.mark.parametrize(
    ("command", "title", "pod", "kind"),
    [
        (["simulate", str(SCENARIO)], "podium simulate proposal-1", "c", "Simulation"),
        (
            ["plan", "-f", f"{BEST_PRACTICE}/state", "--apply", f"{BEST_PRACTICE}/orange.yaml"],
            "podium plan",
            "orange-4f5fcqqfhq-5pptf",
            "Plan",
        ),
    ],
    ids=["simulate", "plan"],
)
def test_a_run_is_served_until_ctrl_c(command: list[str], title: str, pod: str, kind: str) -> None:
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "podium", *command, "--serve", "--port", str(port), "-o", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        line = next(line for line in process.stderr if line.startswith("See it: "))
        url, _, token = line.removeprefix("See it: ").strip().partition("#token=")
        assert url == f"http://127.0.0.1:{port}/dashboard/"
        headers = {"authorization": f"Bearer {token}"}
        with httpx.Client(headers=headers, trust_env=False, timeout=60) as client:
            page = client.get(url)
            view = client.get(f"{url}api/beginning").json()
            explained = client.get(f"{url}api/pods/default/{pod}").json()
            lost = client.get(f"{url}api/disruptions?before={view['disruptions'] + 1}").json()
            victim = client.get(f"{url}api/pods/default/{lost[0]['pod']['name']}").json()
            refused = client.post(f"{url}api/apply", content="x")
        assert "<title>" in page.text
        assert (view["title"], view["live"]) == (title, False)
        assert view["summary"]["headline"]
        assert {one["owner"] for one in view["pods"] if one["owner"]} <= {
            f"{one['kind']}/{one['name']}" for one in view["workloads"]
        }
        assert explained["problem"] == ""
        assert {one["preemptor"] for one in lost} == {f"default/{pod}"}
        assert victim["preemption"] == explained["preemption"]
        assert explained["explanation"]["headline"]
        assert refused.status_code == 405
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate()
        assert (process.returncode, json.loads(out)["kind"]) == (0, kind)
    finally:
        process.kill()
        process.wait()
