"""`--plugin FILE:CLASS`: a plugin without a package."""

import json
from pathlib import Path

import pytest

from podium.scheduler import plugin_registry as profile
from podium.ui.command_line.processes.scheduler_launcher import read_configuration
from tests.objects import node, pod

CHEAP = """
from beside import PRICES
from podium.scheduler.framework.third_party_plugins import NodePlugin
from podium.scheduler.framework.status import SUCCESS, unschedulable


class CheapFirst(NodePlugin):
    name = "CheapFirst"

    def filter_node(self, pod, node):
        never = node.name in self.args.get("never", [])
        return unschedulable("too cheap") if never else SUCCESS

    def score_node(self, pod, node):
        return 100 - PRICES[node.name]


class Nameless:
    pass
"""
CONFIG = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {
            "plugins": {"multiPoint": {"enabled": [{"name": "CheapFirst", "weight": 9}]}},
            "pluginConfig": [{"name": "CheapFirst", "args": {"never": ["b"]}}],
        }
    ],
}


@pytest.fixture
def cheap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(profile, "_added", {})
    (tmp_path / "beside.py").write_text("PRICES = {'a': 90, 'b': 10, 'c': 50}")
    (tmp_path / "cheap.py").write_text(CHEAP)
    return f"{tmp_path}/cheap.py:CheapFirst"


@pytest.fixture
def cluster(write) -> list[str]:
    state = write("state.yaml", *(node(name) for name in "abc"))
    return ["-f", state, "--apply", write("pod.yaml", pod("web"))]


def placed(podium, *arguments: str) -> str:
    result = podium("plan", *arguments, "-o", "json")
    assert result.exit_code == 0, result.stderr
    (placement,) = json.loads(result.stdout)["placements"]
    return str(placement["node"])


def test_it_decides(podium, cheap: str, cluster: list[str]) -> None:
    assert placed(podium, *cluster) == "a"
    assert placed(podium, *cluster, "--plugin", cheap) == "b"
    told = podium("explain", *cluster, "--plugin", cheap, "web").stdout
    assert "CheapFirst" in told


def test_a_configuration_may_place_it(podium, cheap: str, cluster: list[str], write) -> None:
    config = write("config.yaml", CONFIG)
    assert placed(podium, *cluster, "--plugin", cheap, "--scheduler-config", config) == "c"


def test_a_simulation_tries_it_too(podium, cheap: str, write) -> None:
    objects = [*(node(name) for name in "abc"), pod("web")]
    spec = {"manifests": [write("all.yaml", *objects)], "until": "1s"}
    written = {"apiVersion": "podium.dev/v1alpha1", "kind": "Scenario", "spec": spec}
    for schedulers in ({}, {"schedulers": [{"features": {}}]}):
        scenario = write("scenario.yaml", {**written, "spec": {**spec, **schedulers}})
        assert "web is bound to a\n" in podium("simulate", scenario).stdout
        assert "web is bound to b\n" in podium("simulate", scenario, "--plugin", cheap).stdout


def test_a_scheduler_of_a_real_cluster_tries_it_too(cheap: str) -> None:
    (usual,) = read_configuration(None, {})[0].profiles
    (profile,) = read_configuration(None, {}, [cheap])[0].profiles
    assert "CheapFirst" not in str(usual.plugins)
    assert "CheapFirst" in str(profile.plugins)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((":CheapFirst", ""), "must be FILE:CLASS, such as ./cheap.py:CheapFirst"),
        (("cheap.py", "dear.py"), "dear.py: there is no such file"),
        ((":CheapFirst", ":Cheap"), "has no Cheap; its classes are CheapFirst, Nameless"),
        ((":CheapFirst", ":Nameless"), "isn't a plugin class with a name"),
        (("cheap.py", "broken.py"), "broken.py: line 2: ZeroDivisionError: division by zero"),
        (("cheap.py", "wrong.py"), "wrong.py: line 1: SyntaxError: "),
        (("cheap.py", "taken.py"), "plugin NodePorts: there is one of that name"),
    ],
)
def test_what_is_no_plugin_is_refused(
    podium, cheap: str, cluster: list[str], tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    (tmp_path / "broken.py").write_text("\n1 / 0")
    (tmp_path / "wrong.py").write_text("class (")
    (tmp_path / "taken.py").write_text("class CheapFirst:\n    name = 'NodePorts'\n")
    result = podium("plan", *cluster, "--plugin", cheap.replace(*change))
    assert result.exit_code == 1
    assert message in result.stderr.replace("\n", " ")
