"""The dashboard of `podium scheduler`, over an API server of another process's threads."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from podium import Cluster
from tests.cluster.real.embedded_server import EmbeddedServer
from tests.cluster.real.podium_process import PodiumScheduler
from tests.cluster.real.world import World, until
from tests.cluster.real.world import pod as asked_pod
from tests.objects import pod, priority_class, workload
from tests.ui.dashboard.folding import folded, shown

PATIENCE_S = 60.0


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=2, node_cpu="2", speed="1x", scheduler=False) as cluster:
        cluster.apply(priority_class("low", 10), priority_class("high", 1000))
        yield cluster


def link_of(scheduler: PodiumScheduler) -> str:
    scheduler.wait_for("serves metrics")
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s and scheduler.process.poll() is None:
        for line in scheduler.log.read_text().splitlines(keepends=True):
            if line.startswith("See it: ") and line.endswith("\n"):
                return line.removeprefix("See it: ").strip()
        time.sleep(0.05)
    raise AssertionError(scheduler.log.read_text())


def wait_for(client: httpx.Client, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The first view of which something holds."""
    until_s = time.monotonic() + PATIENCE_S
    while True:
        view: dict[str, Any] = client.get("beginning").json()
        if holds(view):
            return view
        assert time.monotonic() < until_s, view
        time.sleep(0.1)


def test_a_real_clusters_scheduler_shows_what_it_sees(cluster: Cluster, tmp_path: Path) -> None:
    cluster.apply(workload("Deployment", "large", "100", replicas=2))
    cluster.apply(*(pod(f"low-{number}", "1500m", priorityClassName="low") for number in (1, 2, 3)))
    options = ("--no-leader-elect", "--dashboard-port", "0")
    with PodiumScheduler(cluster.kubeconfig, tmp_path / "log", options) as scheduler:
        # A preemption that no page sees.
        cluster.wait_for(lambda: sum("nodeName" in one["spec"] for one in cluster.pods()) == 2)
        cluster.apply(pod("high-0", "1500m", priorityClassName="high"))
        cluster.wait_for(lambda: "nodeName" in cluster.get("Pod", "high-0")["spec"])
        with client_of(link_of(scheduler)) as client:
            begun = wait_for(
                client, lambda view: any(one["queue"] == "unschedulable" for one in view["pods"])
            )
            cluster.apply(pod("high-1", "1500m", priorityClassName="high"))
            now = wait_for(
                client,
                lambda view: any(one["name"] == "high-1" and one["node"] for one in view["pods"]),
            )
            lost, second = client.get("disruptions?before=3").json()
            victim = client.get(f"pods/default/{lost['pod']['name']}").json()
            waiting = next(one["name"] for one in now["pods"] if one["queue"] == "unschedulable")
            page = client.get(f"pods/default/{waiting}").json()
            used, node_page = client.get("usage").json(), client.get("nodes/podium-1").json()
            tried = client.post("plan", json=pod("what-if", "100")).json()
            refused = client.post("apply", json=pod("what-if"))
            steps = steps_up_to(client, begun["number"], now["number"])
        assert scheduler.end() == 0
    assert (begun["live"], begun["canPlan"], begun["canApply"]) == (True, True, False)
    assert {one["name"]: one["value"] for one in begun["priorityClasses"]}["low"] == 10
    assert folded(begun, steps) == shown(now)
    types = {entry["type"] for step in steps for entry in step["entries"]}
    assert {"PodCreated", "PodBound", "PodTerminating"} <= types
    assert page["problem"] == ""
    # From the API server, which serves metrics.k8s.io.
    assert used["nodes"] == ["podium-1", "podium-2"]
    # The same reading, which is fresh.
    assert node_page["usage"][""] == {"cpu": used["cpu"][0], "memory": used["memory"][0]}
    assert [one["preemptor"] for one in (lost, second)] == ["default/high-0", "default/high-1"]
    assert (lost["preemptorPriority"], lost["preemptorRequests"]) == (1000, {"cpu": 1500})
    assert (lost["cause"], begun["disruptions"], victim["history"]) == ("Preempted", 1, [])
    assert victim["preemption"]["headline"].startswith("high-0 took")
    assert "Nodes that don't fit" in json.dumps(page["explanation"])
    assert "what-if" in json.dumps(tried["presentation"])
    # A scheduler sees no Deployments, but their ReplicaSets.
    (large,) = begun["workloads"]
    assert (large["kind"], large["desired"], large["pending"]) == ("Deployment", 2, 2)
    assert refused.status_code == 405


def test_the_preemptor_that_another_process_decided_about_is_named(tmp_path: Path) -> None:
    config = tmp_path / "other.yaml"
    config.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles: [{schedulerName: other}]\n"
    )
    server = EmbeddedServer(tmp_path)
    with closing(server):
        server.start()
        world, kubeconfig = World(server), tmp_path / "data/kubeconfig"
        alone = ("--no-leader-elect",)
        with (
            PodiumScheduler(kubeconfig, tmp_path / "other", (*alone, "--config", str(config))),
            PodiumScheduler(kubeconfig, tmp_path / "log", (*alone, "--dashboard-port=0")) as shown,
        ):
            links = [link_of(shown), (tmp_path / "data/dashboard").read_text().strip()]
            world.node("a", cpu="2")
            world.priority("high", 1000)
            for link in links:
                with client_of(link) as client:
                    until(lambda client=client: client.get("beginning").json()["nodes"])
            for name, more in (("low-1", {}), ("vip-1", {"priorityClassName": "high"})):
                world.create(asked_pod(name, cpu="2", schedulerName="other", **more))
                world.wait_bound(name)
            for link in links:
                with client_of(link) as client:
                    (lost,) = until(
                        lambda client=client: [
                            one
                            for one in client.get("disruptions?before=9").json()
                            if one["preemptor"]
                        ]
                    )
                    victim = client.get("pods/default/low-1").json()
                assert (lost["preemptor"], lost["preemptorPriority"]) == ("default/vip-1", 1000)
                assert lost["preemptorRequests"] == {"cpu": 2000}
                assert victim["preemption"]["headline"] == "vip-1 took a, the only candidate."


def client_of(link: str) -> httpx.Client:
    url, _, token = link.partition("#token=")
    return httpx.Client(
        base_url=f"{url}api/",
        headers={"authorization": f"Bearer {token}"},
        timeout=PATIENCE_S,
        trust_env=False,
        verify=False,
    )


def steps_up_to(client: httpx.Client, after: int, last: int) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    with client.stream("GET", f"changes?after={after}") as stream:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                steps.append(json.loads(line.removeprefix("data: ")))
                if steps[-1]["number"] == last:
                    break
    return steps
