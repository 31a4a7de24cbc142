"""What may help pods that were rejected for the sake of nodes, or of other pods."""

from functools import partial
from typing import Any

import pytest

from podium.scheduler.config.args import (
    DefaultingType,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    TopologySpreadConstraint,
)
from podium.scheduler.framework.cluster_events import (
    Action,
    ClusterEvent,
    EnqueueExtensions,
    EventResource,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.plugins.default_preemption import DefaultPreemption
from podium.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from podium.scheduler.plugins.node_affinity import NodeAffinity
from podium.scheduler.plugins.node_declared_features import NodeDeclaredFeatures
from podium.scheduler.plugins.node_name import NodeName
from podium.scheduler.plugins.node_ports import NodePorts
from podium.scheduler.plugins.node_resources_fit import NodeResourcesFit
from podium.scheduler.plugins.node_unschedulable import NodeUnschedulable
from podium.scheduler.plugins.pod_topology_spread import PodTopologySpread
from podium.scheduler.plugins.scheduling_gates import SchedulingGates
from podium.scheduler.plugins.taint_toleration import TaintToleration
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import placed_pod
from tests.objects import HOST, ZONE, near, required
from tests.scheduler.plugins.asking import (
    GONE,
    ITSELF,
    NEW,
    NODE,
    POD,
    QUEUE,
    SKIP,
    Obj,
    check,
    hint_table,
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


test_scheduling_gates = hint_table(
    SchedulingGates,
    ("the last gate went", pod(), ITSELF, pod(schedulingGates=[{"name": "g"}]), pod(), QUEUE),
    ("something else changed", pod(), ITSELF, pod(), tolerating("keep"), SKIP),
)


test_node_unschedulable = hint_table(
    NodeUnschedulable,
    ("an open node came", pod(), NODE, NEW, node("n"), QUEUE),
    ("a cordoned one came", pod(), NODE, NEW, cordoned(), SKIP),
    ("a node was uncordoned", pod(), NODE, cordoned(), cordoned(False), QUEUE),
    ("a node was cordoned", pod(), NODE, node("n"), cordoned(), SKIP),
    ("an open node got a taint", pod(), NODE, node("n"), tainted("NoSchedule"), SKIP),
    ("the pod tolerates it", pod(), ITSELF, pod(), tolerating(UNSCHEDULABLE), QUEUE),
    ("the pod tolerates something else", pod(), ITSELF, pod(), tolerating("keep"), SKIP),
)


test_node_name = hint_table(
    NodeName,
    ("a node came", pod(nodeName="n"), NODE, NEW, node("n"), QUEUE),
    ("a node changed", pod(nodeName="n"), NODE, node("n"), node("n", {"a": "b"}), SKIP),
    ("a taint went", pod(nodeName="n"), NODE, tainted("NoSchedule"), node("n"), QUEUE),
    ("a taint came", pod(nodeName="n"), NODE, node("n"), tainted("NoSchedule"), QUEUE),
    ("a pod went", pod(nodeName="n"), POD, pod("other"), GONE, SKIP),
)


test_taint_toleration = hint_table(
    TaintToleration,
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


SSD = pod(nodeSelector={"disk": "ssd"})
SSD_OF_B, ALL = {"disk": "ssd", "team": "b"}, {"disk": "ssd", "team": "a"}


test_node_affinity = hint_table(
    NodeAffinity,
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


# Whether what is added matched before isn't asked, as in v1.36.
test_node_affinity_with_added_affinity = hint_table(
    partial(NodeAffinity, args=NodeAffinityArgs(added_affinity=requiring("team", "a"))),
    ("the pod's own selector matched before", SSD, NODE, node("n", SSD_OF_B), node("n", ALL), SKIP),
    ("both begin to match", SSD, NODE, node("n"), node("n", ALL), QUEUE),
    ("the pod's own begins to match", SSD, NODE, node("n", {"team": "a"}), node("n", ALL), QUEUE),
    ("what is added doesn't match", SSD, NODE, node("n"), node("n", SSD_OF_B), SKIP),
    ("a node came for which that is so", SSD, NODE, NEW, node("n", SSD_OF_B), SKIP),
)


WEB = pod(containers=holding(80)["spec"]["containers"])


test_node_ports = hint_table(
    NodePorts,
    ("the port's holder went", WEB, POD, holding(80), GONE, QUEUE),
    ("another port's holder went", WEB, POD, holding(81), GONE, SKIP),
    ("another protocol's holder went", WEB, POD, holding(80, protocol="UDP"), GONE, SKIP),
    ("one of a single address went", WEB, POD, holding(80, hostIP="10.0.0.1"), GONE, QUEUE),
    ("one without ports went", WEB, POD, pod("other"), GONE, SKIP),
    ("a node came", WEB, NODE, NEW, node("n"), QUEUE),
    ("a node changed", WEB, NODE, node("n"), sized(cpu="8"), SKIP),
)


ONE_CPU = requesting(cpu="1")
ONE_GPU = requesting(**{GPU: "1"})
ONE_CLASS = requesting(**{"deviceclass.resource.kubernetes.io/gpus": "1"})
CLASS = EventResource.DEVICE_CLASS


def device_class(extended_resource: str = "") -> Obj:
    spec = {"extendedResourceName": extended_resource} if extended_resource else {}
    return {"kind": "DeviceClass", "metadata": {"name": "gpus"}, "spec": spec}


test_node_resources_fit = hint_table(
    NodeResourcesFit,
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


def test_hints_look_for_ignored_resources_as_well(handle: Handle) -> None:
    plugin = NodeResourcesFit(handle, NodeResourcesFitArgs(ignored_resources=frozenset({GPU})))
    waiting = requesting(**{"cpu": "1", GPU: "1"})
    check(plugin, handle, (waiting, NODE, NEW, sized(cpu="1"), SKIP))
    check(plugin, handle, (waiting, NODE, NEW, sized(**{"cpu": "1", GPU: "1"}), QUEUE))


USER_NAMESPACE = pod(hostNetwork=True, hostUsers=False)
FEATURE = "UserNamespacesHostNetworkSupport"


test_node_declared_features = hint_table(
    NodeDeclaredFeatures,
    ("a node came", USER_NAMESPACE, NODE, NEW, node("n"), QUEUE),
    ("a node declares more", USER_NAMESPACE, NODE, declaring(), declaring(FEATURE), QUEUE),
    ("a node got a label", USER_NAMESPACE, NODE, node("n"), node("n", {"a": "b"}), SKIP),
    ("a taint came", USER_NAMESPACE, NODE, declaring(), tainted("NoSchedule"), QUEUE),
    ("the pod needs less", USER_NAMESPACE, ITSELF, USER_NAMESPACE, pod(), QUEUE),
    ("the pod needs the same", USER_NAMESPACE, ITSELF, pod(), tolerating("keep"), SKIP),
)


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


def of_app(app: str = "", namespace: str = "default", **spec: Any) -> Obj:
    return {
        "metadata": {"name": "p", "namespace": namespace, "labels": {"app": app} if app else {}},
        "spec": {"containers": [], **spec},
    }


def spreading(app: str, key: str = ZONE, **more: Any) -> Obj:
    constraint = {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": app}},
        **more,
    }
    return of_app(app, topologySpreadConstraints=[constraint])


def placed(zone: str = "", **labels: str) -> Obj:
    return node("n", {**labels, **({ZONE: zone} if zone else {})})


def tainted_in(zone: str) -> Obj:
    return {**placed(zone), "spec": {"taints": [{"key": "keep", "effect": "NoSchedule"}]}}


def cordoned_in(zone: str) -> Obj:
    return {**placed(zone), "spec": {"unschedulable": True}}


def labelled(app: str) -> Obj:
    return {**of_app(app), "metadata": {"name": "p", "labels": {"app": app, "tier": "front"}}}


SPREAD = spreading("web")
ON_SSD = {**SPREAD, "spec": {**SPREAD["spec"], "nodeSelector": {"disk": "ssd"}}}
HONORING = spreading("web", nodeTaintsPolicy="Honor")
TOLERANT = {**HONORING, "spec": {**HONORING["spec"], "tolerations": [{"operator": "Exists"}]}}


test_pod_topology_spread = hint_table(
    partial(PodTopologySpread, args=PodTopologySpreadArgs()),
    ("one that counts came", SPREAD, POD, NEW, of_app("web"), QUEUE),
    ("one that counts went", SPREAD, POD, of_app("web"), GONE, QUEUE),
    ("one that doesn't count went", SPREAD, POD, of_app("db"), GONE, SKIP),
    ("one of another namespace went", SPREAD, POD, of_app("web", "team"), GONE, SKIP),
    ("one counts no more", SPREAD, POD, of_app("web"), of_app("db"), QUEUE),
    ("one begins to count", SPREAD, POD, of_app("db"), of_app("web"), QUEUE),
    ("one doesn't count, as before", SPREAD, POD, of_app("db"), of_app("job"), SKIP),
    ("a node of a zone came", SPREAD, NODE, NEW, placed("z1"), QUEUE),
    ("a node without zone came", SPREAD, NODE, NEW, placed(), SKIP),
    ("a node of a zone went", SPREAD, NODE, placed("z1"), GONE, QUEUE),
    ("a node without zone went", SPREAD, NODE, placed(), GONE, SKIP),
    ("a node has moved", SPREAD, NODE, placed("z1"), placed("z2"), QUEUE),
    ("a node has got a zone", SPREAD, NODE, placed(), placed("z1"), QUEUE),
    ("another label changed", SPREAD, NODE, placed("z1"), placed("z1", disk="ssd"), SKIP),
    ("a node counts no more", ON_SSD, NODE, placed("z1", disk="ssd"), placed("z1"), SKIP),
    ("a taint came, though it doesn't count", SPREAD, NODE, placed("z1"), tainted_in("z1"), QUEUE),
    ("a taint came that counts", HONORING, NODE, placed("z1"), tainted_in("z1"), QUEUE),
    ("a tolerated taint came", TOLERANT, NODE, placed("z1"), tainted_in("z1"), QUEUE),
    ("a node without zone was tainted", SPREAD, NODE, placed(), tainted_in(""), SKIP),
    ("a node was uncordoned", SPREAD, NODE, cordoned_in("z1"), placed("z1"), SKIP),
    ("the pod itself gets other labels", SPREAD, ITSELF, of_app("web"), labelled("web"), SKIP),
    (
        "the pod itself counts no more",
        SPREAD,
        ITSELF,
        SPREAD,
        {**SPREAD, "metadata": {"name": "p"}},
        QUEUE,
    ),
    ("taints count less", HONORING, ITSELF, HONORING, TOLERANT, QUEUE),
)


def test_the_constraints_that_a_pod_has_now_decide() -> None:
    """A pod that has left the service which made it spread isn't tried again; one that came is."""
    default = TopologySpreadConstraint(
        max_skew=1, topology_key=ZONE, when_unsatisfiable="DoNotSchedule"
    )
    service = {
        "kind": "Service",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"selector": {"app": "web"}},
    }
    handle = Handle(cluster([]).snapshot, Listers([service]))
    plugin = PodTopologySpread(
        handle,
        PodTopologySpreadArgs(default_constraints=(default,), defaulting_type=DefaultingType.LIST),
    )
    check(plugin, handle, (of_app("db"), ITSELF, of_app("web"), of_app("db"), SKIP))
    check(plugin, handle, (of_app("web"), ITSELF, of_app("db"), of_app("web"), QUEUE))


def like(app: str, *terms: Obj, apart: bool = False) -> Obj:
    kind = "podAntiAffinity" if apart else "podAffinity"
    return of_app(app, affinity=required(kind, *terms))


SEEKS_DB = like("web", near("db", ZONE))
SEEKS_ITSELF = like("web", near("web", ZONE))
AVOIDS_DB = like("web", near("db", ZONE), apart=True)
AVOIDS_BOTH = like("web", near("db", ZONE), near("db", HOST), apart=True)
AVOIDS_TWO = like("web", near("db", ZONE), near("job", ZONE), apart=True)
ODD = {"matchExpressions": [{"key": "app", "operator": "Odd"}]}
UNREADABLE = like("web", {"labelSelector": ODD, "topologyKey": ZONE})
PLAIN = of_app("web")


test_inter_pod_affinity = hint_table(
    partial(InterPodAffinity, args=InterPodAffinityArgs()),
    ("one to be near came", SEEKS_DB, POD, NEW, of_app("db"), QUEUE),
    ("another one came", SEEKS_DB, POD, NEW, of_app("job"), SKIP),
    ("one has become one to be near", SEEKS_DB, POD, of_app("job"), of_app("db"), QUEUE),
    ("one is no longer one to be near", SEEKS_DB, POD, of_app("db"), of_app("job"), SKIP),
    ("one to be near went", SEEKS_DB, POD, of_app("db"), GONE, SKIP),
    ("maybe the last of its kind went", SEEKS_ITSELF, POD, of_app("web"), GONE, SKIP),
    ("maybe the last is of another kind", SEEKS_ITSELF, POD, of_app("web"), of_app("db"), SKIP),
    ("one to be apart from went", AVOIDS_DB, POD, of_app("db"), GONE, QUEUE),
    ("another one went", AVOIDS_DB, POD, of_app("job"), GONE, SKIP),
    ("one to be apart from came", AVOIDS_DB, POD, NEW, of_app("db"), SKIP),
    ("one is no longer to be avoided", AVOIDS_DB, POD, of_app("db"), of_app("job"), QUEUE),
    ("one of two sorts went", AVOIDS_TWO, POD, of_app("job"), GONE, SKIP),
    ("one of both sorts went", AVOIDS_BOTH, POD, of_app("db"), GONE, QUEUE),
    ("one is avoided for another reason", AVOIDS_TWO, POD, of_app("db"), of_app("job"), SKIP),
    ("one that avoids it went", PLAIN, POD, like("db", near("web"), apart=True), GONE, QUEUE),
    ("one that avoids others went", PLAIN, POD, AVOIDS_DB, GONE, SKIP),
    ("a node with its domain came", SEEKS_DB, NODE, NEW, placed("z1"), QUEUE),
    ("a node without domain came", SEEKS_DB, NODE, NEW, placed(), SKIP),
    ("one avoids it no more", PLAIN, POD, like("db", near("web"), apart=True), of_app("db"), SKIP),
    ("without terms no node is awaited", PLAIN, NODE, NEW, placed(), SKIP),
    ("a node came, whatever its domain", AVOIDS_DB, NODE, NEW, placed(), QUEUE),
    ("a node has left the zone that is sought", SEEKS_DB, NODE, placed("z1"), placed(), SKIP),
    ("a node has moved to another zone", SEEKS_DB, NODE, placed("z1"), placed("z2"), QUEUE),
    ("a taint came", PLAIN, NODE, placed("z1"), tainted_in("z1"), QUEUE),
    ("a node came into a zone", SEEKS_DB, NODE, placed(), placed("z1"), QUEUE),
    ("a node has left its zone", AVOIDS_DB, NODE, placed("z1"), placed(), QUEUE),
    ("a node has come into a zone", AVOIDS_DB, NODE, placed(), placed("z1"), SKIP),
    ("another label changed", AVOIDS_DB, NODE, placed("z1"), placed("z1", disk="ssd"), SKIP),
    ("its terms are wrong, and a pod went", UNREADABLE, POD, of_app("job"), GONE, QUEUE),
    ("its terms are wrong, and a node came", UNREADABLE, NODE, NEW, placed(), QUEUE),
    ("its terms are wrong, and a label changed", UNREADABLE, NODE, placed(), placed("z1"), QUEUE),
    ("others avoid its labels no more", PLAIN, ITSELF, PLAIN, of_app("db"), QUEUE),
)


def test_nodes_that_leave_domains_of_pods_that_avoid_others_help_nobody() -> None:
    """The pod that waits has no terms; those of the pods that are there aren't looked at."""
    handle = cluster([node("n", {HOST: "n"})])
    plugin = InterPodAffinity(handle, InterPodAffinityArgs())
    leaving = (PLAIN, NODE, node("n", {HOST: "n"}), node("n"))
    check(plugin, handle, (*leaving, SKIP))
    avoiding = placed_pod(like("db", near("web", HOST), apart=True), handle.snapshot.classes)
    handle.snapshot.add_pod(avoiding, "n")
    check(plugin, handle, (*leaving, SKIP))


def test_namespaces_by_selector() -> None:
    """Selectors of namespaces aren't resolved: only one for all namespaces matches."""
    namespace = {"kind": "Namespace", "metadata": {"name": "lab", "labels": {"kind": "lab"}}}
    handle = Handle(cluster([]).snapshot, Listers([namespace]))
    plugin = InterPodAffinity(handle, InterPodAffinityArgs())
    of_labs = {**near("db", ZONE), "namespaceSelector": {"matchLabels": {"kind": "lab"}}}
    of_all = {**near("db", ZONE), "namespaceSelector": {}}
    check(plugin, handle, (like("web", of_labs), POD, NEW, of_app("db", "lab"), SKIP))
    check(plugin, handle, (like("web", of_all), POD, NEW, of_app("db", "lab"), QUEUE))
