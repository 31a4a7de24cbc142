"""Random small clusters for plugins that look at nodes and the pods on them.

What nodes and pods can be like comes in parts, so that a test draws only what its plugin reads.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from podium.scheduler.framework.handle import Handle
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod, placed_pod
from podium.scheduler.snapshot.snapshot import Snapshot
from tests.objects import Obj

Objects = st.SearchStrategy[Obj]

NAMES = ["n0", "n1", "n2", "n3"]
# A node that came and went leaves a row behind that must never matter.
GONE = "gone"

AMOUNTS: dict[str, list[str]] = {
    "cpu": ["0", "100m", "250m", "333m", "1", "1500m", "4"],
    "memory": ["0", "64Mi", "123456789", "200Mi", "1Gi", "3Gi", "8Gi"],
    "ephemeral-storage": ["0", "1Gi", "3G", "10Gi"],
    "example.com/gpu": ["0", "1", "2", "4"],
    "other.com/nic": ["1", "3"],
    "hugepages-2Mi": ["2Mi", "6Mi"],
}


def of(*choices: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(choices)


def some(strategy: st.SearchStrategy[Any], most: int = 2) -> st.SearchStrategy[list[Any]]:
    return st.lists(strategy, max_size=most)


def obj(always: Obj | None = None, **optional: st.SearchStrategy[Any]) -> Objects:
    return st.fixed_dictionaries(always or {}, optional=optional)


KEYS, VALUES = of("zone", "disk", "gen"), of("a", "b", "3", "12")
EFFECTS = of("NoSchedule", "NoExecute", "PreferNoSchedule")
IMAGES = of("db", "db:latest", "reg.io:5000/web", "reg.io:5000/web:v1", "web@sha256:12")
AMOUNT_MAPS = obj(**{name: of(*texts) for name, texts in AMOUNTS.items()})

TAINTS = obj({"key": KEYS, "effect": EFFECTS}, value=VALUES)
TAINT_KEYS = KEYS | st.just("node.kubernetes.io/unschedulable")
TOLERATIONS = obj(key=TAINT_KEYS, operator=of("Equal", "Exists"), value=VALUES, effect=EFFECTS)

EXPRESSIONS = st.one_of(
    obj({"key": KEYS, "operator": of("In", "NotIn"), "values": of(["a"], ["b", "3"], [])}),
    obj({"key": KEYS, "operator": of("Exists", "DoesNotExist")}),
    obj({"key": KEYS, "operator": of("Gt", "Lt"), "values": of(["3"], ["5"], ["x"])}),
)
FIELDS = obj(
    {
        "key": of("metadata.name", "metadata.name", "metadata.namespace"),
        "operator": of("In", "NotIn"),
        "values": of(["n0"], ["n1"], ["n2"], [GONE], [""], ["n0", "n1"]),
    }
)
TERMS = obj(matchExpressions=some(EXPRESSIONS), matchFields=some(FIELDS))
NODE_AFFINITY = obj(
    requiredDuringSchedulingIgnoredDuringExecution=obj({"nodeSelectorTerms": some(TERMS)}),
    preferredDuringSchedulingIgnoredDuringExecution=some(
        obj({"weight": of(1, 7, 100), "preference": TERMS})
    ),
)

PORTS = obj(
    {"hostPort": of(80, 80, 81, 0), "hostIP": of("", "0.0.0.0", "10.0.0.1", "10.0.0.2")},
    protocol=of("TCP", "TCP", "UDP"),
)
PORT_LISTS = st.lists(PORTS, min_size=1, max_size=2)
PRIORITIES = st.integers(0, 2)
RESOURCES = obj({"requests": AMOUNT_MAPS})
SIDECAR = of("Always")


def containers(
    always: Obj | None = None, least: int = 1, **optional: st.SearchStrategy[Any]
) -> st.SearchStrategy[list[Obj]]:
    return st.lists(
        obj({"name": st.just("c"), **(always or {})}, **optional), min_size=least, max_size=2
    )


RESOURCE_PODS = obj(
    {"containers": containers({"resources": RESOURCES})},
    initContainers=containers({"resources": RESOURCES}, restartPolicy=SIDECAR),
    overhead=of({"cpu": "50m"}, {"memory": "10Mi"}),
    resources=of({"requests": {"cpu": "2"}}),
)
PORT_PODS = obj(
    {"priority": PRIORITIES, "containers": containers({"ports": PORT_LISTS})},
    initContainers=containers({"ports": PORT_LISTS}, restartPolicy=SIDECAR),
)
IMAGE_PODS = obj(
    {"containers": containers({"image": IMAGES}, 0)},
    initContainers=containers({"image": IMAGES}),
    volumes=of([], [{"name": "v", "image": {"reference": "db"}}]),
)
TOLERANT_PODS = obj(tolerations=some(TOLERATIONS))
CHOOSY_PODS = obj(nodeSelector=of({}, {"zone": "a"}), affinity=obj(nodeAffinity=NODE_AFFINITY))
RULES = some(obj({"action": of("Restart", "RestartAllContainers")}), 1)
DEMANDING_PODS = obj(
    containers=containers(restartPolicyRules=RULES),
    initContainers=containers(restartPolicyRules=RULES),
    hostNetwork=st.booleans(),
    hostUsers=st.booleans(),
    nodeName=of("", "n0", "n1", "unknown"),
)

PLAIN_NODES = st.just({})
RESOURCE_NODES = st.builds(
    lambda amounts: {"status": {"allocatable": amounts}},
    obj(
        {
            "cpu": of("4", "6500m", "3", "0"),
            "memory": of("8Gi", "9876543210", "3Gi", "0"),
            "pods": of("3", "9", "0"),
        },
        **{name: of("0", "2", "5", "6Mi", "20Gi") for name in [*AMOUNTS][2:]},
    ),
)
LABELLED_NODES = st.builds(
    lambda labels: {"metadata": {"labels": labels}}, st.dictionaries(KEYS, VALUES)
)
TAINTED_NODES = st.builds(
    lambda taints, cordoned: {"spec": {"taints": taints, "unschedulable": cordoned}},
    some(TAINTS),
    st.booleans(),
)
FEATURES = of("RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport", "Other")
ABLE_NODES = st.builds(lambda features: {"status": {"declaredFeatures": features}}, some(FEATURES))
NODE_IMAGES = st.builds(
    lambda name, size_mib: {"names": [name], "sizeBytes": size_mib * 2**20 + 7},
    IMAGES,
    st.integers(0, 3000),
)
IMAGE_NODES = st.builds(lambda images: {"status": {"images": images}}, some(NODE_IMAGES, 3))


@dataclass
class Scene:
    """A cluster and a pod to schedule.

    Attributes:
        nodes: by name.
        pods: what each node has on it.
        pod: the pod to schedule.
        others: pods that could come.
    """

    nodes: dict[str, Obj]
    pods: dict[str, list[PodInfo]]
    pod: PodInfo
    others: list[PodInfo]
    snapshot: Snapshot

    @property
    def handle(self) -> Handle:
        return Handle(self.snapshot, Listers())

    @property
    def rows(self) -> NDArray[np.intp]:
        return np.array([self.snapshot.row_of[name] for name in self.nodes], np.intp)

    def objects_on(self, name: str) -> list[Obj]:
        return [dict(pod.obj) for pod in self.pods[name]]

    def move_some(self) -> None:
        """A pod leaves the last node, and others come to the first."""
        names = [*self.nodes]
        first, last = names[0], names[-1]
        for pod in self.pods[last][:1]:
            self.snapshot.remove_pod(pod)
            self.pods[last].remove(pod)
        for pod in self.others:
            self.snapshot.add_pod(pod, first)
            self.pods[first].append(pod)
        self.others = []


def _node(drawn: Obj, name: str) -> Obj:
    return {
        "metadata": {**drawn.get("metadata", {}), "name": name},
        "spec": drawn.get("spec", {}),
        "status": {"allocatable": {}, **drawn.get("status", {})},
    }


def _pod(spec: Obj, name: str) -> Obj:
    return {"metadata": {"name": name, "namespace": "default"}, "spec": spec}


@st.composite
def scenes(draw: st.DrawFn, nodes: Objects, pods: Objects, residents: Objects | None) -> Scene:
    """Nodes, a pod to schedule, and pods like `residents`, if any, on the nodes and elsewhere."""
    known = {name: _node(draw(nodes), name) for name in NAMES}
    snapshot = Snapshot()
    snapshot.set_node(_node(draw(nodes), GONE))
    snapshot.set_nodes(known.values())
    snapshot.remove_node(GONE)

    def placed(prefix: str, most: int) -> list[PodInfo]:
        specs = draw(some(residents, most)) if residents is not None else []
        named = [_pod(spec, f"{prefix}-{index}") for index, spec in enumerate(specs)]
        return [placed_pod(pod, snapshot.classes) for pod in named]

    on = {name: placed(name, 3) for name in NAMES}
    for name, infos in on.items():
        for info in infos:
            snapshot.add_pod(info, name)
    incoming = pending_pod(_pod(draw(pods), "incoming"), snapshot.classes)
    return Scene(known, on, incoming, placed("other", 2), snapshot)
