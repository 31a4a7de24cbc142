"""What may help pods that were rejected for the sake of other pods, near or far."""

from typing import Any

from podium.scheduler.config.args import (
    DefaultingType,
    InterPodAffinityArgs,
    PodTopologySpreadArgs,
    TopologySpreadConstraint,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from podium.scheduler.plugins.pod_topology_spread import PodTopologySpread
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
    Line,
    Obj,
    check,
    table,
)
from tests.scheduler.plugins.small_cluster import cluster, node


def pod(app: str = "", namespace: str = "default", **spec: Any) -> Obj:
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
    return pod(app, topologySpreadConstraints=[constraint])


def placed(zone: str = "", **labels: str) -> Obj:
    return node("n", {**labels, **({ZONE: zone} if zone else {})})


def tainted(zone: str) -> Obj:
    return {**placed(zone), "spec": {"taints": [{"key": "keep", "effect": "NoSchedule"}]}}


def cordoned(zone: str) -> Obj:
    return {**placed(zone), "spec": {"unschedulable": True}}


def labelled(app: str) -> Obj:
    return {**pod(app), "metadata": {"name": "p", "labels": {"app": app, "tier": "front"}}}


WEB = spreading("web")
ON_SSD = {**WEB, "spec": {**WEB["spec"], "nodeSelector": {"disk": "ssd"}}}
HONORING = spreading("web", nodeTaintsPolicy="Honor")
TOLERANT = {**HONORING, "spec": {**HONORING["spec"], "tolerations": [{"operator": "Exists"}]}}


@table(
    ("one that counts came", WEB, POD, NEW, pod("web"), QUEUE),
    ("one that counts went", WEB, POD, pod("web"), GONE, QUEUE),
    ("one that doesn't count went", WEB, POD, pod("db"), GONE, SKIP),
    ("one of another namespace went", WEB, POD, pod("web", "team"), GONE, SKIP),
    ("one counts no more", WEB, POD, pod("web"), pod("db"), QUEUE),
    ("one begins to count", WEB, POD, pod("db"), pod("web"), QUEUE),
    ("one doesn't count, as before", WEB, POD, pod("db"), pod("job"), SKIP),
    ("a node of a zone came", WEB, NODE, NEW, placed("z1"), QUEUE),
    ("a node without zone came", WEB, NODE, NEW, placed(), SKIP),
    ("a node of a zone went", WEB, NODE, placed("z1"), GONE, QUEUE),
    ("a node without zone went", WEB, NODE, placed(), GONE, SKIP),
    ("a node has moved", WEB, NODE, placed("z1"), placed("z2"), QUEUE),
    ("a node has got a zone", WEB, NODE, placed(), placed("z1"), QUEUE),
    ("another label changed", WEB, NODE, placed("z1"), placed("z1", disk="ssd"), SKIP),
    ("a node counts no more", ON_SSD, NODE, placed("z1", disk="ssd"), placed("z1"), SKIP),
    ("a taint came, though it doesn't count", WEB, NODE, placed("z1"), tainted("z1"), QUEUE),
    ("a taint came that counts", HONORING, NODE, placed("z1"), tainted("z1"), QUEUE),
    ("a tolerated taint came", TOLERANT, NODE, placed("z1"), tainted("z1"), QUEUE),
    ("a node without zone was tainted", WEB, NODE, placed(), tainted(""), SKIP),
    ("a node was uncordoned", WEB, NODE, cordoned("z1"), placed("z1"), SKIP),
    ("the pod itself gets other labels", WEB, ITSELF, pod("web"), labelled("web"), SKIP),
    ("the pod itself counts no more", WEB, ITSELF, WEB, {**WEB, "metadata": {"name": "p"}}, QUEUE),
    ("taints count less", HONORING, ITSELF, HONORING, TOLERANT, QUEUE),
)
def test_pod_topology_spread(line: Line) -> None:
    handle = cluster([])
    check(PodTopologySpread(handle, PodTopologySpreadArgs()), handle, line)


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
    check(plugin, handle, (pod("db"), ITSELF, pod("web"), pod("db"), SKIP))
    check(plugin, handle, (pod("web"), ITSELF, pod("db"), pod("web"), QUEUE))


def like(app: str, *terms: Obj, apart: bool = False) -> Obj:
    kind = "podAntiAffinity" if apart else "podAffinity"
    return pod(app, affinity=required(kind, *terms))


