"""A recorded scenario on plain objects: its pods decided one after another by the scalar cycle."""

from collections.abc import Iterator, Mapping
from typing import Any

from podium.api.documents.document import read
from podium.api.objects import Object
from podium.simulation.decide.scenario import DecisionScenario
from tests.reference import volume_binding
from tests.reference.cluster import Cluster, key
from tests.reference.cycle import Json, decide


def answer(scenario: Mapping[str, Any]) -> Json:
    """The decisions of a scenario by the default configuration."""
    read_scenario = read(DecisionScenario, scenario).filled()
    cluster = read_cluster(read_scenario)
    decisions: list[Json] = []
    for pod in read_scenario.pending:
        cluster.nominate(pod, pod.get("status", {}).get("nominatedNodeName", ""))
        if read_scenario.sequence:
            decisions += in_sequence(cluster, pod)
        else:
            decisions.append(decide(cluster, pod))
            cluster.withdraw(pod)
    return {"id": scenario["id"], "decisions": decisions}


def read_cluster(scenario: DecisionScenario) -> Cluster:
    """The state that a scenario begins with."""
    cluster = Cluster(nodes=scenario.nodes, objects=scenario.others, budgets=list(scenario.pdbs))
    for pod in scenario.pods:
        if pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
            continue
        if pod["spec"].get("nodeName"):
            cluster.add(pod, pod["spec"]["nodeName"])
        else:
            cluster.nominate(pod, pod.get("status", {}).get("nominatedNodeName", ""))
    return cluster


def in_sequence(cluster: Cluster, pod: Object) -> Iterator[Json]:
    """Decide and act on it; a preemptor is decided twice."""
    decision = decide(cluster, pod)
    yield _bound(cluster, pod, decision)
    preemption = decision["preemption"]
    if preemption is None:
        return
    if preemption["clearsNomination"]:
        cluster.withdraw(pod)
    node_name = preemption["nominated"]
    if not node_name:
        return
    victims = next(c["victims"] for c in preemption["candidates"] if c["node"] == node_name)
    for victim in victims:
        cluster.remove(next(p for p in cluster.pods[node_name] if key(p) == victim))
    for other in list(cluster.nominated.get(node_name, [])):
        if key(other) in preemption["clearedPods"]:
            cluster.withdraw(other)
    cluster.nominate(pod, node_name)
    yield _bound(cluster, pod, decide(cluster, pod))


def _bound(cluster: Cluster, pod: Object, decision: Json) -> Json:
    node_name = min(decision.get("best", []), default="")
    if node_name:
        cluster.withdraw(pod)
        cluster.add(pod, node_name)
        node = cluster.node(node_name)
        assert node is not None
        volume_binding.assume(cluster, pod, node)
    return decision | {"bound": node_name}
