"""What a story tells once, and what a reader mustn't miss."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from podium.cluster.drivers import virtual
from podium.machines.reconciler import postponed
from podium.ui.command_line.main import app
from tests.objects import Obj, budget, workload

NODES = {"name": "n-", "count": 1, "capacity": {"cpu": "2", "memory": "8Gi"}}


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return tmp_path / "story.yaml"


def lines_of(story: Path, **spec: Any) -> list[str]:
    scenario = {"apiVersion": "podium.dev/v1alpha1", "kind": "Scenario", "spec": spec}
    story.write_text(json.dumps(scenario))
    return CliRunner().invoke(app, ["simulate", str(story)]).output.splitlines()


def web(grace_period_s: int) -> Obj:
    template = {"terminationGracePeriodSeconds": grace_period_s}
    spec = {"replicas": 2, "progressDeadlineSeconds": 60, "template": template}
    return workload("Deployment", "web", "1", **spec)


def test_an_eviction_that_is_refused_again_and_again_is_told_once(story: Path) -> None:
    told = lines_of(
        story,
        until="2m",
        nodes=[NODES],
        manifests=[web(30), budget("web", minAvailable=1)],
        steps=[
            {"at": "10s", "drain": "n-1"},
            {"at": "90s", "assert": [{"drain": "n-1", "is": "done"}]},
        ],
    )
    (refused,) = [line for line in told if "may not be evicted" in line]
    assert refused.endswith(
        "may not be evicted: 429 The disruption budget web does not allow evicting pods "
        "currently; tried 23 times, every 5s, until t+2m0s, at last: 429 The disruption budget "
        "web needs 1 healthy pods and has 1 currently"
    )
    failed = "t+1m30s  FAILED: the drain of node n-1 is done, but the drain is running"
    assert told[told.index("WHAT FAILED") + 1].startswith(failed)
    assert told[-1].endswith("0 assertions passed, 1 failed.")


def test_a_rollout_that_is_stuck_is_told(story: Path) -> None:
    update = {"at": "10s", "apply": [web(31)]}
    told = lines_of(story, until="3m", nodes=[NODES], manifests=[web(30)], steps=[update])
    (stuck,) = [line for line in told if "is stuck" in line]
    assert "deployment web is stuck: ReplicaSet" in stuck
    assert stuck.endswith("has timed out progressing.")


def test_a_budget_that_cannot_be_computed_is_told(story: Path) -> None:
    job = workload("Job", "work", "1", parallelism=1)
    told = lines_of(
        story, until="10s", nodes=[NODES], manifests=[job, budget("work", maxUnavailable=1)]
    )
    (failed,) = [line for line in told if "computed" in line]
    assert failed.strip() == (
        "budget work can't be computed, and so allows no disruption: jobs.batch does not "
        "implement the scale subresource"
    )


def test_evictions_on_hold_are_told_by_zone(story: Path) -> None:
    told = lines_of(
        story,
        until="5m",
        nodes=[{**NODES, "count": 8, "zones": ["a", "b"]}],
        steps=[
            *({"at": "10s", "down": name} for name in ("n-1", "n-3", "n-5")),
            {"at": "2m", "up": "n-1"},
        ],
    )
    held, resumed = [line for line in told if "evictions" in line]
    assert held.endswith("puts evictions on hold in zone a: 3 of 4 nodes there aren't ready")
    assert resumed.endswith("node n-1 lets evictions go on in zone a")


@pytest.mark.parametrize("kind", ["ReplicaSet", "StatefulSet"])
def test_pods_that_a_node_rejects_again_and_again_are_told_once(story: Path, kind: str) -> None:
    pinned = workload(kind, "pinned", "3", replicas=1, template={"nodeName": "n-1"})
    told = lines_of(story, until="10s", nodes=[NODES], manifests=[pinned])
    (failed,) = [line for line in told if " fails (OutOfcpu: " in line]
    assert failed.endswith("; so do 41 made in its place, until t+10s")
    assert [line for line in told if ": OutOfcpu: " in line] == [told[3]]
    assert len([line for line in told if "pod pinned-" in line]) <= 6


def test_machines_that_never_rest_are_an_error(
    story: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(virtual, "TIMERS_AT_ONE_MOMENT_MAX", 1000)
    monkeypatch.setattr(postponed, "PACE_S", 0.0)
    pinned = workload("ReplicaSet", "pinned", "3", replicas=1, template={"nodeName": "n-1"})
    scenario = {"until": "10s", "nodes": [NODES], "manifests": [pinned]}
    head = {"apiVersion": "podium.dev/v1alpha1", "kind": "Scenario"}
    story.write_text(json.dumps({**head, "spec": scenario}))
    result = CliRunner().invoke(app, ["simulate", str(story)])
    assert result.exit_code == 1
    assert result.stderr.startswith("error: time stands still 0 s after the start")
    assert "replicaset-controller (" in result.stderr
    assert "kubelet (" in result.stderr


def test_a_job_that_fails_is_told_of(story: Path) -> None:
    job = workload("Job", "train", backoffLimit=0)
    steps = [{"at": "10s", "drain": "n-1"}]
    told = lines_of(story, until="1m", nodes=[NODES], manifests=[job], steps=steps)
    (line,) = [line for line in told if "its work is lost" in line]
    assert line.endswith(
        "job train fails, and its work is lost: Job has reached the specified backoff limit"
    )
