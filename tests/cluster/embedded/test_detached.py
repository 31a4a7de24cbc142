"""`podium up --detach` and `podium down`: clusters in the background."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from tests import objects
from tests.cluster.embedded.client import Client
from tests.processes import run_podium

Run = Callable[..., subprocess.CompletedProcess[str]]

PODS = "/api/v1/namespaces/default/pods"


@pytest.fixture
def podium(tmp_path: Path) -> Iterator[Run]:
    """Runs the command in a home of its own; nothing goes on after the test."""
    own = {"XDG_STATE_HOME": str(tmp_path / "state"), "KUBECONFIG": str(tmp_path / "config")}
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/opened\n')
    browser.chmod(0o700)
    own["BROWSER"] = str(browser)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return run_podium(*arguments, **own)

    yield run
    if (tmp_path / "state").exists():
        run("down")
    if (tmp_path / "kept").exists():
        run("down", "--data-dir", str(tmp_path / "kept"))


def pod(tmp_path: Path, namespace: str) -> str:
    path = tmp_path / "pod.json"
    path.write_text(json.dumps(objects.pod("web", namespace=namespace)))
    return str(path)


def test_it_runs_in_the_background_until_it_is_stopped(podium: Run, tmp_path: Path) -> None:
    news = ["--apply", pod(tmp_path, "default"), "--merge-kubeconfig", "--open"]
    started = podium("up", "--detach", "--port", "0", "--zones", "2", *news)
    assert (started.returncode, started.stderr) == (0, "")
    kubeconfig = tmp_path / "state" / "podium" / "up" / "kubeconfig"
    assert f"export KUBECONFIG={kubeconfig}" in started.stdout
    link = kubeconfig.with_name("dashboard")
    assert f"See it: {link.read_text()}" in started.stdout
    assert (tmp_path / "opened").read_text() == link.read_text()
    assert link.stat().st_mode & 0o077 == 0
    assert link.with_name("log").stat().st_mode & 0o777 == 0o600
    assert yaml.safe_load((tmp_path / "config").read_text())["current-context"] == "podium"
    with closing(Client(kubeconfig)) as client:
        assert client.ask("GET", f"{PODS}/web")[0] == 200
        nodes = client.ask("GET", "/api/v1/nodes")[1]["items"]
    zones = [node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in nodes]
    assert zones == ["zone-1", "zone-2", "zone-1"]

    again = podium("up", "--detach", "--port", "0")
    assert again.returncode == 1
    assert "is in use by process" in again.stderr

    stopped = podium("down")
    assert (stopped.returncode, stopped.stdout.endswith(" has stopped.\n")) == (0, True)
    assert not kubeconfig.exists()
    assert not link.exists()
    assert yaml.safe_load((tmp_path / "config").read_text())["contexts"] == []
    assert podium("down").stdout.startswith("No cluster runs in ")


def test_what_is_refused_is_an_error_and_nothing_runs(podium: Run, tmp_path: Path) -> None:
    refused = podium("up", "--detach", "--port", "0", "--apply", pod(tmp_path, "nowhere"))
    assert refused.returncode == 1
    assert 'Pod nowhere/web: namespaces "nowhere" not found' in refused.stderr
    assert "error: error:" not in refused.stderr
    assert podium("down").stdout.startswith("No cluster runs in ")


def test_waiting_ends_when_the_cluster_has_settled(podium: Run, tmp_path: Path) -> None:
    kept = str(tmp_path / "kept")
    options = ["--data-dir", kept, "--port", "0", "--speed", "max", "--wait", "1m"]
    started = podium("up", "--detach", *options, "--apply", pod(tmp_path, "default"))
    assert (started.returncode, started.stderr) == (0, "")
    assert f"podium down --data-dir {kept} stops it." in started.stdout
    with closing(Client(tmp_path / "kept" / "kubeconfig")) as client:
        assert client.ask("GET", f"{PODS}/web")[1]["status"]["phase"] == "Running"


def test_waiting_has_an_end(podium: Run) -> None:
    started = podium("up", "--detach", "--port", "0", "--wait", "100ms")
    assert started.returncode == 1
    assert "the cluster runs, but hasn't settled in time" in started.stderr
