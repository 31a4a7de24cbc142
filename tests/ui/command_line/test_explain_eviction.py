"""`podium explain --eviction`: what is assumed is said."""

import json

import pytest

from tests.objects import node, pod

REQUESTED = "The state doesn't say what {} uses of memory: taken for what is requested;"


@pytest.fixture
def state(write) -> str:
    told = pod("told", on="node-1", metadata={"annotations": {"podium.dev/usage-memory": "1Gi"}})
    return write("state.yaml", node("node-1"), told, pod("untold", on="node-1"))


def test_whose_usage_is_assumed(podium, state: str) -> None:
    output = podium("explain", "-f", state, "--eviction", "node-1").output
    assert REQUESTED.format("default/untold") in output
    by_pid = podium("explain", "-f", state, "--eviction", "node-1", "--signal", "pid.available")
    assert "what any pod uses of pids: taken for none;" in by_pid.output


def test_json_says_it_of_each(podium, state: str) -> None:
    report = json.loads(podium("explain", "-f", state, "--eviction", "node-1", "-o", "json").output)
    assumed = {one["pod"]: one["usageAssumed"] for one in report["pods"]}
    assert assumed == {"default/told": False, "default/untold": True}
