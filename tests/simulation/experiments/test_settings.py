"""Settings reach a scenario, the manifests that it names, and its scheduler."""

from pathlib import Path

import pytest
import yaml

from podium.simulation.experiments.run import run
from podium.simulation.experiments.settings import (
    SettingError,
    SettingPlace,
    steps_of,
    with_settings,
)
from podium.simulation.experiments.whole_scenario import WholeScenario
from tests.objects import pod, priority_class
from tests.simulation.experiments.worlds import nodes, whole


@pytest.fixture
def scenario(tmp_path: Path) -> WholeScenario:
    objects = [priority_class("high", 9), pod("low", "3", nodeName="n1")]
    (tmp_path / "objects.yaml").write_text(yaml.safe_dump_all(objects))
    (tmp_path / "urgent.yaml").write_text(
        yaml.safe_dump(pod("urgent", "3", priorityClassName="high"))
    )
    return whole(
        tmp_path,
        until="60s",
        nodes=nodes(),
        manifests=["objects.yaml"],
        steps=[{"at": "10s", "apply": "urgent.yaml"}],
    )


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("spec.nodes[0].count", ("spec", "nodes", 0, "count")),
        ('metadata.annotations["podium.dev/x"]', ("metadata", "annotations", "podium.dev/x")),
        ("value", ("value",)),
        ("a[name=b c].d", ("a", ("name", "b c"), "d")),
        ("a..b", ()),
        ("a[b]", ()),
        ("", ()),
    ],
)
def test_paths(path: str, steps: tuple[object, ...]) -> None:
    assert steps_of(path) == steps


def preempted(scenario: WholeScenario, where: str, path: str, value: object) -> float:
    result = run(with_settings(scenario, {SettingPlace(where, path): value}), 0)
    assert not result.error
    return result.measures["preempted"]


def test_a_manifest_of_the_start_is_reached(scenario: WholeScenario) -> None:
    assert run(scenario, 0).measures["preempted"] == 1
    assert preempted(scenario, "priorityclass/high", "preemptionPolicy", "Never") == 0
    assert preempted(scenario, "PriorityClass/*", "value", -5) == 0


def test_a_manifest_of_a_step_is_reached(scenario: WholeScenario) -> None:
    assert preempted(scenario, "pod/urgent", "spec.containers[0].resources.requests.cpu", "1") == 0
    assert preempted(scenario, "default/po/urgent", "spec.nodeName", "n1") == 0


def test_the_scenario_is_reached(scenario: WholeScenario) -> None:
    assert preempted(scenario, "Scenario", "spec.nodes[0].count", 2) == 0
    assert run(scenario, 0).measures["preempted"] == 1


def test_the_scheduler_is_reached(scenario: WholeScenario) -> None:
    place = SettingPlace("KubeSchedulerConfiguration", "podMaxBackoffSeconds")
    changed = with_settings(
        scenario, {place: 5, SettingPlace("SchedulerOptions", "victimOrder"): "no"}
    )
    assert "victimOrder" in run(changed, 0).error
    assert changed.scheduler_documents()[0]["podMaxBackoffSeconds"] == 5


def test_what_a_configuration_lacks_is_made(scenario: WholeScenario) -> None:
    path = "profiles[0].pluginConfig[name=NodeResourcesFit].args.scoringStrategy.type"
    changed = with_settings(
        scenario, {SettingPlace("KubeSchedulerConfiguration", path): "MostAllocated"}
    )
    (document,) = changed.scheduler_documents()
    fit = {"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "MostAllocated"}}}
    assert document["profiles"] == [{"pluginConfig": [fit]}]
    assert not run(changed, 0).error
    assert preempted(scenario, "pod/urgent", "spec.containers[name=c].image", "other") == 1


@pytest.mark.parametrize(
    ("where", "path", "told"),
    [
        ("pod/nobody", "spec", "there is no pod/nobody"),
        ("shop/pod/urgent", "spec", "there is no shop/pod/urgent"),
        ("Scenario", "spec.until[0]", "at spec.until there is no list"),
        ("Scenario", "spec.nodes[3].count", "there is no [3]: it has 1 entry"),
        ("Scenario", "spec.nodes.count", "at spec.nodes there are no fields"),
    ],
)
def test_what_leads_nowhere_is_told(
    scenario: WholeScenario, where: str, path: str, told: str
) -> None:
    with pytest.raises(SettingError, match=told.replace("[", r"\[")):
        with_settings(scenario, {SettingPlace(where, path): 1})


def test_a_field_that_nobody_knows_is_told(scenario: WholeScenario) -> None:
    changed = with_settings(scenario, {SettingPlace("priorityclass/high", "valeu"): 3})
    assert "valeu" in run(changed, 0).error
