"""Measuring a scheduler from outside, and leaving nothing behind."""

import json
import os
import subprocess
import sys

import pytest

from tests.cluster.real.conftest import StartPodium
from tests.cluster.real.server import PATIENCE_S
from tests.cluster.real.world import World


@pytest.mark.parametrize("workload", ["SchedulingBasic", "PreemptionBasic", "PreemptionAsync"])
def test_a_workload_is_measured_and_cleaned_up(
    workload: str, world: World, podium: StartPodium
) -> None:
    podium("--no-leader-elect", "--kube-api-qps", "-1")
    command = [sys.executable, "-m", "podium", "bench", workload, "--server", "current"]
    command += ["--nodes", "3", "--pods", "6", "-o", "json"]
    environment = {**os.environ, "KUBECONFIG": str(world.plane.kubeconfig())}
    done = subprocess.run(command, capture_output=True, env=environment, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)
    preemptions = {"SchedulingBasic": 0}.get(workload, 3)
    assert (result["workload"], result["preemptions"]) == (workload, preemptions)
    assert 0 < result["longestGapS"] <= result["elapsedS"]
    for path in ("/api/v1/nodes", "/api/v1/pods"):
        assert world.plane.ask("GET", path)["items"] == []
