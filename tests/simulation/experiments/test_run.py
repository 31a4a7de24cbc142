"""What a run is measured by, counted by hand."""

from pathlib import Path

import pytest

from podium.simulation.experiments.run import Witness, observed, run
from tests.objects import pod, priority_class
from tests.simulation.experiments.worlds import nodes, whole


def test_utilisation_and_fragmentation_go_by_time(tmp_path: Path) -> None:
    one = whole(
        tmp_path,
        until="100s",
        nodes=nodes(2, zones=["a", "b"]),
        steps=[
            {"at": "50s", "apply": pod("p", "3", nodeName="n1")},
            {"at": "50s", "apply": pod("q", "5")},
        ],
    )
    measures = run(one, 0).measures
    # 3 of 8 for half of the time; 3 of 4 of the one zone.
    assert measures["utilisation.cpu"] == pytest.approx(3 / 16)
    assert measures["utilisation.cpu.a"] == pytest.approx(3 / 8)
    assert measures["utilisation.cpu.b"] == 0
    # q has room nowhere, p on n2 only after n1 is taken: first 1/2, then (1 + 4 / 2) / 5.
    assert measures["fragmentation.cpu"] == pytest.approx((0.5 + 3 / 5) / 2)
    assert (measures["neverPlaced"], measures["pendingSeconds"]) == (1, 50)
    assert measures["waitMeanSeconds"] == 25


def test_a_run_names_who_is_preempted_and_who_waits(tmp_path: Path) -> None:
    one = whole(
        tmp_path,
        until="60s",
        nodes=nodes(),
        manifests=[priority_class("high", 9), pod("low", "3", nodeName="n1")],
        steps=[{"at": "10s", "apply": pod("urgent", "3", priorityClassName="high")}],
    )
    result = run(one, 0)
    assert result.measures["preempted"] == result.measures["preempted.none"] == 1
    assert result.measures["preempted.high"] == 0
    assert result.measures["waitLongestSeconds.high"] == 30
    assert list(result.witnesses) == [
        Witness("default/low", "preempted", 10.0, "n1"),
        Witness("default/urgent", "waited", 10.0, "n1", 30.0),
    ]


def test_lines_tell_when_what_changes(tmp_path: Path) -> None:
    one = whole(
        tmp_path,
        until="60s",
        nodes=nodes(),
        steps=[
            {"at": "10s", "apply": pod("p", "3")},
            {"at": "20s", "delete": {"objects": "pod/p", "gracePeriod": "5s"}},
            {"at": "40s", "remove": "n1"},
        ],
    )
    _, series = observed(one.scenario(0))
    lines = {line: [*points.points()] for line, points in series.lines.items()}
    assert lines["bound", "class", ""] == [(10, 1), (25, 0)]
    assert lines["utilisation.cpu", "node", "n1"] == [(0, 0), (10, 0.75), (25, 0)]
    assert lines["utilisation.cpu", "cluster", ""][-1] == (25, 0)


def test_what_is_wrong_is_part_of_the_result(tmp_path: Path) -> None:
    one = whole(tmp_path, until="1s", nodes=nodes())
    one.spec["nodes"][0]["count"] = -1
    result = run(one, 0)
    assert "spec.nodes[0].count" in result.error
    assert not result.measures
