"""Which workloads there are, how a command line names them, and what the command prints."""

import json
import pickle

import pytest
from typer.testing import CliRunner

from podium.api.errors import PodiumError
from podium.simulation.benchmarks.catalogue import CASES, REFERENCE_CASES, WORKLOADS, select
from podium.simulation.benchmarks.results import Latency, Result
from podium.simulation.benchmarks.runner import MEASURED_PER_CHURN
from podium.ui.command_line.main import app

CASES_OF_THE_REFERENCE = {
    "SchedulingBasic",
    "SchedulingDaemonset",
    "SchedulingNodeAffinity",
    "SchedulingPodAffinity",
    "SchedulingPodAntiAffinity",
    "SchedulingPreferredPodAffinity",
    "SchedulingPreferredPodAntiAffinity",
    "TopologySpreading",
    "PreferredTopologySpreading",
    "MixedSchedulingBasePod",
    "Unschedulable",
    "PreemptionBasic",
    "PreemptionAsync",
}


def names(*patterns: str) -> list[str]:
    return [workload.name for workload in select(patterns)]


def test_the_cases_are_those_of_the_reference() -> None:
    assert {case.name for case in REFERENCE_CASES} == CASES_OF_THE_REFERENCE


def test_other_cases_are_called_diverse_or_have_claims() -> None:
    others = [case.name for case in CASES if case not in REFERENCE_CASES]
    assert others
    assert all(name.startswith(("Diverse", "Claims")) for name in others)


def test_names_are_unique() -> None:
    assert len({workload.name for workload in WORKLOADS}) == len(WORKLOADS)


def test_without_a_name_every_case_is_measured_at_its_largest() -> None:
    selected = select([])
    assert {workload.case.name for workload in selected} == {case.name for case in CASES}
    assert {"PreemptionBasic/1000Nodes", "PreemptionBasic/5000Nodes"} <= {*names()}
    assert all(workload.size.nodes >= 1_000 for workload in selected)


@pytest.mark.parametrize(
    ("name", "nodes", "init_pods", "measured_pods"),
    [
        ("SchedulingBasic/5000Nodes_10000Pods", 5_000, 1_000, 10_000),
        ("SchedulingDaemonset/15000Nodes", 15_001, 0, 30_000),
        ("TopologySpreading/5000Nodes_5000Pods", 5_000, 5_000, 5_000),
        ("PreemptionBasic/1000Nodes", 1_000, 4_000, 1_000),
        ("PreemptionBasic/5000Nodes", 5_000, 20_000, 5_000),
    ],
)
def test_sizes(name: str, nodes: int, init_pods: int, measured_pods: int) -> None:
    (workload,) = select([name])
    assert workload.name == name
    assert workload.node_count == nodes
    assert workload.size.init_pods == init_pods
    assert workload.size.measured_pods == measured_pods


@pytest.mark.parametrize(
    ("patterns", "selected"),
    [
        pytest.param(
            ["SchedulingBasic/5000Nodes"], ["SchedulingBasic/5000Nodes"], id="a name is that alone"
        ),
        pytest.param(
            ["PreemptionB"],
            [f"PreemptionBasic/{nodes}Nodes" for nodes in (5, 500, 1000, 5000)],
            id="the beginning of names means all of them",
        ),
        pytest.param(
            ["Preemption*/500Nodes"],
            ["PreemptionBasic/500Nodes", "PreemptionAsync/500Nodes"],
            id="a glob means all that it matches",
        ),
        pytest.param(
            ["PreemptionAsync/5Nodes", "Preemption*/5Nodes"],
            ["PreemptionAsync/5Nodes", "PreemptionBasic/5Nodes"],
            id="a workload that is meant twice is measured once, in the given order",
        ),
    ],
)
def test_names_select(patterns: list[str], selected: list[str]) -> None:
    assert names(*patterns) == selected


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("SchedulngBasic", "did you mean SchedulingBasic?"),
        ("PreemptionBasic/1000Node_", "did you mean PreemptionBasic/1000Nodes?"),
        ("*Nothing*", "--list"),
    ],
)
def test_an_unknown_name_is_refused_with_a_hint(pattern: str, hint: str) -> None:
    with pytest.raises(PodiumError) as caught:
        select([pattern])
    assert pattern in str(caught.value)
    assert hint in str(caught.value)


def test_every_size_with_churn_sees_some() -> None:
    churned = [workload for workload in WORKLOADS if workload.case.churn]
    assert churned
    large = [workload for workload in churned if workload.size.nodes > 5]
    assert all(workload.size.measured_pods > MEASURED_PER_CHURN for workload in large)


def test_every_workload_can_be_measured_in_a_process_of_its_own() -> None:
    for workload in WORKLOADS:
        assert pickle.loads(pickle.dumps(workload)).name == workload.name


FIELDS = {"workload", "nodes", "pods", "podsPerSecond", "latencyMs", "peakMemoryMiB"}


def test_list_names_all_workloads() -> None:
    result = CliRunner().invoke(app, ["bench", "--list"])
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [workload.name for workload in WORKLOADS]


def test_list_narrows_down() -> None:
    result = CliRunner().invoke(app, ["bench", "--list", "PreemptionAsync/50"])
    assert result.stdout.splitlines() == ["PreemptionAsync/500Nodes", "PreemptionAsync/5000Nodes"]


def test_json() -> None:
    result = CliRunner().invoke(app, ["bench", "-o", "json", "PreemptionBasic/5Nodes"])
    assert result.exit_code == 0
    (found,) = json.loads(result.stdout)
    assert found.keys() == FIELDS
    assert found["latencyMs"].keys() == {"p50", "p99"}
    assert (found["workload"], found["nodes"], found["pods"]) == ("PreemptionBasic/5Nodes", 5, 5)


def test_table() -> None:
    result = CliRunner().invoke(app, ["bench", "PreemptionBasic/5Nodes"])
    assert result.exit_code == 0
    title, heading, row = result.stdout.rstrip().splitlines()
    assert title == "RESULTS"
    assert heading.split()[:4] == ["WORKLOAD", "NODES", "PODS", "PREEMPTIONS"]
    assert row.split()[:4] == ["PreemptionBasic/5Nodes", "5", "5", "5"]


def test_a_disturbed_measurement_is_warned_about(monkeypatch: pytest.MonkeyPatch) -> None:
    disturbed = Result("SchedulingBasic/5Nodes", 5, 10, 1.0, Latency(1.0, 1.0), 1.0, 0, 0.25)
    monkeypatch.setattr("podium.simulation.benchmarks.runner.measure_apart", lambda _: disturbed)
    result = CliRunner().invoke(app, ["bench", "-o", "json", "SchedulingBasic/5Nodes"])
    assert [found["workload"] for found in json.loads(result.stdout)] == ["SchedulingBasic/5Nodes"]
    assert "only 25% of its time" in result.stderr


def test_an_unknown_name_is_an_error() -> None:
    result = CliRunner().invoke(app, ["bench", "SchedulngBasic"])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == (
        "error: no workload is called SchedulngBasic: did you mean SchedulingBasic?\n"
    )
