"""The nodes and pods that workloads are made of, as kube-scheduler's performance suite has them.

Shapes, amounts, labels and constraints are those of scheduler_perf's templates, v1.36. A template
has a `generateName`; `podium.simulation.benchmarks.object_factory` makes objects of it.
"""

from collections.abc import Callable, Mapping
from typing import Any

from podium.api.well_known import HOSTNAME_LABEL, PREFERRED, REQUIRED, ZONE_LABEL

Object = dict[str, Any]

Vary = Callable[[Mapping[str, Any], int], None]
"""Makes a pod differ from the others of its template, in place, by its number among them."""

AFFINITY_NAMESPACES = ("sched-0", "sched-1")
NAMED_NODE = "scheduler-perf-node"


def _node(pods: str, cpu: str = "4", memory: str = "32Gi", **metadata: Any) -> Object:
    capacity = {"cpu": cpu, "memory": memory, "pods": pods}
    conditions = [{"type": "Ready", "status": "True"}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "spec": {},
        "status": {"capacity": capacity, "conditions": conditions, "phase": "Running"},
    }


def _pod(prefix: str, container: Object, color: str = "", **spec: Any) -> Object:
    metadata: Object = {"generateName": prefix}
    if color:
        metadata["labels"] = {"color": color}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {**spec, "containers": [container]},
    }


def _pause(cpu: str = "100m", *, limited: bool = True) -> Object:
    amounts = {"cpu": cpu, "memory": "500Mi"}
    resources = {"requests": amounts, **({"limits": amounts} if limited else {})}
    return {**_BARE, "ports": [{"containerPort": 80}], "resources": resources}


def _selector(color: str) -> Object:
    return {"matchLabels": {"color": color}}


def _term(color: str, topology_key: str) -> Object:
    return {
        "labelSelector": _selector(color),
        "topologyKey": topology_key,
        "namespaces": [*AFFINITY_NAMESPACES],
    }


def _required(kind: str, term: Object) -> Object:
    return {kind: {REQUIRED: [term]}}


def _preferred(kind: str, term: Object) -> Object:
    weighted = {"weight": 1, "podAffinityTerm": term}
    return {kind: {PREFERRED: [weighted]}}


def _node_affinity(term: Object) -> Object:
    selector = {"nodeSelectorTerms": [term]}
    return {"nodeAffinity": {REQUIRED: selector}}


def _spread_over_zones(when_unsatisfiable: str) -> list[Object]:
    return [
        {
            "maxSkew": 5,
            "topologyKey": ZONE_LABEL,
            "whenUnsatisfiable": when_unsatisfiable,
            "labelSelector": _selector("blue"),
        }
    ]


def _in(key: str, *values: str) -> list[Object]:
    return [{"key": key, "operator": "In", "values": [*values]}]


_BARE: Mapping[str, Any] = {"name": "pause", "image": "registry.k8s.io/pause:3.10.1"}

NODE_DEFAULT = _node("110", generateName="scheduler-perf-")
NODE_OF_32_CPUS = _node("110", "32", "128Gi", generateName="large-")
NODE_WITH_NAME = _node("90000", name=NAMED_NODE)

POD_DEFAULT = _pod("pod-", _pause())
POD_LOW_PRIORITY = _pod("pod-", _pause("900m"), terminationGracePeriodSeconds=0)
POD_HIGH_PRIORITY = _pod("pod-", _pause("3000m"), priority=10)
POD_HIGH_PRIORITY_LARGE_CPU = _pod("pod-h-", _pause("9", limited=False), priority=10)
POD_OF_DAEMON_SET = _pod(
    "daemonset-",
    {**_BARE},
    affinity=_node_affinity({"matchFields": _in("metadata.name", NAMED_NODE)}),
)
POD_WITH_NODE_AFFINITY = _pod(
    "node-affinity-",
    _pause(),
    affinity=_node_affinity({"matchExpressions": _in(ZONE_LABEL, "zone1", "zone2")}),
)
POD_WITH_POD_AFFINITY = _pod(
    "affinity-pod-",
    _pause(),
    "blue",
    affinity=_required("podAffinity", _term("blue", ZONE_LABEL)),
)
POD_WITH_POD_ANTI_AFFINITY = _pod(
    "anti-affinity-pod-",
    _pause(),
    "green",
    affinity=_required("podAntiAffinity", _term("green", HOSTNAME_LABEL)),
)
POD_WITH_PREFERRED_POD_AFFINITY = _pod(
    "preferred-affinity-pod-",
    _pause(),
    "red",
    affinity=_preferred("podAffinity", _term("red", HOSTNAME_LABEL)),
)
POD_WITH_PREFERRED_POD_ANTI_AFFINITY = _pod(
    "preferred-anti-affinity-pod-",
    _pause(),
    "yellow",
    affinity=_preferred("podAntiAffinity", _term("yellow", HOSTNAME_LABEL)),
)
POD_WITH_TOPOLOGY_SPREADING = _pod(
    "spreading-pod-",
    _pause(),
    "blue",
    topologySpreadConstraints=_spread_over_zones("DoNotSchedule"),
)
POD_WITH_PREFERRED_TOPOLOGY_SPREADING = _pod(
    "spreading-pod-",
    _pause(),
    "blue",
    topologySpreadConstraints=_spread_over_zones("ScheduleAnyway"),
)
