"""What a failed assertion names: the objects that stand in its way, and no others."""

import pytest

from podium.simulation.scenario_file import read_scenario
from podium.simulation.scenario_runner import simulate
from podium.simulation.timeline_sentences import sentences

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
def test_who_stands_in_the_way(tmp_path, check: str, otherwise: str) -> None:
    pods = [("a-small", "1"), *((f"big-{number}", "4") for number in range(7))]
    manifests = tmp_path / "pods.yaml"
    manifests.write_text("".join(POD.replace("NAME", n).replace("CPU", f'"{c}"') for n, c in pods))
    text = CLUSTER.replace("PODS", str(manifests)).replace("CHECK", f"{{{check}}}")
    told = [line for _, line in sentences(simulate(read_scenario("s.yaml", text)).entries)]
    (failed,) = (line for line in told if line.startswith("FAILED"))
    assert failed.endswith(f", but {otherwise} (spec.steps[0])")


@pytest.mark.parametrize("kind", ["poddisruptionbudget", "pod", "node"])
@pytest.mark.parametrize("state", ["there", "gone"])
def test_of_any_object_it_can_be_asked_whether_it_is_there(tmp_path, kind: str, state: str) -> None:
    budget = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: 'n'}, spec: {}}"
    pod = POD.replace("NAME", "'n'").replace("CPU", "1").removesuffix("---\n")
    manifests = tmp_path / "objects.yaml"
    manifests.write_text(f"{budget}\n---\n{pod}")
    check = f"{{object: {kind}/n, is: {state}}}"
    text = CLUSTER.replace("PODS", str(manifests)).replace("CHECK", check)
    told = [line for _, line in sentences(simulate(read_scenario("s.yaml", text)).entries)]
    failed = [line for line in told if line.startswith("FAILED")]
    assert [line.partition(", but ")[2] for line in failed] == (
        ["it is there (spec.steps[0])"] if state == "gone" else []
    )
