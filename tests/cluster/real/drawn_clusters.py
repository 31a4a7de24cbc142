"""Random small clusters that a real API server takes, with pods to schedule there.

They are those of the properties, brought into the form that the API server wants. Odd ones have
more of whatever default plugins look at: sidecars, overhead, further resources, host ports, other
profiles, gates and nominations.
"""

import copy
from dataclasses import dataclass

from tests.cluster.real.decided_profiles import PROFILES
from tests.cluster.real.server import Json
from tests.properties import clusters
from tests.properties.clusters import APPS, EFFECTS, HOST, ZONE
from tests.properties.volume_clusters import Dice

GPU = "example.com/gpu"
HASH = "pod-hash"
GATE = "example.com/gate"
OVERHEAD = "heavy"
PRIORITIES = (-5, 0, 10, 100, 1000)
POLICIES = ("PreemptLowerPriority", "Never")
NODE_EXPRESSIONS = (
    {"key": "num", "operator": "Gt", "values": ["3"]},
    {"key": "num", "operator": "Lt", "values": ["7"]},
    {"key": ZONE, "operator": "NotIn", "values": ["z1", "z2"]},
    {"key": "disk", "operator": "In", "values": ["ssd", "hdd"]},
)
TOLERATIONS = (
    {"operator": "Exists"},
    {"key": "keep", "operator": "Equal", "value": "a", "effect": "NoSchedule"},
    {"key": "keep", "value": "b"},
    {"key": "keep", "operator": "Exists", "effect": "PreferNoSchedule"},
    {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"},
)
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True)
class Drawn:
    """A cluster, in the order in which it is made, and the pods that come one after the other."""

    objects: list[Json]
    pending: list[Json]


def class_name(priority: int, policy: str = "PreemptLowerPriority") -> str:
    """The PriorityClass of a priority and a preemption policy."""
    return f"{policy.lower()}-{priority}".replace("--", "-minus-")


def drawn_cluster(seed: int, *, is_odd: bool = False) -> Drawn:
    dice = Dice(seed)
    scenario = clusters.scenario(dice)
    pending = [*scenario["pending"], *(clusters.related_pod(dice, f"r{i}") for i in range(2))]
    placed = [pod for pod in scenario["pods"] if pod["spec"].get("nodeName")]
    # Among alike pods that have started at once, kube-scheduler takes any.
    seconds = sorted(range(len(placed)), key=lambda _: dice.one(*range(1_000)))
    for pod, second in zip(placed, seconds, strict=True):
        pod["status"]["startTime"] = f"2026-01-01T00:{second // 60:02}:{second % 60:02}Z"
    odd_node = _odd_node if is_odd else lambda _, node: node
    odd_pod = _odd_pod if is_odd else lambda _, pod: pod
    objects = [
        *(_node(odd_node(dice, copy.deepcopy(node))) for node in scenario["nodes"]),
        *(_service(obj) for obj in scenario.get("services", ())),
        *(_replica_set(obj) for obj in scenario.get("replicaSets", ())),
        *(_budget(obj, is_odd) for obj in scenario["pdbs"]),
        *(_pod(odd_pod(dice, copy.deepcopy(pod))) for pod in placed),
    ]
    new = [_pod(odd_pod(dice, copy.deepcopy(pod))) for pod in pending]
    return Drawn(objects, [_coming(dice, pod) if is_odd else _without_status(pod) for pod in new])


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


