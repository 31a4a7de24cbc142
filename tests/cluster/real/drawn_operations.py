"""Random workloads, and what people, kubelets and a scheduler do to them, step by step."""

from dataclasses import dataclass, field

from tests.cluster.real.server import Json
from tests.properties.volume_clusters import Dice

NODES = "/api/v1/nodes"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
WORKLOADS = {
    "Deployment": "/apis/apps/v1/namespaces/default/deployments",
    "StatefulSet": "/apis/apps/v1/namespaces/default/statefulsets",
    "DaemonSet": "/apis/apps/v1/namespaces/default/daemonsets",
    "Job": "/apis/batch/v1/namespaces/default/jobs",
}
NAME = "w"
NODE_COUNT = 3
_LABELS = {"app": "a"}
_DISKS = ("ssd", "hdd")
_ENDS = ("delete", "remove", "remove")


@dataclass(frozen=True)
class Operation:
    """A request, or something done to one of the pods, or to all.

    Attributes:
        what: its method, or what is done to the pod: `ready`, `fail 3`, `bind all`.
        path: of the request; empty for pods.
        body: of the request.
    """

    what: str
    path: str = ""
    body: Json = field(default_factory=dict)


def drawn_start(dice: Dice, kind: str) -> list[Operation]:
    """A workload, the nodes that it needs, and maybe a budget."""
    made = [_node(dice, f"n{i}") for i in range(NODE_COUNT)] if kind == "DaemonSet" else []
    bounds = ({"minAvailable": 1}, {"maxUnavailable": 1}, {"minAvailable": "50%"})
    if dice.chance(50):
        spec = {
            "selector": {"matchLabels": _LABELS},
            **dice.one(*bounds, {"maxUnavailable": "34%"}),
        }
        made.append(Operation("POST", BUDGETS, {"metadata": {"name": "b"}, "spec": spec}))
    body = {"metadata": {"name": NAME}, "spec": _SPECS[kind](dice)}
    return [*made, Operation("POST", WORKLOADS[kind], body)]


def drawn_operation(dice: Dice, kind: str, *, is_bound: bool) -> Operation:
    """What happens next.

    Args:
        dice: of this run.
        kind: of the workload.
        is_bound: whether pods come onto nodes, where they end only when a kubelet says so.
    """
    of_pods = ["ready"] * 4 + ["unready", *_ENDS]
    if is_bound:
        of_pods += ["bind all"] * 4 + ["remove"] * 2
    if kind == "Job":
        of_pods += ["succeed", "succeed", "fail 1", "fail 3"]
    changes = _changes(dice, kind)
    return dice.one(*changes, *(Operation(what) for what in of_pods))


def _changes(dice: Dice, kind: str) -> list[Operation]:
    images = [{"name": "c", "image": dice.one("v1", "v2", "v3")}]
    image = {"template": {"spec": {"containers": images}}}
    scale = {"replicas": dice.one(*range(6))}
    specs = {
        "Deployment": (scale, image, {"paused": dice.one(True, None, None)}),
        "StatefulSet": (scale, image),
        "DaemonSet": (image,),
        "Job": ({"suspend": dice.chance(40)}, {"parallelism": dice.one(0, 1, 2, 3)}),
    }
    path = f"{WORKLOADS[kind]}/{NAME}"
    changes = [Operation("PATCH", path, {"spec": spec}) for spec in specs[kind]]
    if kind != "DaemonSet":
        return changes
    node = f"{NODES}/n{dice.one(*range(NODE_COUNT))}"
    taints = [None, *([{"key": "k", "effect": effect}] for effect in ("NoSchedule", "NoExecute"))]
    return [
        *changes,
        Operation("PATCH", node, {"spec": {"taints": dice.one(*taints)}}),
        Operation("PATCH", node, {"spec": {"unschedulable": dice.chance(50)}}),
        Operation("PATCH", node, {"metadata": {"labels": {"disk": dice.one(*_DISKS)}}}),
        Operation("DELETE", node),
    ]


def _node(dice: Dice, name: str) -> Operation:
    amounts = {"cpu": "4", "pods": "20"}
    ready = [{"type": "Ready", "status": "True"}]
    status = {"allocatable": amounts, "capacity": amounts, "conditions": ready}
    metadata = {"name": name, "labels": {"disk": dice.one(*_DISKS)}}
    return Operation("POST", NODES, {"metadata": metadata, "status": status})


def _template(**spec: object) -> Json:
    containers = [{"name": "c", "image": "v1"}]
    return {"metadata": {"labels": _LABELS}, "spec": {"containers": containers, **spec}}


def _selected(**template: object) -> Json:
    return {"selector": {"matchLabels": _LABELS}, "template": _template(**template)}


def _deployment(dice: Dice) -> Json:
    rolling = {"maxSurge": dice.one(0, 1, "50%"), "maxUnavailable": dice.one(1, "25%")}
    strategy = dice.one({"type": "Recreate"}, {"rollingUpdate": rolling}, {})
    counts = {"replicas": dice.one(1, 2, 3, 4), "revisionHistoryLimit": dice.one(1, 10)}
    return {**_selected(), "strategy": strategy, **counts}


def _stateful_set(dice: Dice) -> Json:
    return {
        **_selected(),
        "serviceName": NAME,
        "replicas": dice.one(1, 2, 3),
        "podManagementPolicy": dice.one("OrderedReady", "Parallel"),
        "updateStrategy": dice.one({}, {"type": "OnDelete"}, {"rollingUpdate": {"partition": 1}}),
        **dice.one({}, {"ordinals": {"start": 2}}),
    }


def _daemon_set(dice: Dice) -> Json:
    rolling = ({"maxSurge": 1, "maxUnavailable": 0}, {"maxUnavailable": 2})
    strategies = ({}, {"type": "OnDelete"}, *({"rollingUpdate": one} for one in rolling))
    chosen = {"nodeSelector": {"disk": "ssd"}} if dice.chance(40) else {}
    return {**_selected(**chosen), "updateStrategy": dice.one(*strategies)}


def _job(dice: Dice) -> Json:
    spec = {
        "template": _template(restartPolicy="Never"),
        "parallelism": dice.one(1, 2, 3),
        "backoffLimit": dice.one(0, 1, 6),
        "suspend": dice.chance(15),
    }
    actions = ["FailJob", "Ignore", "Count"]
    is_indexed = dice.chance(50)
    if is_indexed or dice.chance(80):
        spec["completions"] = dice.one(1, 2, 3, 4)
    if is_indexed:
        spec["completionMode"] = "Indexed"
        if dice.chance(30):
            del spec["backoffLimit"]
            spec |= {"backoffLimitPerIndex": dice.one(0, 1), "maxFailedIndexes": 1}
            actions.append("FailIndex")
        spec |= dice.fields(30, successPolicy={"rules": [{"succeededCount": 1}]})
    spec |= dice.fields(25, podReplacementPolicy=dice.one("Failed", "TerminatingOrFailed"))
    if dice.chance(30):
        codes = {"operator": "In", "values": [3]}
        rules = [{"action": dice.one(*actions), "onExitCodes": codes}]
        spec |= {"podReplacementPolicy": "Failed", "podFailurePolicy": {"rules": rules}}
    return spec


_SPECS = {
    "Deployment": _deployment,
    "StatefulSet": _stateful_set,
    "DaemonSet": _daemon_set,
    "Job": _job,
}
