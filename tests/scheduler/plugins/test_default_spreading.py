"""The built-in constraints, where zones are empty or missing: nodes take part all the same."""

from typing import Any

from podium.api.documents.document import read
from podium.simulation.decide.decisions import decide
from podium.simulation.decide.scenario import DecisionScenario

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"


def node(name: str, **labels: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "labels": labels}, "status": {"allocatable": {"pods": "20"}}}


def pod(name: str, node_name: str = "") -> dict[str, Any]:
    return {
        "metadata": {"name": name, "labels": {"app": "a"}},
        "spec": {"nodeName": node_name, "containers": [{"name": "c"}]},
    }


def test_pods_of_nodes_without_a_zone_count_in_the_empty_one() -> None:
    """The figures are kube-scheduler v1.36.2's: "" is one zone, and `b` itself scores by host."""
    there = {"a": 1, "b": 2, "c": 1, "d": 3}
    scenario = {
        "nodes": [
            node("a", **{ZONE: "", HOST: "a"}),
            node("b", **{HOST: "b"}),
            node("c", **{ZONE: "z1"}),
            node("d", **{ZONE: "z1", HOST: "d"}),
        ],
        "pods": [pod(f"{name}{i}", name) for name, pods in there.items() for i in range(pods)],
        "services": [{"metadata": {"name": "s"}, "spec": {"selector": {"app": "a"}}}],
        "pending": [pod("new")],
    }
    (decided,) = decide(read(DecisionScenario, scenario).filled())
    scores = decided.explanation.scores
    found = {name: scores[name]["PodTopologySpread"] for name in there}
    assert found == {"a": 128, "b": 200, "c": 152, "d": 70}