def _budget(budget: Json, has_disrupted: bool) -> Json:
    counts = {"currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1, "observedGeneration": 1}
    status = {**budget["status"], **counts}
    if not has_disrupted:
        status.pop("disruptedPods", None)
    spec = {**budget["spec"], "maxUnavailable": 1}
    return {**budget, "kind": "PodDisruptionBudget", "spec": spec, "status": status}


def _pod(pod: Json) -> Json:
    """With its priority as a class, and without what the API server refuses."""
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


def _without_status(pod: Json) -> Json:
    return {**pod, "status": {}}


def _coming(dice: Dice, pod: Json) -> Json:
    """Of any profile; one that is nominated has to wait at a gate until it is."""
    spec = {**pod["spec"], "schedulerName": dice.one(*PROFILES)}
    if pod["status"] or dice.chance(10):
        spec["schedulingGates"] = [{"name": GATE}]
    return {**pod, "spec": spec}


def _odd_node(dice: Dice, node: Json) -> Json:
    labels = dice.fields(70, num=str(dice.one(*range(10))), rack=dice.one(*"abc"))
    node["metadata"]["labels"] |= labels
    node["status"]["allocatable"] |= {
        **dice.fields(50, **{GPU: dice.one("0", "1", "2", "4")}),
        **dice.fields(80, **{"ephemeral-storage": dice.one("2Gi", "10Gi")}),
    }
    if dice.chance(20):
        taint = {"key": "other", "effect": dice.one(*EFFECTS)}
        node["spec"]["taints"] = [*node["spec"].get("taints", ()), taint]
    names = dice.one("web:v1", "docker.io/library/db:latest", "db:latest")
    image = {"names": [names], "sizeBytes": dice.one(50, 300, 900) * 2**20}
    node["status"] |= dice.fields(30, images=[image])
    return node


def _odd_pod(dice: Dice, pod: Json) -> Json:
    spec = pod["spec"]
    pod["metadata"]["labels"] = {
        **pod["metadata"].get("labels", {}),
        **dice.fields(30, **{HASH: dice.one("1", "2")}),
    }
    _ask_for_more(dice, spec)
    spec |= dice.fields(
        20, nodeSelector=dice.one({"disk": "ssd"}, {"num": "5"}, {ZONE: "z1"})
    ) | dice.fields(12, runtimeClassName=OVERHEAD)
    if dice.chance(25):
        _choose_nodes(dice, spec.setdefault("affinity", {}).setdefault("nodeAffinity", {}))
    if dice.chance(30):
        spec["tolerations"] = [*spec.get("tolerations", ()), dice.one(*TOLERATIONS)]
    _relate_otherwise(dice, spec)
    return pod


def _ask_for_more(dice: Dice, spec: Json) -> None:
    def container(name: str, **requests: str) -> Json:
        return {"name": name, "image": "db", "resources": {"requests": requests}}

    sidecar = container("s", cpu=dice.one("100m", "300m")) | {"restartPolicy": "Always"}
    first = container("i", cpu=dice.one("200m", "1500m"), memory=dice.one("128Mi", "1Gi"))
    inits = [one for one in (sidecar, first) if dice.chance(22)]
    asked = spec["containers"][0]["resources"]["requests"]
    if dice.chance(20):
        asked[GPU] = dice.one("1", "2")
        spec["containers"][0]["resources"]["limits"] = {GPU: asked[GPU]}
    asked |= dice.fields(15, **{"ephemeral-storage": dice.one("1Gi", "3Gi")})
    if dice.chance(15):
        address = dice.one({}, {"hostIP": "127.0.0.1"}, {"hostIP": "10.0.0.1"})
        port = {"hostPort": dice.one(80, 81), "protocol": dice.one("TCP", "UDP"), **address}
        spec["containers"][0]["ports"] = [port]
    if dice.chance(15):
        spec["containers"].append(container("d", cpu="100m", memory="64Mi"))
    whole = {"requests": {"cpu": dice.one("2", "2500m"), "memory": "3Gi"}}
    spec |= dice.fields(15, resources=whole) | ({"initContainers": inits} if inits else {})


def _choose_nodes(dice: Dice, affinity: Json) -> None:
    fields = [{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}]
    term = {"matchExpressions": [dice.one(*NODE_EXPRESSIONS)]}
    if dice.chance(50):
        other = {"matchExpressions": [{"key": "disk", "operator": "DoesNotExist"}]}
        terms = [term | dice.fields(50, matchFields=fields), *([other] if dice.chance(30) else [])]
        affinity[REQUIRED] = {"nodeSelectorTerms": terms}
    else:
        weighted = {"weight": dice.one(1, 40, 100), "preference": term}
        affinity[PREFERRED] = [*affinity.get(PREFERRED, ()), weighted]


def _relate_otherwise(dice: Dice, spec: Json) -> None:
    for kind in ("podAffinity", "podAntiAffinity"):
        for term in spec.get("affinity", {}).get(kind, {}).get(REQUIRED, ()):
            if dice.chance(30) and "labelSelector" in term:
                term[dice.one("matchLabelKeys", "mismatchLabelKeys")] = [HASH]
            if dice.chance(15):
                term.pop("namespaces", None)
                term["namespaceSelector"] = {}
    constraints = spec.setdefault("topologySpreadConstraints", [])
    for one in constraints:
        if dice.chance(30):
            one["matchLabelKeys"] = [HASH]
    if dice.chance(15):
        constraints.append(
            {
                "maxSkew": 1,
                "topologyKey": dice.one("rack", HOST),
                "whenUnsatisfiable": dice.one("DoNotSchedule", "ScheduleAnyway"),
                "labelSelector": {"matchLabels": {"app": dice.one(*APPS)}},
                "nodeAffinityPolicy": dice.one("Honor", "Ignore"),
                "nodeTaintsPolicy": dice.one("Honor", "Ignore"),
            }
        )
