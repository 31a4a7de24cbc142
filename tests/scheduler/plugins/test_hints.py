"""What may help pods that were rejected for the sake of a node: nodes, their pods, and updates."""

from typing import Any

import pytest

from podium.scheduler.config.args import NodeAffinityArgs, NodeResourcesFitArgs
from podium.scheduler.framework.cluster_events import (
    Action,
    ClusterEvent,
    EnqueueExtensions,
    EventResource,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.plugins.default_preemption import DefaultPreemption
from podium.scheduler.plugins.dynamic_resources import DynamicResources
from podium.scheduler.plugins.node_affinity import NodeAffinity
from podium.scheduler.plugins.node_declared_features import NodeDeclaredFeatures
from podium.scheduler.plugins.node_name import NodeName
from podium.scheduler.plugins.node_ports import NodePorts
from podium.scheduler.plugins.node_resources_fit import NodeResourcesFit
from podium.scheduler.plugins.node_unschedulable import NodeUnschedulable
from podium.scheduler.plugins.scheduling_gates import SchedulingGates
from podium.scheduler.plugins.taint_toleration import TaintToleration
from podium.scheduler.scheduler import Scheduler
from tests.scheduler.plugins.asking import (
    GONE,
    ITSELF,
    NEW,
    NODE,
    POD,
    QUEUE,
    SKIP,
    Line,
    Obj,
    check,
    table,
)
from tests.scheduler.plugins.small_cluster import cluster, node, pod, requesting

UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
GPU = "example.com/gpu"


@pytest.fixture
def handle() -> Handle:
    return cluster([])


def tainted(*effects: str) -> Obj:
    return {**node("n"), "spec": {"taints": [{"key": "keep", "effect": e} for e in effects]}}


def cordoned(unschedulable: bool = True) -> Obj:
    return {**node("n"), "spec": {"unschedulable": unschedulable}}


def tolerating(key: str) -> Obj:
    return pod(tolerations=[{"key": key, "operator": "Exists"}])


def sized(**allocatable: str) -> Obj:
    return node("n", **{"pods": "10", **allocatable})


def declaring(*features: str) -> Obj:
    return {**node("n"), "status": {"declaredFeatures": [*features]}}


def holding(port: int, **more: Any) -> Obj:
    ports = [{"containerPort": port, "hostPort": port, **more}]
    return pod("other", containers=[{"name": "c", "ports": ports}])


def requiring(key: str, value: str) -> Obj:
    expression = {"key": key, "operator": "In", "values": [value]}
    return {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [expression]}]
        }
    }


@table(
    ("the last gate went", pod(), ITSELF, pod(schedulingGates=[{"name": "g"}]), pod(), QUEUE),
    ("something else changed", pod(), ITSELF, pod(), tolerating("keep"), SKIP),
)
def test_scheduling_gates(handle: Handle, line: Line) -> None:
    check(SchedulingGates(handle), handle, line)


@table(
    ("an open node came", pod(), NODE, NEW, node("n"), QUEUE),
    ("a cordoned one came", pod(), NODE, NEW, cordoned(), SKIP),
    ("a node was uncordoned", pod(), NODE, cordoned(), cordoned(False), QUEUE),
    ("a node was cordoned", pod(), NODE, node("n"), cordoned(), SKIP),
    ("an open node got a taint", pod(), NODE, node("n"), tainted("NoSchedule"), SKIP),
    ("the pod tolerates it", pod(), ITSELF, pod(), tolerating(UNSCHEDULABLE), QUEUE),
    ("the pod tolerates something else", pod(), ITSELF, pod(), tolerating("keep"), SKIP),
)
def test_node_unschedulable(handle: Handle, line: Line) -> None:
    check(NodeUnschedulable(handle), handle, line)


@table(
    ("a node came", pod(nodeName="n"), NODE, NEW, node("n"), QUEUE),
    ("a node changed", pod(nodeName="n"), NODE, node("n"), node("n", {"a": "b"}), SKIP),
    ("a taint went", pod(nodeName="n"), NODE, tainted("NoSchedule"), node("n"), QUEUE),
    ("a taint came", pod(nodeName="n"), NODE, node("n"), tainted("NoSchedule"), QUEUE),
    ("a pod went", pod(nodeName="n"), POD, pod("other"), GONE, SKIP),
)
def test_node_name(handle: Handle, line: Line) -> None:
    check(NodeName(handle), handle, line)


