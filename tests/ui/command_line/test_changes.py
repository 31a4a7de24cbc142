"""Changes on the command line: their order, nodes that are added, Kustomizations and charts."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from podium import Cluster
from podium.api.codec.yaml_text import write_yaml
from tests.objects import node, pod, workload


def report(result: Any) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture
def state(write) -> str:
    return write("state.yaml", node("n", labels={"shape": "odd"}), workload("Deployment", "web"))


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts programs of one's own, and no others, in the way of commands."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def make(name: str, script: str) -> None:
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    return make


@pytest.mark.skipif(not shutil.which("kubectl"), reason="no kubectl on the PATH")
def test_a_kustomization_is_applied(podium, tmp_path, state) -> None:
    folder = tmp_path / "overlay"
    folder.mkdir()
    (folder / "pod.yaml").write_text(write_yaml(pod("new")))
    (folder / "kustomization.yaml").write_text("resources: [pod.yaml]\nnamePrefix: my-\n")
    found = report(podium("plan", "-f", state, "-k", str(folder), "-o", "json"))
    assert "default/my-new" in [one["pod"] for one in found["placements"]]
    (folder / "pod.yaml").unlink()
    broken = podium("plan", "-f", state, "-k", str(folder))
    assert broken.exit_code == 1
    assert f"error: -k {folder}: " in broken.stderr


def test_kustomize_goes_before_kubectl(podium, program, write, state) -> None:
    path = Path(write("k.yaml", pod("new")))
    program("kustomize", f'while IFS= read -r line; do echo "$line"; done < {path}')
    found = report(podium("plan", "-f", state, "-k", "shop", "-o", "json"))
    assert "default/new" in [one["pod"] for one in found["placements"]]


def test_programs_that_are_missing_are_named(podium, program, state) -> None:
    assert program
    result = podium("plan", "-f", state, "-k", "shop", "--cordon", "n", "--helm", "chart")
    assert "error: -k shop: needs kustomize or kubectl, neither is installed" in result.stderr
    assert "error: --helm chart: needs helm, which isn't installed" in result.stderr
    for option in ("--values", "--set"):
        alone = podium("plan", "-f", state, option, "a=b")
        assert f"{option} needs --helm" in alone.stderr


def test_a_chart_is_applied_without_its_hooks(podium, program, write, state, tmp_path) -> None:
    hook = pod("test", metadata={"annotations": {"helm.sh/hook": "test"}})
    rendered = write("rendered.yaml", pod("new"), hook)
    said = tmp_path / "said"
    program(
        "helm", f'echo "$@" > {said}\nwhile IFS= read -r line; do echo "$line"; done < {rendered}'
    )
    found = report(
        podium(
            *("plan", "-f", state, "--helm", "v2=chart", "-n", "there", "-o", "json"),
            *("--values", "v.yaml", "--set", "a=b"),
        )
    )
    assert "default/new" in [one["pod"] for one in found["placements"]]
    assert not any("default/test" in one["pod"] for one in found["placements"])
    assert (
        "Helm runs these as hooks, so they are left out: Pod default/test (test)" in found["notes"]
    )
    assert said.read_text() == (
        "template --namespace there --include-crds --kube-version 1.36.2"
        " --values v.yaml --set a=b -- v2 chart\n"
    )


def test_a_chart_that_fails_or_is_empty_is_an_error(podium, program, state) -> None:
    program("helm", 'echo "Error: no such chart" >&2; exit 1')
    failed = podium("plan", "-f", state, "--helm", "chart")
    assert failed.stderr == "error: --helm chart: helm fails: Error: no such chart\n"
    program("helm", "exit 0")
    empty = podium("plan", "-f", state, "--helm", "chart")
    assert "error: --helm chart: there is nothing to apply in it" in empty.stderr


def test_the_namespace_is_that_of_the_context(podium, write, state) -> None:
    with Cluster(nodes=1) as cluster:
        config = yaml.safe_load(cluster.kubeconfig.read_text())
        config["contexts"][0]["context"]["namespace"] = "shop"
        kubeconfig = write("config", config)
        for given, place in (([], "shop"), (["-n", "other"], "other")):
            asked = ["plan", "--kubeconfig", kubeconfig, *given, "--scale", "deploy/none=2"]
            assert f"the state has no Deployment {place}/none" in podium(*asked).stderr
    of_file = podium("plan", "-f", state, "--scale", "deploy/none=2")
    assert "the state has no Deployment default/none" in of_file.stderr
