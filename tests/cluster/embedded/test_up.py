"""`podium up` as a process: ready, stopped, taken up again, and what keeps it from starting."""

import signal
import socket
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from podium.ui.command_line.main import app
from tests.cluster.embedded.client import Client, up
from tests.conftest import ROOT

NODES = "/api/v1/nodes"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
STATE = str(ROOT / "examples/best-practice/state")
NEWS = str(ROOT / "examples/best-practice/orange.yaml")

MISSPELT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replica: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
"""


def run(*arguments: str) -> Any:
    """The command in this process: exit code, output, errors."""
    return CliRunner().invoke(app, ["up", *arguments])


@pytest.mark.parametrize(
    ("number", "anew"), [(signal.SIGINT, ["--nodes", "5"]), (signal.SIGHUP, [])]
)
def test_it_stops_soon_with_watches_open_and_comes_back(
    tmp_path: Path, number: signal.Signals, anew: list[str]
) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    with (
        up(tmp_path, "--nodes", "2", "--port", "0") as process,
        closing(Client(kubeconfig)) as client,
        closing(Client(kubeconfig)) as watcher,
    ):
        assert client.ask("POST", CONFIG_MAPS, {"metadata": {"name": "kept"}})[0] == 201
        watcher.open(f"{CONFIG_MAPS}?watch=true")
        in_use = run("--data-dir", str(tmp_path))
        assert in_use.exit_code == 1
        assert f"error: {tmp_path}: is in use by process {process.pid}" in in_use.stderr
        assert kubeconfig.exists()
        process.send_signal(number)
        # It doesn't wait for the watch to end, which would take minutes.
        assert process.wait(60) == 0
    assert not kubeconfig.exists()
    with up(tmp_path, *anew, "--port", "0") as process, closing(Client(kubeconfig)) as client:
        assert client.ask("GET", f"{CONFIG_MAPS}/kept")[0] == 200
        code, nodes = client.ask("GET", NODES)
        assert (code, len(nodes["items"])) == (200, 2), "what was there goes on"
        process.kill()
        assert process.stdout is not None
        # Only who says anew what is there is told.
        assert ("goes on as it was" in process.stdout.read()) == bool(anew)


def test_a_port_in_use_is_named() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        refused = run("--port", str(port), "--nodes", "0")
    assert refused.exit_code == 1
    assert f"error: port {port} of 127.0.0.1 is in use" in refused.stderr


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_bytes(b"nothing of ours" * 1000)
    refused = run("--data-dir", str(tmp_path))
    assert refused.exit_code == 1
    assert f"error: {tmp_path}/store.db: the journal is damaged" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--speed", "2x"), "--speed: 2x: must be one of 1x, 10x, max"),
        (("--controllers", "cron"), "there is no controller cron"),
        (("--node-cpu", "much"), '--node-cpu: Invalid value: "much"'),
        (("-f", "-", "--apply", "-"), "standard input (-) can be read only once"),
        (("--speed", "max", "--controllers", ""), "--speed max: needs node-lifecycle-controller"),
        (("--wait", "1m"), "--wait needs --detach"),
        (("--detach", "--exit-when-settled"), "exclude each other"),
        (("--detach", "--wait", "soon"), "--wait soon: must be a duration"),
    ],
)
def test_what_is_wrong_is_told(arguments: tuple[str, ...], why: str) -> None:
    refused = run(*arguments)
    assert refused.exit_code == 1
    assert why in refused.stderr


def test_a_stale_kubeconfig_goes_before_anything_else(tmp_path: Path) -> None:
    """A script that waits for the new one must not find that of a process that was killed."""
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text("of a killed process\n")
    assert run("--data-dir", str(tmp_path), "-f", str(tmp_path / "none.yaml")).exit_code == 1
    assert not kubeconfig.exists()


def test_what_the_api_refuses_is_named_and_ends_the_command(tmp_path: Path) -> None:
    news = tmp_path / "news.yaml"
    news.write_text(MISSPELT)
    refused = run("--nodes", "0", "--apply", str(news), "--port", "0", "--insecure-http")
    assert refused.exit_code == 1
    error = refused.stderr.replace("\n", " ")
    assert error.startswith(f"error: {news}, document 1 (line 1): Deployment default/web: ")
    assert ".spec.replica: unknown field; did you mean replicas?" in error
    assert "document 2" not in error


def test_it_stays_until_it_is_stopped_off_a_terminal_too(tmp_path: Path) -> None:
    news = tmp_path / "news.yaml"
    news.write_text("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n")
    options = ("--nodes", "0", "--port", "0", "--apply", str(news), "--speed", "10x")
    with up(tmp_path, *options) as process, closing(Client(tmp_path / "kubeconfig")) as client:
        assert client.ask("GET", "/api/v1/namespaces/shop")[0] == 200
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.5)


def test_a_story_is_told_to_its_end() -> None:
    files = ("-f", STATE, "--apply", NEWS, "--exit-when-settled")
    told = run(*files, "--speed", "max", "--port", "0", "--insecure-http")
    assert told.exit_code == 0, told.stderr
    lines = told.stdout.splitlines()
    assert lines[0].startswith("The cluster is ready at http://127.0.0.1:")
    assert any("pod green-5 is preempted by pod orange-" in line for line in lines)
    assert lines[-1].endswith("nodes 8  pending 0  running 31  preempted 1  evicted 0")
