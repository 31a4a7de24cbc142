"""Random small clusters that a real API server takes, with pods to schedule there.

They are those of the properties, brought into the form that the API server wants.
"""

import copy
from dataclasses import dataclass

from tests.cluster.real.server import Json
from tests.properties import clusters
from tests.properties.volume_clusters import Dice

PRIORITIES = (-5, 0, 10, 100, 1000)
POLICIES = ("PreemptLowerPriority", "Never")


@dataclass(frozen=True)
class Drawn:
    """A cluster, in the order in which it is made, and the pods that come one after the other."""

    objects: list[Json]
    pending: list[Json]


def class_name(priority: int, policy: str = "PreemptLowerPriority") -> str:
    """The PriorityClass of a priority and a preemption policy."""
    return f"{policy.lower()}-{priority}".replace("--", "-minus-")


def drawn_cluster(seed: int) -> Drawn:
    dice = Dice(seed)
    scenario = clusters.scenario(dice)
    pending = [*scenario["pending"], *(clusters.related_pod(dice, f"r{i}") for i in range(2))]
    placed = [pod for pod in scenario["pods"] if pod["spec"].get("nodeName")]
    # Among alike pods that have started at once, kube-scheduler takes any.
    seconds = sorted(range(len(placed)), key=lambda _: dice.one(*range(1_000)))
    for pod, second in zip(placed, seconds, strict=True):
        pod["status"]["startTime"] = f"2026-01-01T00:{second // 60:02}:{second % 60:02}Z"
    objects = [
        *(_node(node) for node in scenario["nodes"]),
        *(_service(obj) for obj in scenario.get("services", ())),
        *(_replica_set(obj) for obj in scenario.get("replicaSets", ())),
        *(_budget(obj) for obj in scenario["pdbs"]),
        *(_pod(pod) for pod in placed),
    ]
    return Drawn(objects, [{**_pod(pod), "status": {}} for pod in pending])


def _node(node: Json) -> Json:
    status = {**node["status"], "capacity": node["status"]["allocatable"]}
    return {**node, "kind": "Node", "status": status}


def _service(service: Json) -> Json:
    spec = {**service["spec"], "ports": [{"port": 80}], "clusterIP": "None"}
    return {**service, "kind": "Service", "spec": spec}


def _replica_set(replica_set: Json) -> Json:
    """With a template that its selector selects."""
    selector = replica_set["spec"]["selector"] or {"matchLabels": {"app": "web"}}
    labels = dict(selector.get("matchLabels", {}))
    for expression in selector.get("matchExpressions", ()):
        if expression["operator"] != "DoesNotExist":
            labels[expression["key"]] = expression.get("values", ["x"])[0]
    containers = [{"name": "c", "image": "i"}]
    template = {"metadata": {"labels": labels or {"any": "x"}}, "spec": {"containers": containers}}
    spec = {"selector": selector, "replicas": 0, "template": template}
    return {**replica_set, "kind": "ReplicaSet", "spec": spec}


def _budget(budget: Json) -> Json:
    counts = {"currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1, "observedGeneration": 1}
    status = {**budget["status"], **counts}
    status.pop("disruptedPods", None)
    spec = {**budget["spec"], "maxUnavailable": 1}
    return {**budget, "kind": "PodDisruptionBudget", "spec": spec, "status": status}


def _pod(pod: Json) -> Json:
    """With its priority as a class, and without what the API server refuses."""
    # Drawn pods share parts.
    pod = copy.deepcopy(pod)
    spec = pod["spec"]
    spec.pop("volumes", None)
    policy = spec.pop("preemptionPolicy", "PreemptLowerPriority")
    spec["priorityClassName"] = class_name(spec.pop("priority", 0), policy)
    for container in spec["containers"]:
        for port in container.get("ports", ()):
            port.setdefault("containerPort", 80)
    for reference in pod["metadata"].get("ownerReferences", ()):
        reference["uid"] = "u-1"
    constraints: dict[tuple[str, str], Json] = {}
    for one in spec.pop("topologySpreadConstraints", ()):
        if one["whenUnsatisfiable"] != "DoNotSchedule":
            one.pop("minDomains", None)
        selector = one.get("labelSelector")
        if not selector or "tier" in str(selector):
            one.pop("matchLabelKeys", None)
        constraints[one["topologyKey"], one["whenUnsatisfiable"]] = one
    spec["topologySpreadConstraints"] = [*constraints.values()]
    return {**pod, "kind": "Pod"}