@table(
    ("a free node came", pod(), NODE, NEW, node("n"), QUEUE),
    ("a tainted one came", pod(), NODE, NEW, tainted("NoExecute"), SKIP),
    ("a tolerated one came", tolerating("keep"), NODE, NEW, tainted("NoExecute"), QUEUE),
    ("the taint went", pod(), NODE, tainted("NoSchedule"), node("n"), QUEUE),
    (
        "one of two went",
        pod(),
        NODE,
        tainted("NoSchedule", "NoExecute"),
        tainted("NoExecute"),
        SKIP,
    ),
    ("it is softened", pod(), NODE, tainted("NoSchedule"), tainted("PreferNoSchedule"), QUEUE),
    ("a mild one went", pod(), NODE, tainted("PreferNoSchedule"), node("n"), SKIP),
    ("labels changed", pod(), NODE, node("n"), node("n", {"a": "b"}), SKIP),
    ("the pod tolerates something", pod(), ITSELF, pod(), tolerating("any"), QUEUE),
)
def test_taint_toleration(handle: Handle, line: Line) -> None:
    check(TaintToleration(handle), handle, line)


SSD = pod(nodeSelector={"disk": "ssd"})
SSD_OF_B, ALL = {"disk": "ssd", "team": "b"}, {"disk": "ssd", "team": "a"}


@table(
    ("a matching node came", SSD, NODE, NEW, node("n", {"disk": "ssd"}), QUEUE),
    ("another one came", SSD, NODE, NEW, node("n", {"disk": "hdd"}), SKIP),
    ("a node begins to match", SSD, NODE, node("n"), node("n", {"disk": "ssd"}), QUEUE),
    (
        "it has matched before",
        SSD,
        NODE,
        node("n", {"disk": "ssd"}),
        node("n", {"disk": "ssd", "a": "b"}),
        SKIP,
    ),
    ("it ceases to match", SSD, NODE, node("n", {"disk": "ssd"}), node("n"), SKIP),
    ("a taint went where it doesn't match", SSD, NODE, tainted("NoSchedule"), node("n"), QUEUE),
)
def test_node_affinity(handle: Handle, line: Line) -> None:
    check(NodeAffinity(handle), handle, line)


@table(
    ("the pod's own selector matched before", SSD, NODE, node("n", SSD_OF_B), node("n", ALL), SKIP),
    ("both begin to match", SSD, NODE, node("n"), node("n", ALL), QUEUE),
    ("the pod's own begins to match", SSD, NODE, node("n", {"team": "a"}), node("n", ALL), QUEUE),
    ("what is added doesn't match", SSD, NODE, node("n"), node("n", SSD_OF_B), SKIP),
    ("a node came for which that is so", SSD, NODE, NEW, node("n", SSD_OF_B), SKIP),
)
def test_node_affinity_with_added_affinity(handle: Handle, line: Line) -> None:
    """Whether what is added matched before isn't asked, as in v1.36."""
    added = NodeAffinityArgs(added_affinity=requiring("team", "a"))
    check(NodeAffinity(handle, added), handle, line)


WEB = pod(containers=holding(80)["spec"]["containers"])


@table(
    ("the port's holder went", WEB, POD, holding(80), GONE, QUEUE),
    ("another port's holder went", WEB, POD, holding(81), GONE, SKIP),
    ("another protocol's holder went", WEB, POD, holding(80, protocol="UDP"), GONE, SKIP),
    ("one of a single address went", WEB, POD, holding(80, hostIP="10.0.0.1"), GONE, QUEUE),
    ("one without ports went", WEB, POD, pod("other"), GONE, SKIP),
    ("a node came", WEB, NODE, NEW, node("n"), QUEUE),
    ("a node changed", WEB, NODE, node("n"), sized(cpu="8"), SKIP),
)
def test_node_ports(handle: Handle, line: Line) -> None:
    check(NodePorts(handle), handle, line)


ONE_CPU = requesting(cpu="1")
ONE_GPU = requesting(**{GPU: "1"})
ONE_CLASS = requesting(**{"deviceclass.resource.kubernetes.io/gpus": "1"})
CLASS = EventResource.DEVICE_CLASS


def device_class(extended_resource: str = "") -> Obj:
    spec = {"extendedResourceName": extended_resource} if extended_resource else {}
    return {"kind": "DeviceClass", "metadata": {"name": "gpus"}, "spec": spec}


