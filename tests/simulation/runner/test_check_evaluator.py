"""What a failed assertion names: the objects that stand in its way, and no others."""

import re
from pathlib import Path

import pytest

from podium.api.errors import PodiumError
from podium.simulation.runner.scenario_runner import simulate
from podium.simulation.scenario.scenario_document import read_scenario
from podium.simulation.timeline.timeline_sentences import sentences

CLUSTER = """apiVersion: podium.dev/v1alpha1
kind: Scenario
spec:
  nodes: [{name: 'n', capacity: {cpu: "2"}}]
  manifests: [PODS]
  steps: [{at: 10s, assert: [CHECK]}]
"""
POD = """apiVersion: v1
kind: Pod
metadata: {name: NAME, labels: {app: a}}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: CPU}}}]}
---
"""


def failures(tmp_path: Path, manifests: str, check: str) -> list[str]:
    """What is the case instead of what a check says, as a simulation tells it."""
    path = tmp_path / "objects.yaml"
    path.write_text(manifests)
    text = CLUSTER.replace("PODS", str(path)).replace("CHECK", f"{{{check}}}")
    told = [line for _, line in sentences(simulate(read_scenario("s.yaml", text)).entries)]
    return [line.partition(", but ")[2] for line in told if line.startswith("FAILED")]


@pytest.mark.parametrize(
    ("check", "otherwise"),
    [
        (
            "noPodPending: true",
            "it is so of 7; big-0 is pending, big-1 is pending, big-2 is pending, big-3 is pending,"
            " big-4 is pending and 2 more",
        ),
        ("pods: app=a, is: running, atMost: 0", "it is so of 1; a-small is running on n"),
        ("pods: app=a, is: running, count: 0", "it is so of 1; a-small is running on n"),
        (
            "pods: app=a, is: running, atLeast: 2",
            "it is so of 1; big-0 is pending, big-1 is pending, big-2 is pending, big-3 is pending,"
            " big-4 is pending and 2 more",
        ),
        ("pods: app=a, is: gone", "there is a-small, big-0, big-1, big-2, big-3 and 3 more"),
        ("pod: a-small, is: pending", "it is running on n"),
        ("pod: a-small, is: running, atMost: 0", "it is running on n"),
    ],
)
def test_who_stands_in_the_way(tmp_path: Path, check: str, otherwise: str) -> None:
    pods = [("a-small", "1"), *((f"big-{number}", "4") for number in range(7))]
    manifests = "".join(POD.replace("NAME", n).replace("CPU", f'"{c}"') for n, c in pods)
    assert failures(tmp_path, manifests, check) == [f"{otherwise} (spec.steps[0])"]


BUDGET = """apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 1, selector: {matchLabels: {app: a}}}
"""


@pytest.mark.parametrize(
    ("check", "otherwise"),
    [
        ("budget: web, allows: 0", []),
        ("budget: default/web, allows: 0", []),
        ("budget: shop/web", ["it isn't there (spec.steps[0])"]),
        ("pod: default/small, is: bound", []),
        ("budget: web", []),
        ("budget: web, disruptionsAllowed: 0, currentHealthy: 1", []),
        ("budget: web, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2", []),
        (
            "budget: web, disruptionsAllowed: 1, expectedPods: 2",
            ["it allows 0, has expectedPods 2 (spec.steps[0])"],
        ),
        ("pod: small, is: bound, phase: Running, onNode: 'n'", []),
        ("pod: big, phase: Pending, reason: Unschedulable", []),
        (
            "pod: big, phase: Pending, reason: Evicted",
            ["it is pending (reason: Unschedulable) (spec.steps[0])"],
        ),
        (
            "pods: app=a, phase: Running, count: 2",
            ["it is so of 1; big is pending (spec.steps[0])"],
        ),
    ],
)
def test_what_the_status_says(tmp_path: Path, check: str, otherwise: list[str]) -> None:
    pods = [POD.replace("NAME", n).replace("CPU", c) for n, c in (("small", "1"), ("big", "4"))]
    assert failures(tmp_path, "".join(pods) + BUDGET, check) == otherwise


@pytest.mark.parametrize(
    ("check", "why"),
    [
        ("node: 'n', phase: Running", 'phase: Invalid value: "Running": is for pod and pods'),
        ("budget: shop/web, namespace: b", 'Invalid value: "b": stands before the name of budget'),
        ("pod: a, currentHealthy: 2", "currentHealthy: Invalid value: 2: is for budget"),
        ("pod: a, phase: Runing", 'phase: Unsupported value: "Runing"'),
    ],
)
def test_what_cant_be_asked_of_it_is_refused(check: str, why: str) -> None:
    text = CLUSTER.replace("[PODS]", "[]").replace("CHECK", f"{{{check}}}")
    with pytest.raises(PodiumError, match=re.escape(why)):
        read_scenario("s.yaml", text)


@pytest.mark.parametrize("kind", ["poddisruptionbudget", "pod", "node"])
@pytest.mark.parametrize("state", ["there", "gone"])
def test_any_object_can_be_checked_for_existence(tmp_path: Path, kind: str, state: str) -> None:
    budget = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: 'n'}, spec: {}}"
    manifests = f"{budget}\n---\n{POD.replace('NAME', chr(39) + 'n' + chr(39)).replace('CPU', '1')}"
    expected = ["it is there (spec.steps[0])"] if state == "gone" else []
    assert failures(tmp_path, manifests, f"object: {kind}/n, is: {state}") == expected
