"""`podium node`: what it refuses before it joins a cluster."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from podium.ui.command_line.main import app
from podium.ui.inputs import input_error


def refusal(*options: str) -> str:
    result = CliRunner().invoke(app, ["node", *options], terminal_width=200)
    assert result.exit_code == 1
    return result.stderr.strip().splitlines()[-1]


def test_root_has_to_insist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "refuses to run as root" in refusal()


def test_whoever_lacks_the_extra_is_told_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_error, "find_spec", lambda module: None if module == "aiohttp" else 1)
    why = "a node needs aiohttp: pip install 'podium[client]'"
    assert refusal("--allow-root").endswith(why)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--eviction-hard", "memory.available=1Gi"], "malformed pair, expect string<string"),
        (["--eviction-hard", "memory.free<1Gi"], "unsupported eviction signal memory.free"),
        (["--eviction-soft", "memory.available<1Gi"], "grace period must be specified"),
        (["--eviction-pressure-transition-period", "soon"], "evictionPressureTransitionPeriod"),
        (["--kube-reserved", "memory"], "malformed pair, expect string=string"),
        (["--config", "no-such-file"], "no-such-file: can't be read: No such file"),
        (["--name", "A_B"], "--name A_B: isn't a valid name of a node"),
        (["--kubeconfig", "no-such-file"], "no-such-file: No such file"),
    ],
)
def test_what_makes_no_sense_is_refused(options: list[str], why: str, tmp_path: Path) -> None:
    root = ["--allow-root", "--root-dir", str(tmp_path)]
    assert why in refusal(*root, *options)


def test_another_document_is_no_configuration(tmp_path: Path) -> None:
    path = tmp_path / "kubelet.yaml"
    path.write_text("apiVersion: v1\nkind: Pod\n")
    why = 'kubelet.yaml: kind: Unsupported value: "Pod": supported values: "KubeletConfiguration"'
    assert refusal("--allow-root", "--config", str(path)).endswith(why)


def test_all_that_is_wrong_with_a_configuration_is_told(tmp_path: Path) -> None:
    path = tmp_path / "kubelet.yaml"
    path.write_text(
        "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
        "maxPods: many\nevictionHard: [memory.available]\nsystemReserved: {cpu: x}\n"
    )
    result = CliRunner().invoke(app, ["node", "--allow-root", "--config", str(path)])
    lines = result.stderr.strip().splitlines()
    fields = [line.removeprefix(f"error: {path}: ").partition(":")[0] for line in lines]
    assert fields == ["evictionHard", "systemReserved.cpu", "maxPods"]
    assert lines[0].endswith("must be an object")


def test_thresholds_are_judged_field_by_field(tmp_path: Path) -> None:
    path = tmp_path / "kubelet.yaml"
    path.write_text("evictionHard: {a: 1%, b: 1%}\nevictionSoft: {memory.available: 1Gi}\n")
    result = CliRunner().invoke(app, ["node", "--allow-root", "--config", str(path)])
    lines = result.stderr.strip().splitlines()
    assert [line.split(": ")[2] for line in lines] == [
        "evictionHard",
        "evictionHard",
        "evictionSoft",
    ]
