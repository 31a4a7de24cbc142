"""A cluster whose disk is full says so, writes nothing, and goes on once there is room."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.cluster.embedded.client import PATIENCE_S, Client, up
from tests.disks import fill_up, small_disk
from tests.objects import config_map, workload
from tests.processes import run_podium

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", "8m") as disk:
        yield disk


def test_it_goes_on_when_there_is_room_again(disk: Path) -> None:
    filler = disk / "filler"
    with up(disk / "data", "--nodes", "1") as process:
        with closing(Client(disk / "data" / "kubeconfig")) as client:
            assert client.text("/readyz") == "ok"
            fill_up(filler)
            large = config_map("a", text="x" * 400_000)
            while (answer := client.ask("POST", CONFIG_MAPS, large))[0] == 201:
                client.ask("DELETE", f"{CONFIG_MAPS}/a")
            code, status = answer
            assert (code, status["kind"], status["reason"]) == (500, "Status", "InternalError")
            assert "the disk of the data directory is full" in status["message"]
            assert "[-]journal failed: the disk is full" in client.text("/readyz")
            assert client.text("/livez") == "ok"
            filler.unlink()
            assert client.text("/readyz") == "ok"
            web = workload("Deployment", "web", replicas=2)
            assert client.ask("POST", DEPLOYMENTS, web)[0] == 201
            end_s = time.monotonic() + PATIENCE_S
            path = f"{DEPLOYMENTS}/web"
            while client.ask("GET", path)[1]["status"].get("readyReplicas") != 2:
                assert time.monotonic() < end_s
                time.sleep(0.1)
        assert process.poll() is None


def test_a_new_directory_on_a_full_disk(disk: Path) -> None:
    fill_up(disk / "filler")
    ended = run_podium("up", "--data-dir", str(disk / "new"), "--port", "0")
    assert ended.returncode == 1
    assert ended.stderr == f"error: {disk / 'new'}: No space left on device\n"
