"""A recorded scenario on plain objects: its pods decided one after another by the scalar cycle."""

from collections.abc import Iterator, Mapping
from typing import Any

from podium.api.objects import Object
from tests.reference import volume_binding
from tests.reference.cluster import Cluster, key
from tests.reference.cycle import Json, decide

CLUSTER_SCOPED = {"Namespace", "PersistentVolume", "StorageClass", "CSINode", "CSIDriver"}
OTHERS = {
    "namespaces": "Namespace",
    "services": "Service",
    "replicationControllers": "ReplicationController",
    "replicaSets": "ReplicaSet",
    "statefulSets": "StatefulSet",
    "pvcs": "PersistentVolumeClaim",
    "pvs": "PersistentVolume",
    "storageClasses": "StorageClass",
    "csiNodes": "CSINode",
    "csiDrivers": "CSIDriver",
    "csiStorageCapacities": "CSIStorageCapacity",
}


def answer(scenario: Mapping[str, Any]) -> Json:
    """The decisions of a scenario without defaulting and configuration."""
    cluster = read_cluster(scenario)
    decisions: list[Json] = []
    for raw in scenario.get("pending", []):
        pod = _filled(raw, "Pod")
        cluster.nominate(pod, pod["status"].get("nominatedNodeName", ""))
        if scenario.get("sequence"):
            decisions += in_sequence(cluster, pod)
        else:
            decisions.append(decide(cluster, pod))
            cluster.withdraw(pod)
    return {"id": scenario["id"], "decisions": decisions}


def read_cluster(scenario: Mapping[str, Any]) -> Cluster:
    """The state that a scenario begins with."""
    objects = [_filled(o, kind) for name, kind in OTHERS.items() for o in scenario.get(name, [])]
    nodes = [_filled(o, "Node") for o in scenario.get("nodes", [])]
    budgets = [_filled(o, "PodDisruptionBudget") for o in scenario.get("pdbs", [])]
    cluster = Cluster(nodes=nodes, objects=objects, budgets=budgets)
    for raw in scenario.get("pods", []):
        pod = _filled(raw, "Pod")
        if pod["status"].get("phase") in ("Succeeded", "Failed"):
            continue
        if pod["spec"].get("nodeName"):
            cluster.add(pod, pod["spec"]["nodeName"])
        else:
            cluster.nominate(pod, pod["status"].get("nominatedNodeName", ""))
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


def _filled(raw: Object, kind: str) -> Object:
    """The object without nulls, and with what twins rely on."""
    obj = _without_nulls(raw)
    metadata = {"name": "", **obj.get("metadata", {})}
    if kind not in CLUSTER_SCOPED:
        metadata.setdefault("namespace", "default")
    filled = {"spec": {}, "status": {}, **obj, "kind": kind, "metadata": metadata}
    if kind == "Pod":
        metadata.setdefault("uid", f"{metadata['namespace']}/{metadata['name']}")
    return filled


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_without_nulls(v) for v in value]
    return value
