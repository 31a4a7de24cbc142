"""`podium node` at the real API server, with the rights of a node and its agent's life."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.conftest import StartPodium
from tests.real.control_plane import PATIENCE_S
from tests.real.world import PODS, World, until

NAME = "machine"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{NAME}"
SCRIPT = "trap 'echo good-bye; exit' TERM; echo one; echo two; echo three; sleep 600 & wait"
NO_PREVIOUS = 'previous terminated container "c" in pod "long" not found'


@pytest.fixture
def node(world: World, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "podium", "node", "--name", NAME, "--allow-root"]
    command += ["--kubeconfig", str(world.plane.kubeconfig("nodetoken"))]
    command += ["--root-dir", str(tmp_path / "root"), "--port", "0"]
    command += ["--client-ca-file", str(world.plane.kubelet_authority)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with (tmp_path / "node.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    yield process
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)


def phase(world: World, name: str) -> str:
    return str(((world.pod(name) or {}).get("status") or {}).get("phase"))


def shell(name: str, script: str) -> dict:
    container = {"name": "c", "image": "none", "command": ["sh", "-c", script]}
    spec = {"containers": [container], "restartPolicy": "Never", "terminationGracePeriodSeconds": 5}
    return {"metadata": {"name": name}, "spec": spec}


def test_it_joins_runs_pods_and_leaves_with_the_rights_of_a_node(
    world: World, podium: StartPodium, node: subprocess.Popen[bytes]
) -> None:
    def is_ready(status: str) -> bool:
        response = world.plane.client.get(f"/api/v1/nodes/{NAME}")
        conditions = response.json()["status"].get("conditions", []) if response.is_success else []
        return any(one["type"] == "Ready" and one["status"] == status for one in conditions)

    until(lambda: is_ready("True"))
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
    assert is_ready("False")
