"""`podium node` at the real API server, with the rights of a node and its agent's life."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.real.conftest import StartPodium
from tests.cluster.real.server import PATIENCE_S
from tests.cluster.real.world import PODS, World, until
from tests.processes import start_podium

NAME = "machine"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{NAME}"
SCRIPT = "trap 'echo good-bye; exit' TERM; echo one; echo two; echo three; sleep 600 & wait"
# A hard threshold would leave nothing to allocate.
EVICTS = ["--eviction-soft", "memory.available<1000Ti"]
EVICTS += ["--eviction-soft-grace-period", "memory.available=1s"]
NO_PREVIOUS = 'previous terminated container "c" in pod "long" not found'


@pytest.fixture
def node(
    request: pytest.FixtureRequest, world: World, tmp_path: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A node, with further options if the test has any."""
    options = ("--name", NAME, "--allow-root", "--root-dir", str(tmp_path / "root"), "--port", "0")
    options += ("--kubeconfig", str(world.plane.kubeconfig("nodetoken")))
    options += ("--client-ca-file", str(world.plane.kubelet_authority))
    options += tuple(getattr(request, "param", ()))
    process = start_podium(tmp_path / "node.log", "node", *options)
    yield process
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)


def phase(world: World, name: str) -> str:
    return str(((world.pod(name) or {}).get("status") or {}).get("phase"))


def says(world: World, condition: str, status: str) -> bool:
    """Whether the node is there, and says so of itself."""
    response = world.plane.request("GET", f"/api/v1/nodes/{NAME}")
    conditions = response.json()["status"].get("conditions", []) if response.is_success else []
    return any(one["type"] == condition and one["status"] == status for one in conditions)


def shell(name: str, script: str) -> dict:
    container = {"name": "c", "image": "none", "command": ["sh", "-c", script]}
    spec = {"containers": [container], "restartPolicy": "Never", "terminationGracePeriodSeconds": 5}
    return {"metadata": {"name": name}, "spec": spec}


def test_it_joins_runs_pods_and_leaves_with_the_rights_of_a_node(
    world: World, podium: StartPodium, node: subprocess.Popen[bytes]
) -> None:
    until(lambda: says(world, "Ready", "True"))
    until(lambda: world.plane.client.get(LEASE).is_success)
    assert world.plane.ask("GET", LEASE)["spec"]["holderIdentity"] == NAME
    podium("--no-leader-elect")
    for one in (shell("quick", "exit 0"), shell("wrong", "echo no; exit 3"), shell("long", SCRIPT)):
        world.plane.ask("POST", PODS, one)
    until(lambda: phase(world, "quick") == "Succeeded")
    until(lambda: phase(world, "wrong") == "Failed")
    until(lambda: phase(world, "long") == "Running")
    assert set(world.places().values()) == {NAME}
    assert world.plane.client.get(f"{PODS}/wrong/log").text == "no\n"
    log = f"{PODS}/long/log"
    with world.plane.client.stream("GET", f"{log}?follow=true&tailLines=2") as following:
        lines = following.iter_lines()
        assert [next(lines) for _ in range(2)] == ["two", "three"]
        assert world.plane.client.get(f"{log}?previous=true").json()["message"] == NO_PREVIOUS
        world.delete("long")
        assert next(lines) == "good-bye"
    until(lambda: world.pod("long") is None)
    node.send_signal(signal.SIGTERM)
    assert node.wait(PATIENCE_S) == 0
    assert says(world, "Ready", "False")


@pytest.mark.parametrize("node", [EVICTS], indirect=True, ids=["evicts"])
def test_under_pressure_it_evicts_with_the_rights_of_a_node(
    world: World, node: subprocess.Popen[bytes]
) -> None:
    until(lambda: says(world, "MemoryPressure", "True"))
    made = shell("greedy", "sleep 600")
    # A pod that requests nothing would be refused at once.
    made["spec"]["containers"][0]["resources"] = {"requests": {"memory": "1Mi"}}
    world.plane.ask("POST", PODS, {**made, "spec": {**made["spec"], "nodeName": NAME}})
    until(lambda: phase(world, "greedy") == "Failed")
    status = (world.pod("greedy") or {})["status"]
    assert status["reason"] == "Evicted"
    assert "low on resource: memory" in status["message"]
    found = {one["type"]: one.get("reason") for one in status["conditions"]}
    assert found["DisruptionTarget"] == "TerminationByKubelet"
    assert until(lambda: world.events("Evicted"))
    assert node.poll() is None
