"""Measuring a scheduler from outside, and leaving nothing behind."""

import json

import pytest

from tests.cluster.real.conftest import StartPodium
from tests.cluster.real.world import World
from tests.processes import run_podium


@pytest.mark.parametrize("workload", ["SchedulingBasic", "PreemptionBasic", "PreemptionAsync"])
def test_a_workload_is_measured_and_cleaned_up(
    workload: str, world: World, podium: StartPodium
) -> None:
    podium("--no-leader-elect", "--kube-api-qps", "-1")
    options = ("--server", "current", "--nodes", "3", "--pods", "6", "-o", "json")
    done = run_podium("bench", workload, *options, KUBECONFIG=str(world.plane.kubeconfig()))
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)
    preemptions = {"SchedulingBasic": 0}.get(workload, 3)
    assert (result["workload"], result["preemptions"]) == (workload, preemptions)
    assert 0 < result["longestGapS"] <= result["elapsedS"]
    for path in ("/api/v1/nodes", "/api/v1/pods"):
        assert world.plane.ask("GET", path)["items"] == []