@table(
    ("a pod went", ONE_CPU, POD, requesting("other", memory="1Gi"), GONE, QUEUE),
    ("a pod came", ONE_CPU, POD, NEW, pod("other"), SKIP),
    (
        "a pod takes less cpu",
        ONE_CPU,
        POD,
        requesting("other", cpu="2"),
        requesting("other", cpu="1"),
        QUEUE,
    ),
    (
        "a pod takes less memory",
        ONE_CPU,
        POD,
        requesting("other", memory="2Gi"),
        requesting("other", memory="1Gi"),
        SKIP,
    ),
    ("the pod itself wants less", ONE_CPU, ITSELF, requesting(cpu="2"), ONE_CPU, QUEUE),
    ("a large enough node came", ONE_CPU, NODE, NEW, sized(cpu="1"), QUEUE),
    ("too small a node came", ONE_CPU, NODE, NEW, sized(cpu="500m"), SKIP),
    ("a node for one pod came", ONE_CPU, NODE, NEW, sized(cpu="1", pods="1"), QUEUE),
    ("a node for no pods came", ONE_CPU, NODE, NEW, sized(cpu="1", pods="0"), SKIP),
    ("a node grew", ONE_CPU, NODE, sized(cpu="1"), sized(cpu="2"), QUEUE),
    ("it grew too little", ONE_CPU, NODE, sized(cpu="100m"), sized(cpu="200m"), SKIP),
    (
        "it grew elsewhere",
        ONE_CPU,
        NODE,
        sized(cpu="1", memory="1Gi"),
        sized(cpu="1", memory="2Gi"),
        SKIP,
    ),
    ("it takes more pods", ONE_CPU, NODE, sized(cpu="1"), sized(cpu="1", pods="20"), QUEUE),
    ("it shrank", ONE_CPU, NODE, sized(cpu="2"), sized(cpu="1"), SKIP),
    ("a taint changed", ONE_CPU, NODE, tainted("NoSchedule"), tainted("NoExecute"), QUEUE),
    ("a class stands for it", ONE_GPU, CLASS, NEW, device_class(GPU), QUEUE),
    ("a class stands for it by its name", ONE_CLASS, CLASS, NEW, device_class(), QUEUE),
    ("a class stands for it now", ONE_GPU, CLASS, device_class(), device_class(GPU), QUEUE),
    ("a class changed otherwise", ONE_GPU, CLASS, device_class(GPU), device_class(GPU), SKIP),
    ("another class came", ONE_CPU, CLASS, NEW, device_class(GPU), SKIP),
)
def test_node_resources_fit(handle: Handle, line: Line) -> None:
    check(NodeResourcesFit(handle), handle, line)


def test_hints_look_for_ignored_resources_as_well(handle: Handle) -> None:
    plugin = NodeResourcesFit(handle, NodeResourcesFitArgs(ignored_resources=frozenset({GPU})))
    waiting = requesting(**{"cpu": "1", GPU: "1"})
    check(plugin, handle, (waiting, NODE, NEW, sized(cpu="1"), SKIP))
    check(plugin, handle, (waiting, NODE, NEW, sized(**{"cpu": "1", GPU: "1"}), QUEUE))


USER_NAMESPACE = pod(hostNetwork=True, hostUsers=False)
FEATURE = "UserNamespacesHostNetworkSupport"


@table(
    ("a node came", USER_NAMESPACE, NODE, NEW, node("n"), QUEUE),
    ("a node declares more", USER_NAMESPACE, NODE, declaring(), declaring(FEATURE), QUEUE),
    ("a node got a label", USER_NAMESPACE, NODE, node("n"), node("n", {"a": "b"}), SKIP),
    ("a taint came", USER_NAMESPACE, NODE, declaring(), tainted("NoSchedule"), QUEUE),
    ("the pod needs less", USER_NAMESPACE, ITSELF, USER_NAMESPACE, pod(), QUEUE),
    ("the pod needs the same", USER_NAMESPACE, ITSELF, pod(), tolerating("keep"), SKIP),
)
def test_node_declared_features(handle: Handle, line: Line) -> None:
    check(NodeDeclaredFeatures(handle), handle, line)


def test_pods_held_back_by_preemption_are_looked_at_but_not_called(handle: Handle) -> None:
    scheduler = Scheduler()
    plugin = next(
        p
        for p in scheduler.pipelines["default-scheduler"].post_filter
        if p.name == DefaultPreemption.name
    )
    assert isinstance(plugin, EnqueueExtensions)
    (entry,) = plugin.events_to_register()
    assert entry.event == ClusterEvent(POD, Action.DELETE)
    check(plugin, handle, (pod(), POD, pod("other"), GONE, SKIP))


def test_nothing_helps_pods_with_claims_that_podium_does_not_model(handle: Handle) -> None:
    assert not DynamicResources(handle).events_to_register()
