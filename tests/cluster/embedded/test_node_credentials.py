"""Kubeconfigs of nodes: for one node of a cluster that runs."""

from contextlib import closing
from pathlib import Path

import pytest

from podium import Cluster
from podium.api.errors import PodiumError
from podium.cluster.embedded.kubeconfig import write_node_kubeconfig
from tests.cluster.embedded.client import Client
from tests.processes import run_podium

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker-1"}}


def test_a_node_comes_in_as_itself() -> None:
    with Cluster(nodes=1) as cluster:
        path = cluster.node_kubeconfig("worker-1")
        assert path.stat().st_mode & 0o777 == 0o600
        with closing(Client(path)) as node:
            assert node.ask("POST", "/api/v1/nodes", NODE)[0] == 201
            assert node.ask("GET", "/api/v1/nodes/worker-1")[0] == 200
            assert node.ask("GET", "/api/v1/nodes/podium-1")[0] == 403
            assert node.ask("GET", "/api/v1/secrets")[0] == 403


def test_the_command_says_where_it_is(tmp_path: Path) -> None:
    output = tmp_path / "kubeconfig"
    with Cluster(nodes=0, data_dir=tmp_path / "data") as cluster:
        options = ("--data-dir", str(tmp_path / "data"), "--output", str(output))
        done = run_podium("node-token", "worker-1", *options)
        assert done.stdout == f"{output}\n"
        assert output.read_bytes() == cluster.node_kubeconfig("worker-1").read_bytes()


@pytest.mark.parametrize("name", ["", "../admin", "A", "a/b"])
def test_a_name_that_is_none_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(PodiumError, match="is no name of a node"):
        write_node_kubeconfig(tmp_path, name)


def test_without_a_cluster_there_is_nothing_to_join(tmp_path: Path) -> None:
    with pytest.raises(PodiumError, match="no cluster runs there"):
        write_node_kubeconfig(tmp_path, "worker-1")
