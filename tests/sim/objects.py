"""Random objects: nodes, pods that are hard to place, budgets, and the priority classes."""

from random import Random
from typing import Any

NAMESPACE = "default"
ZONE, HOSTNAME = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
APPS = "abc"


def _priority_class(name: str, value: int, **fields: Any) -> dict[str, Any]:
    kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    return {**kind, "metadata": {"name": name}, "value": value, **fields}


CLASSES = (
    _priority_class("low", 10),
    _priority_class("middle", 100),
    _priority_class("high", 1000),
    _priority_class("polite", 500, preemptionPolicy="Never"),
)


def random_node(rng: Random, name: str) -> dict[str, Any]:
    room = {
        "cpu": rng.choice(("2", "4", "6")),
        "memory": rng.choice(("4Gi", "8Gi")),
        "pods": rng.choice(("4", "10", "110")),
    }
    labels = {HOSTNAME: name, ZONE: rng.choice("abc")}
    spec: dict[str, Any] = {}
    if rng.random() < 0.15:
        spec["taints"] = [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": {
            "allocatable": room,
            "capacity": room,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def random_pod(rng: Random, scheduler_name: str) -> dict[str, Any]:
    """A pod without a name."""
    app = rng.choice(APPS)
    requests = {
        "cpu": rng.choice(("100m", "500m", "1", "1500m", "2", "3")),
        "memory": rng.choice(("64Mi", "512Mi", "2Gi")),
    }
    container: dict[str, Any] = {"name": "c", "image": "i", "resources": {"requests": requests}}
    spec: dict[str, Any] = {
        "schedulerName": scheduler_name,
        "priorityClassName": rng.choice(("low", "low", "middle", "middle", "high", "polite")),
        "terminationGracePeriodSeconds": rng.choice((0, 1, 5, 30)),
        "containers": [container],
    }
    if rng.random() < 0.1:
        container["ports"] = [{"containerPort": 80, "hostPort": 80}]
    if rng.random() < 0.3:
        spec["affinity"] = _random_affinity(rng, app)
    if rng.random() < 0.2:
        spec["topologySpreadConstraints"] = [_random_spreading(rng, app)]
    if rng.random() < 0.15:
        spec["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
    if rng.random() < 0.1:
        spec["nodeSelector"] = {ZONE: rng.choice("abc")}
    if rng.random() < 0.1:
        spec["schedulingGates"] = [{"name": "example.com/gate"}]
    metadata = {"namespace": NAMESPACE, "labels": {"app": app}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def random_budget(rng: Random, name: str) -> dict[str, Any]:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "selector": {"matchLabels": {"app": rng.choice(APPS)}},
            "minAvailable": rng.choice((0, 1, 2)),
        },
    }


def _random_affinity(rng: Random, app: str) -> dict[str, Any]:
    kind = rng.choice(("podAntiAffinity", "podAntiAffinity", "podAffinity"))
    other = app if kind == "podAntiAffinity" else rng.choice(APPS)
    term = {
        "labelSelector": {"matchLabels": {"app": other}},
        "topologyKey": rng.choice((HOSTNAME, HOSTNAME, ZONE)),
    }
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def _random_spreading(rng: Random, app: str) -> dict[str, Any]:
    return {
        "maxSkew": rng.choice((1, 2)),
        "topologyKey": rng.choice((HOSTNAME, ZONE)),
        "whenUnsatisfiable": rng.choice(("DoNotSchedule", "DoNotSchedule", "ScheduleAnyway")),
        "labelSelector": {"matchLabels": {"app": app}},
    }
