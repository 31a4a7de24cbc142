"""Traces as scenarios, and what is wrong with broken ones."""

import gzip
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from podium.simulation.scenario.scenario_document import read_scenario
from podium.simulation.traces import openb
from tests.conftest import ROOT

SAMPLE = ROOT / "examples" / "openb-sample"


def trace(nodes: str, pods: str, **options: Any) -> openb.Trace:
    return openb.read_trace(
        openb.read_rows(nodes, openb.NODE_COLUMNS),
        openb.read_rows(pods, openb.POD_COLUMNS),
        **options,
    )


def sample(**options: Any) -> openb.Trace:
    return trace(str(SAMPLE / "nodes.csv"), str(SAMPLE / "pods.csv"), **options)


def test_nodes_have_what_the_trace_says() -> None:
    node = sample().nodes[1]
    assert node["metadata"]["labels"]["openb.podium.dev/gpu-model"] == "T4"
    amounts = node["status"]["allocatable"]
    assert amounts == {"cpu": "32000m", "memory": "131072Mi", "pods": "110", "nvidia.com/gpu": "4"}


def test_pods_come_in_order_and_ask_for_what_the_trace_says() -> None:
    arrivals = sample().arrivals
    assert [one.at_s for one in arrivals] == [0, 30, 60, 90, 300, 400]
    pod = arrivals[3].pod
    assert pod["spec"]["priorityClassName"] == "openb-be"
    (container,) = pod["spec"]["containers"]
    assert container["resources"]["requests"]["nvidia.com/gpu"] == "2"
    required = pod["spec"]["affinity"]["nodeAffinity"]
    (term,) = required["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert term["matchExpressions"][0]["values"] == ["T4", "P100"]
    assert pod["metadata"]["annotations"] == {
        "podium.dev/run-duration": "505s",
        "podium.dev/exit-code": "1",
    }


def test_classes_stand_in_the_order_of_their_qos() -> None:
    values = {one["metadata"]["name"]: one["value"] for one in sample().classes}
    assert values["openb-ls"] > values["openb-guaranteed"] > values["openb-burstable"]
    assert values["openb-burstable"] > values["openb-be"]


def test_what_kubernetes_cannot_say_is_told() -> None:
    shared, unscheduled = sample().notes
    assert shared.startswith("1 of 6 tasks shares a GPU; an")
    assert unscheduled.startswith("1 task never had a node")


def test_a_part_of_the_nodes_is_taken_evenly() -> None:
    kept = [node["metadata"]["name"] for node in sample(capacity=Fraction(1, 2)).nodes]
    assert kept == []
    assert len(sample(capacity=Fraction(1)).nodes) == 3


def test_only_the_earliest_tasks_are_kept() -> None:
    assert [one.pod["metadata"]["name"] for one in sample(limit=2).arrivals] == ["web-1", "batch-1"]


def test_the_text_is_a_scenario() -> None:
    text = "\n".join(openb.scenario_lines(sample(), "sample"))
    scenario = read_scenario("sample.yaml", text)
    assert scenario.name == "sample"
    assert len(scenario.steps) == 6


def test_gzipped_files_are_read(tmp_path: Path) -> None:
    nodes = tmp_path / "nodes.csv.gz"
    nodes.write_bytes(gzip.compress((SAMPLE / "nodes.csv").read_bytes()))
    assert len(trace(str(nodes), str(SAMPLE / "pods.csv")).nodes) == 3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a,x,1,0,0,,LS,Running,0,1,0", "line 2, column cpu_milli: 'x' must be a whole number"),
        ("a,1,1,0,0,,XX,Running,0,1,0", "line 2, column qos: 'XX' must be one of LSR, LS"),
        ("a,1,1,0,0,,LS,Lost,0,1,0", "line 2, column pod_phase: 'Lost' must be one of Running"),
        ("a,1,1,0,0,,LS,Running,9,1,9", "line 2, column deletion_time: '1' lies before 9"),
        ("a,1,1,1,2000,,LS,Running,0,1,0", "column gpu_milli: '2000' must be a share of one GPU"),
        (",1,1,0,0,,LS,Running,0,1,0", "line 2, column name: '' must name the task"),
        ("a,1,1,0,0,,LS,Running,0", "line 2: has 9 values for 11 columns; is the file complete?"),
    ],
)
def test_a_broken_row_is_named(tmp_path: Path, line: str, message: str) -> None:
    pods = tmp_path / "pods.csv"
    pods.write_text(f"{','.join(openb.POD_COLUMNS)}\n{line}\n")
    with pytest.raises(openb.ImportFileError) as raised:
        trace(str(SAMPLE / "nodes.csv"), str(pods))
    assert message in str(raised.value)
    assert str(pods) in str(raised.value)


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    pods = tmp_path / "pods.csv"
    good, bad = "a,1,1,0,0,,LS,Running,0,1,0", "b,1,1,0,0,,XX,Running,0,1,0"
    pods.write_text(f"{','.join(openb.POD_COLUMNS)}\n{bad}\n{good}\n{good}\n")
    with pytest.raises(openb.ImportFileError) as raised:
        trace(str(SAMPLE / "nodes.csv"), str(pods))
    first, second = str(raised.value).splitlines()
    assert "line 2, column qos" in first
    assert "line 4, column name: 'a' is the name of line 3, too" in second


@pytest.mark.parametrize("name", ["missing.csv", "broken.csv.gz"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(b"name\n")[:-6])
    with pytest.raises(openb.ImportFileError, match=name):
        trace(str(path), str(SAMPLE / "pods.csv"))


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    nodes = tmp_path / "nodes.csv"
    nodes.write_text("sn,cpu_milli\n")
    with pytest.raises(openb.ImportFileError, match="memory_mib, gpu, model missing"):
        trace(str(nodes), str(SAMPLE / "pods.csv"))
