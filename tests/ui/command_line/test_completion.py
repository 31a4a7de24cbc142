"""What a shell is offered at a TAB."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from podium import Cluster
from podium.ui.command_line import main
from podium.ui.command_line.options import completion
from tests.objects import node, pod

Complete = Callable[..., list[str]]


@pytest.fixture
def complete(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Complete:
    """What bash is offered in place of the last word."""

    def offered(*words: str, **environment: str) -> list[str]:
        line = {"COMP_WORDS": " ".join(("podium", *words)), "COMP_CWORD": f"{len(words)}"}
        asked = {"_PODIUM_COMPLETE": "complete_bash", **line, **environment}
        with monkeypatch.context() as patch, suppress(SystemExit):
            for name, value in asked.items():
                patch.setenv(name, value)
            main.app(prog_name="podium")
        return capsys.readouterr().out.split()

    return offered


@pytest.fixture
def state(write) -> str:
    return write(
        "state.yaml",
        node("worker-1", "4"),
        node("worker-2", "4"),
        pod("web-1"),
        pod("web-2"),
        pod("search", namespace="shop"),
    )


def test_names_that_would_steer_the_terminal(complete: Complete, write) -> None:
    state = write("hostile.yaml", node("n\x9b2J\u202e"))
    assert complete("drain", "-f", state, "n") == [r"n\u009b2J\u202e"]


def test_commands_and_options(complete: Complete) -> None:
    assert complete("pl") == ["plan"]
    assert complete("help", "ex") == ["explain"]
    assert "--scheduler-config" in complete("plan", "--sch")


def test_names_in_the_state(complete: Complete, state: str) -> None:
    assert complete("explain", "-f", state, "w") == ["web-1", "web-2"]
    assert complete("explain", "-f", state, "s") == ["shop/search"]
    assert complete("explain", "-f", state, "-n", "shop", "s") == ["search"]
    assert complete("explain", "-f", state, "default/") == ["default/web-1", "default/web-2"]
    assert complete("explain", "-f", state, "--eviction", "w") == ["worker-1", "worker-2"]
    assert complete("plan", "-f", state, "--pressure", "w") == ["worker-1", "worker-2"]
    assert complete("plan", "-f", state, "-n", "") == ["default", "shop"]


def test_names_in_directories_of_json(complete: Complete, tmp_path: Path) -> None:
    items = [pod("a"), pod("b"), {"kind": "Namespace", "metadata": {"name": "empty"}}]
    (tmp_path / "all.json").write_text(json.dumps({"kind": "List", "items": items}))
    assert complete("explain", "-f", str(tmp_path), "") == ["a", "b"]
    assert complete("plan", "-f", str(tmp_path), "-n", "e") == ["empty"]


def test_contexts(complete: Complete, write) -> None:
    written = write("config", {"contexts": [{"name": "prod"}, {"name": "staging"}]})
    for where in ({"KUBECONFIG": f"/nowhere:{written}"}, {"HOME": os.path.dirname(written)}):
        if "HOME" in where:
            usual = Path(where["HOME"], ".kube", "config")
            usual.parent.mkdir()
            usual.write_text(Path(written).read_text())
            where["KUBECONFIG"] = ""
        assert complete("node", "--context", "", **where) == ["prod", "staging"]
    assert complete("node", "--kubeconfig", written, "--context", "p") == ["prod"]


def test_conditions(complete: Complete) -> None:
    assert complete("plan", "--fail-on", "p") == ["preemption", "pdb-violation", "pending"]
    assert complete("plan", "--fail-on", "pending,re") == [
        "pending,rejected",
        "pending,refused",
        "pending,ready<N%",
    ]


def test_names_in_the_running_cluster(
    complete: Complete, monkeypatch: pytest.MonkeyPatch, write
) -> None:
    monkeypatch.setattr(completion, "CLUSTER_S_MAX", 60.0)
    with Cluster(nodes=2) as cluster:
        cluster.apply(pod("web-1"))
        kubeconfig = str(cluster.kubeconfig)
        assert complete("plan", "--kubeconfig", kubeconfig, "--drain", "") == [
            "podium-1",
            "podium-2",
        ]
        assert complete("explain", "w", KUBECONFIG=kubeconfig) == ["web-1"]
        assert "kube-system" in complete("plan", "-n", "k", KUBECONFIG=kubeconfig)
        assert complete("plan", "--context", "", KUBECONFIG=kubeconfig) == ["podium"]
        state = write("state.yaml", node("other"))
        assert complete("plan", "-f", state, "--drain", "", KUBECONFIG=kubeconfig) == ["other"]
    assert complete("explain", "w", KUBECONFIG=kubeconfig) == []


@pytest.mark.parametrize("content", ["[", "a: [", '{"items": 3}', "- 1", "\0", ""])
@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_what_cannot_be_read_offers_nothing(
    complete: Complete, tmp_path: Path, content: str, suffix: str
) -> None:
    path = tmp_path / f"state.{suffix}"
    path.write_text(content)
    assert complete("explain", "-f", str(path), "") == []


def test_neither_pipes_nor_large_files_are_read(
    complete: Complete, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert complete("explain", "-f", str(tmp_path / "pipe"), "") == []
    monkeypatch.setattr(completion, "YAML_BYTES_MAX", 10)
    assert complete("explain", "-f", state, "") == []


def test_kubectl_is_told_in_its_own_way(
    state: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("_PODIUM_COMPLETE", "COMP_WORDS", "COMP_CWORD"):
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(sys, "argv", ["kubectl_complete-podium", "explain", "-f", state, "w"])
    main.kubectl_complete()
    assert capsys.readouterr().out == "web-1\nweb-2\n:4\n"
    monkeypatch.setattr(sys, "argv", ["kubectl_complete-podium", "plan", "-f", "sta"])
    main.kubectl_complete()
    assert capsys.readouterr().out == ":0\n"


def test_a_shell_reads_a_pipe() -> None:
    asked = {"COMP_WORDS": "podium pl", "COMP_CWORD": "1", "_PODIUM_COMPLETE": "complete_bash"}
    done = subprocess.run(
        [sys.executable, "-m", "podium"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("plan\n", "")
