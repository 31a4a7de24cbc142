"""Real nodes of an embedded cluster: registration, pressure, beginnings and ends."""

import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from podium import Cluster
from podium.api.values.quantity import value
from tests.cluster.embedded.client import Client
from tests.kubelet.real.host import machines
from tests.kubelet.real.host.test_pods import is_alive


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=0, speed="1x") as running:
        yield running


def test_a_node_tells_what_it_has(cluster: Cluster, tmp_path: Path) -> None:
    config = tmp_path / "kubelet.yaml"
    config.write_text(
        "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
        "maxPods: 7\nsystemReserved: {memory: 100Mi}\n"
    )
    options = ("--kube-reserved", "cpu=100m,memory=50Mi", "--eviction-hard", "memory.available<1Mi")
    options += ("--config", str(config), "--node-labels", "disk=ssd")
    with machines.joined(cluster, "told", tmp_path / "root", *options):
        node = cluster.get("Node", "told", "")
        capacity, allocatable = node["status"]["capacity"], node["status"]["allocatable"]
        assert value(capacity["memory"]) - value(allocatable["memory"]) == 151 * machines.MI
        assert capacity["pods"] == allocatable["pods"] == "7"
        assert node["metadata"]["labels"]["disk"] == "ssd"
        assert node["metadata"]["labels"]["kubernetes.io/hostname"] == "told"
        lease = machines.until(
            lambda: [one for one in cluster.list("Lease") if one["metadata"]["name"] == "told"]
        )
        assert lease[0]["spec"]["holderIdentity"] == "told"
        # It is one that the scheduler may use.
        cluster.apply(
            {
                **machines.pod("placed", "", "sleep 60"),
                "spec": {**machines.pod("placed", "", "sleep 60")["spec"], "nodeName": None},
            }
        )
        machines.until(lambda: cluster.get("Pod", "placed")["status"].get("phase") == "Running")
    assert not machines.is_ready(cluster, "told")


def test_whoever_eats_all_memory_is_evicted(cluster: Cluster, tmp_path: Path) -> None:
    threshold = machines.available_bytes() - 200 * machines.MI
    options = ("--eviction-hard", f"memory.available<{threshold}")
    with machines.joined(cluster, "full", tmp_path, *options) as machine:
        # Modest enough to be taken, should somebody else use much memory just now.
        requests = {"resources": {"requests": {"memory": "20Mi"}}}
        machine.run("hog", "python3", "-c", machines.hog(500 * machines.MI), container=requests)
        machine.wait("hog", lambda status: status.get("phase") == "Failed")
        status = machine.status("hog")
        assert status["reason"] == "Evicted"
        assert status["message"].startswith("The node was low on resource: memory. Threshold")
        assert "Container c was using" in status["message"]
        disruption = machines.condition(cluster.get("Pod", "hog"), "DisruptionTarget")
        assert disruption == "True"
        machines.until(
            lambda: machines.condition(cluster.get("Node", "full", ""), "MemoryPressure") == "True"
        )
        taint = "node.kubernetes.io/memory-pressure"
        machines.until(
            lambda: (
                taint
                in {t["key"] for t in cluster.get("Node", "full", "")["spec"].get("taints") or ()}
            )
        )
        # Nobody comes who requests nothing.
        machine.run("late", "true")
        machine.wait("late", lambda status: status.get("phase") == "Failed")
        assert "MemoryPressure" in machine.status("late")["message"]


def test_an_agent_that_is_asked_to_end_takes_its_pods_along(
    cluster: Cluster, tmp_path: Path
) -> None:
    with machines.joined(cluster, "ends", tmp_path / "root") as machine:
        pid = tmp_path / "pid"
        machine.run("goes", f"echo $$$$ >{pid}; exec sleep 60")
        machines.until(lambda: pid.exists() and pid.read_text().strip())
        machine.process.send_signal(signal.SIGTERM)
        assert machine.process.wait(60) == 0
        assert not is_alive(int(pid.read_text()))
        status = machine.status("goes")
        assert (status["phase"], status["reason"]) == ("Failed", "Terminated")
        assert machines.condition(cluster.get("Node", "ends", ""), "Ready") == "False"


def test_an_agent_that_was_killed_begins_anew(cluster: Cluster, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with machines.joined(cluster, "again", tmp_path / "root") as machine:
        machine.run("stays", f"echo $$$$ >{pid}; exec sleep 60")
        machine.run("once", "exec sleep 60", restartPolicy="Never")
        machines.until(lambda: pid.exists() and pid.read_text().strip())
        machine.wait("stays", lambda status: status.get("phase") == "Running")
        machine.wait("once", lambda status: status.get("phase") == "Running")
        machine.process.kill()
        machine.process.wait()
    before = int(pid.read_text())
    pid.unlink()
    with machines.joined(cluster, "again", tmp_path / "root") as machine:
        machines.until(lambda: pid.exists() and pid.read_text().strip())
        assert not is_alive(before)
        machines.until(lambda: machine.container("stays").get("restartCount") == 1)
        machine.wait("once", lambda status: status.get("phase") == "Failed")
        ended = machine.container("once")["state"]["terminated"]
        assert ended["reason"] == "ContainerStatusUnknown"


def test_a_node_may_not_give_itself_any_label(cluster: Cluster, tmp_path: Path) -> None:
    with closing(Client(cluster.node_kubeconfig("liar"))) as node:
        metadata = {"name": "liar", "labels": {"node-restriction.kubernetes.io/zone": "a"}}
        body = {"apiVersion": "v1", "kind": "Node", "metadata": metadata}
        code, answer = node.ask("POST", "/api/v1/nodes", body)
        assert code == 403
        assert "is not allowed to set the following labels" in answer["message"]