SEEKS_DB = like("web", near("db", ZONE))
SEEKS_ITSELF = like("web", near("web", ZONE))
AVOIDS_DB = like("web", near("db", ZONE), apart=True)
AVOIDS_BOTH = like("web", near("db", ZONE), near("db", HOST), apart=True)
AVOIDS_TWO = like("web", near("db", ZONE), near("job", ZONE), apart=True)
ODD = {"matchExpressions": [{"key": "app", "operator": "Odd"}]}
UNREADABLE = like("web", {"labelSelector": ODD, "topologyKey": ZONE})
PLAIN = pod("web")


@table(
    ("one to be near came", SEEKS_DB, POD, NEW, pod("db"), QUEUE),
    ("another one came", SEEKS_DB, POD, NEW, pod("job"), SKIP),
    ("one has become one to be near", SEEKS_DB, POD, pod("job"), pod("db"), QUEUE),
    ("one is no longer one to be near", SEEKS_DB, POD, pod("db"), pod("job"), SKIP),
    ("one to be near went", SEEKS_DB, POD, pod("db"), GONE, SKIP),
    ("maybe the last of its kind went", SEEKS_ITSELF, POD, pod("web"), GONE, SKIP),
    ("maybe the last is of another kind", SEEKS_ITSELF, POD, pod("web"), pod("db"), SKIP),
    ("one to be apart from went", AVOIDS_DB, POD, pod("db"), GONE, QUEUE),
    ("another one went", AVOIDS_DB, POD, pod("job"), GONE, SKIP),
    ("one to be apart from came", AVOIDS_DB, POD, NEW, pod("db"), SKIP),
    ("one is no longer to be avoided", AVOIDS_DB, POD, pod("db"), pod("job"), QUEUE),
    ("one of two sorts went", AVOIDS_TWO, POD, pod("job"), GONE, SKIP),
    ("one of both sorts went", AVOIDS_BOTH, POD, pod("db"), GONE, QUEUE),
    ("one is avoided for another reason", AVOIDS_TWO, POD, pod("db"), pod("job"), SKIP),
    ("one that avoids it went", PLAIN, POD, like("db", near("web"), apart=True), GONE, QUEUE),
    ("one that avoids others went", PLAIN, POD, AVOIDS_DB, GONE, SKIP),
    ("a node with its domain came", SEEKS_DB, NODE, NEW, placed("z1"), QUEUE),
    ("a node without domain came", SEEKS_DB, NODE, NEW, placed(), SKIP),
    ("one avoids it no more", PLAIN, POD, like("db", near("web"), apart=True), pod("db"), SKIP),
    ("without terms no node is awaited", PLAIN, NODE, NEW, placed(), SKIP),
    ("a node came, whatever its domain", AVOIDS_DB, NODE, NEW, placed(), QUEUE),
    ("a node has left the zone that is sought", SEEKS_DB, NODE, placed("z1"), placed(), SKIP),
    ("a node has moved to another zone", SEEKS_DB, NODE, placed("z1"), placed("z2"), QUEUE),
    ("a taint came", PLAIN, NODE, placed("z1"), tainted("z1"), QUEUE),
    ("a node came into a zone", SEEKS_DB, NODE, placed(), placed("z1"), QUEUE),
    ("a node has left its zone", AVOIDS_DB, NODE, placed("z1"), placed(), QUEUE),
    ("a node has come into a zone", AVOIDS_DB, NODE, placed(), placed("z1"), SKIP),
    ("another label changed", AVOIDS_DB, NODE, placed("z1"), placed("z1", disk="ssd"), SKIP),
    ("its terms are wrong, and a pod went", UNREADABLE, POD, pod("job"), GONE, QUEUE),
    ("its terms are wrong, and a node came", UNREADABLE, NODE, NEW, placed(), QUEUE),
    ("its terms are wrong, and a label changed", UNREADABLE, NODE, placed(), placed("z1"), QUEUE),
    ("others avoid its labels no more", PLAIN, ITSELF, PLAIN, pod("db"), QUEUE),
)
def test_inter_pod_affinity(line: Line) -> None:
    handle = cluster([])
    check(InterPodAffinity(handle, InterPodAffinityArgs()), handle, line)


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
    check(plugin, handle, (like("web", of_labs), POD, NEW, pod("db", "lab"), SKIP))
    check(plugin, handle, (like("web", of_all), POD, NEW, pod("db", "lab"), QUEUE))
