"""What rules know of v1.36 that an example on a page doesn't show."""

from typing import Any

import pytest

from podium.kubelet.kubelet_config import KubeletConfiguration
from podium.whatif.lint.cluster_view import ClusterView, Thresholds
from podium.whatif.lint.lint_report import Finding
from podium.whatif.lint.linter import LintConfiguration, lint
from tests.objects import HOST, ZONE, Obj, budget, node, pod, priority_class, workload

CONTAINER = {"name": "c", "image": "i:1"}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def findings(*objects: Obj, kubelet: KubeletConfiguration | None = None) -> dict[str, Finding]:
    """The last finding of each rule."""
    report = lint(ClusterView(objects, kubelet), LintConfiguration())
    return {finding.rule: finding for finding in report.findings}


def messages(rule: str, *objects: Obj) -> list[str]:
    report = lint(ClusterView(objects), LintConfiguration())
    return [finding.message for finding in report.findings if finding.rule == rule]


def deployment(replicas: int = 3, **template: Any) -> Obj:
    return workload("Deployment", "web", replicas=replicas, template=template)


def namespaced(api_version: str, kind: str, name: str, **spec: Any) -> Obj:
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def limit_range(**limits: Any) -> Obj:
    return namespaced("v1", "LimitRange", "l", limits=[{"type": "Container", **limits}])


def spreading(replicas: int, **constraint: Any) -> Obj:
    template = {"nodeSelector": constraint.pop("nodeSelector", {})}
    template |= {"tolerations": constraint.pop("tolerations", [])}
    over_zones = {
        "topologyKey": ZONE,
        "maxSkew": 1,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
        **constraint,
    }
    return deployment(replicas, topologySpreadConstraints=[over_zones], **template)


def cron_job(parallelism: int, **template: Any) -> Obj:
    job = workload("Job", "report", "2", parallelism=parallelism, template=template)
    spec = {"schedule": "0 3 * * *", "jobTemplate": {"spec": job["spec"]}}
    return namespaced("batch/v1", "CronJob", "report", **spec)


def near_caches(*below: Obj) -> list[Obj]:
    in_caches = {"key": "app", "operator": "In", "values": ["cache", "cache-2"]}
    term = {"topologyKey": HOST, "labelSelector": {"matchExpressions": [in_caches]}}
    web = deployment(priorityClassName="high", affinity={"podAffinity": {REQUIRED: [term]}})
    return [priority_class("high", 9), priority_class("low", 1), web, *below]


BUDGETS = {"budget-never-met", "budget-allows-nothing", "budget-rounds-to-nothing"}


@pytest.mark.parametrize(
    ("replicas", "bound", "expected"),
    [
        (3, {"minAvailable": 2}, None),
        (3, {"minAvailable": 3}, "budget-allows-nothing"),
        (3, {"minAvailable": 4}, "budget-never-met"),
        (3, {"minAvailable": "100%"}, "budget-allows-nothing"),
        (3, {"minAvailable": "66%"}, None),
        (3, {"minAvailable": "67%"}, "budget-rounds-to-nothing"),
        (1, {"minAvailable": "50%"}, "budget-rounds-to-nothing"),
        (10, {"minAvailable": "90%"}, None),
        (10, {"minAvailable": "91%"}, "budget-rounds-to-nothing"),
        (3, {"maxUnavailable": 0}, "budget-allows-nothing"),
        (3, {"maxUnavailable": "0%"}, "budget-allows-nothing"),
        # It rounds up to one.
        (3, {"maxUnavailable": "1%"}, None),
        (3, {}, "budget-allows-nothing"),
        (0, {"minAvailable": 1}, None),
    ],
)
def test_budgets_are_rounded_as_the_disruption_controller_does(
    replicas: int, bound: Obj, expected: str | None
) -> None:
    found = findings(deployment(replicas), budget("web", **bound)).keys() & BUDGETS
    assert found == ({expected} if expected else set())


DATABASE = namespaced("example.com/v1", "Database", "db")
OF_DATABASE = [pod(f"db-{n}", owner=DATABASE) for n in range(3)]
OF_UNKNOWN = [*OF_DATABASE, budget("db", maxUnavailable=0)]
UNSELECTED = [deployment(1), budget("db", minAvailable=1)]
AVAILABLE = [deployment(), budget("web", minAvailable=1)]
TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
LIMITS = {"scaleTargetRef": TARGET, "minReplicas": 1, "maxReplicas": 9}
SCALER = namespaced("autoscaling/v2", "HorizontalPodAutoscaler", "web", **LIMITS)
LOWEST, SPARE = priority_class("low", 0), priority_class("spare", -10)
ZERO, NEGATIVE = (priority_class("normal", value, globalDefault=True) for value in (0, -5))
GONE = {"priority": 9, "priorityClassName": "gone"}
ADMITTED = pod("old", status={"phase": "Running"}, **GONE)
AMOUNTS = {"cpu": "1", "memory": "1Gi"}
WHOLE = deployment(resources={"requests": AMOUNTS, "limits": AMOUNTS}, containers=[CONTAINER])
DEFAULTS = limit_range(default={"memory": "1Gi"}, defaultRequest={"memory": "1Gi"})
LOW = workload("Deployment", "cache", template={"priorityClassName": "low"})
HIGH = workload("Deployment", "cache-2", template={"priorityClassName": "high"})
DEDICATED = node("n2", taints=[{"key": "dedicated", "value": "x", "effect": "NoSchedule"}])
ONE_ZONE = [node("n1", zone="a"), DEDICATED]
TOLERANT = spreading(3, tolerations=[{"key": "dedicated", "operator": "Exists"}])
ON_DISKS = {"minDomains": 2, "nodeSelector": {"disk": "ssd"}}
ONE_DISK = [node("n1", zone="a", labels={"disk": "ssd"}), node("n2", zone="b")]
ANYWHERE = spreading(3, nodeAffinityPolicy="Ignore", **ON_DISKS)
LIMITED = {**CONTAINER, "resources": {"limits": {"ephemeral-storage": "1Gi"}}}
OTHER = {"name": "other", "image": "i:1"}
BESIDE_INIT, BESIDE_SIDECAR = (
    deployment(containers=[LIMITED], initContainers=[{**OTHER, **policy}])
    for policy in ({}, {"restartPolicy": "Always"})
)
PLAIN_PORT = {"containers": [{**CONTAINER, "ports": [{"containerPort": 80}]}]}


@pytest.mark.parametrize(
    ("rule", "objects", "is_found"),
    [
        ("budget-allows-nothing", AVAILABLE, False),
        # The fewest replicas of an autoscaler count.
        ("budget-allows-nothing", [*AVAILABLE, SCALER], True),
        # The scale of an unknown controller isn't known.
        ("budget-allows-nothing", OF_UNKNOWN, False),
        ("budget-without-scale", OF_UNKNOWN, False),
        ("budget-selects-nothing", OF_UNKNOWN, False),
        ("budget-allows-nothing", [*OF_DATABASE, budget("db", minAvailable=3)], True),
        ("budget-selects-nothing", UNSELECTED, True),
        # An operator may make the pods of a custom resource that isn't in a cluster yet.
        ("budget-selects-nothing", [*UNSELECTED, DATABASE], False),
        ("budget-selects-nothing", [*UNSELECTED, DATABASE, node("n")], True),
        ("bare-pod", [pod("web")], True),
        ("bare-pod", [pod("etcd", annotations={"kubernetes.io/config.mirror": "x"})], False),
        ("bare-pod", [pod("done", status={"phase": "Succeeded"})], False),
        # An admitted pod keeps its priority, even if its class is deleted.
        ("unknown-class", [LOWEST, pod("new", **GONE)], True),
        ("unknown-class", [LOWEST, ADMITTED], False),
        ("requests-missing", [deployment()], True),
        ("memory-limit-missing", [deployment()], True),
        ("requests-missing", [deployment(), DEFAULTS], False),
        ("memory-limit-missing", [deployment(), DEFAULTS], False),
        # The resources of the pod as a whole count.
        ("requests-missing", [WHOLE], False),
        ("memory-limit-missing", [WHOLE], False),
        # Placeholders may be below a default of zero.
        ("default-class-not-lowest", [ZERO, SPARE], False),
        ("default-class-not-lowest", [NEGATIVE, SPARE], True),
        ("affinity-to-lower-priority", near_caches(LOW), True),
        ("affinity-to-lower-priority", near_caches(LOW, HIGH), False),
        # Only nodes where the pods may go need the label.
        ("spread-label-missing", [*ONE_ZONE, spreading(3)], False),
        ("spread-label-missing", [*ONE_ZONE, TOLERANT], True),
        # Nodes that the node selector excludes make no domain, unless the policy ignores it.
        ("min-domains-unmet", [*ONE_DISK, spreading(3, minDomains=2)], False),
        ("min-domains-unmet", [*ONE_DISK, ANYWHERE], False),
        ("min-domains-unmet", [*ONE_DISK, spreading(3, **ON_DISKS)], True),
        ("min-domains-unmet", [node("n1"), node("n2"), spreading(3)], False),
        ("storage-limit-on-some", [deployment(containers=[LIMITED, OTHER])], True),
        ("storage-limit-on-some", [deployment(containers=[LIMITED])], False),
        ("storage-limit-on-some", [deployment(containers=[OTHER])], False),
        # An init container ends before; a sidecar doesn't.
        ("storage-limit-on-some", [BESIDE_INIT], False),
        ("storage-limit-on-some", [BESIDE_SIDECAR], True),
        # Pods in the network of their node hold all their ports of it.
        ("host-port-with-surge", [node("n"), deployment(1, hostNetwork=True, **PLAIN_PORT)], True),
        ("host-port-with-surge", [node("n"), deployment(1, **PLAIN_PORT)], False),
    ],
)
def test_a_rule_finds_only_what_it_should(rule: str, objects: list[Obj], is_found: bool) -> None:
    assert (rule in findings(*objects)) is is_found


def test_a_node_that_no_pod_selects_is_among_the_witnesses_with_the_reason() -> None:
    tainted = node("n1", zone="a", taints=[{"key": "reserved", "effect": "NoSchedule"}])
    found = findings(tainted, node("n2", zone="b"), deployment(nodeSelector={ZONE: "a"}))
    assert found["no-node-selected"].witnesses == (
        "taint reserved:NoSchedule: 1 node",
        "not selected: 1 node",
    )


def test_pods_and_replica_sets_of_a_deployment_arent_judged_again() -> None:
    above, below = deployment(1), workload("ReplicaSet", "web-1", replicas=1)
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": ""}
    below["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
    found = findings(above, below, pod("web-1-x", owner=below))
    assert {finding.object for finding in found.values()} == {"Deployment default/web"}


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (6, ["no value is free up to the next class"]),
        (7, ["only 1 value is free up to the next class"]),
        (15, ["only 9 values are free up to the next class"]),
        (16, []),
    ],
)
def test_the_values_between_two_levels_are_counted(other: int, expected: list[str]) -> None:
    classes = [priority_class("low", 5), priority_class("high", other)]
    view = ClusterView(classes, thresholds=Thresholds(levels_between=10))
    report = lint(view, LintConfiguration())
    assert [one.message for one in report.findings if one.rule == "no-level-between"] == expected


@pytest.mark.parametrize(
    ("soft", "is_below"), [("50Mi", True), ("101Mi", False), ("1%", True), ("50%", False)]
)
def test_soft_thresholds_are_compared_on_the_nodes_that_there_are(
    soft: str, is_below: bool
) -> None:
    kubelet = KubeletConfiguration(
        eviction_soft={"memory.available": soft},
        eviction_soft_grace_period={"memory.available": "1m"},
    )
    machine = node("n", status={"capacity": {"memory": "8Gi"}})
    assert ("eviction-soft-below-hard" in findings(machine, kubelet=kubelet)) is is_below


STANDARD = priority_class("standard", 1000, globalDefault=True)
TEAM = priority_class("team", 100)
WITHOUT_DEFAULT = [node("n", "2"), TEAM, pod("old", on="n", priority=100)]
TWO_PODS = [pod("a", on="n"), pod("b", on="n")]
BOTH = deployment(containers=[LIMITED, OTHER])
BELOW_DEFAULT = [node("n", "2"), STANDARD, pod("old", "2", on="n", priority=0)]


def test_pods_that_run_below_a_default_class_are_found_with_what_the_next_one_does() -> None:
    found = findings(*BELOW_DEFAULT)["stale-priority"]
    assert (found.object, found.field) == ("PriorityClass standard", "globalDefault")
    assert found.message == (
        "1 running pod keeps priority 0, and new ones get 1000 of PriorityClass standard, the "
        "default: a new pod with the requests of Pod default/old preempts default/old"
    )
    assert found.witnesses == ("Pod default/old (1 pod)",)


def test_what_isnt_in_the_cluster_yet_takes_no_part_in_what_the_next_pod_does() -> None:
    coming = workload("Deployment", "coming", "2", replicas=1)
    expected = messages("stale-priority", *BELOW_DEFAULT)
    assert messages("stale-priority", *BELOW_DEFAULT, coming) == expected


def test_pods_of_a_class_that_was_made_again_with_another_value_are_found() -> None:
    old = pod("old", on="n", priority=100, priorityClassName="team")
    found = findings(node("n", "2"), priority_class("team", 200), old)["stale-priority"]
    assert (found.object, found.field) == ("PriorityClass team", "value")
    assert found.message.endswith("finds room on n")


@pytest.mark.parametrize(
    ("rule", "objects", "part"),
    [
        (
            "stale-priority",
            WITHOUT_DEFAULT,
            "new ones get 0, as there is no default class any more",
        ),
        # Without nodes nothing is simulated.
        ("stale-priority", BELOW_DEFAULT[1:], "of PriorityClass standard, the default"),
        ("no-default-class", [TEAM, *TWO_PODS], "get priority 0, and 2 pods run with it"),
        ("min-domains-unmet", [*ONE_DISK, spreading(3, **ON_DISKS)], "room for 1 of 3 pods"),
        ("storage-limit-on-some", [BOTH], "only c limits ephemeral-storage, and what other and"),
    ],
)
def test_the_message_names_what_a_rule_has_seen(rule: str, objects: list[Obj], part: str) -> None:
    (message,) = messages(rule, *objects)
    assert part in message


def test_an_unknown_class_says_which_one_is_meant_and_how_many_pods_run() -> None:
    team, web = priority_class("payments", 100), deployment(priorityClassName="paymnts")
    running = pod("web-1", on="n", owner=web, priority=100, priorityClassName="paymnts")
    found = findings(team, web, running)["unknown-class"]
    assert found.message.endswith("none of its pods is let in; is payments meant?")
    assert found.witnesses == ("1 pod of it still runs",)
    scope = {"scopeName": "PriorityClass", "operator": "In", "values": ["paymnts"]}
    scoped = {"hard": {"pods": "1"}, "scopeSelector": {"matchExpressions": [scope]}}
    quota = namespaced("v1", "ResourceQuota", "q", **scoped)
    assert messages("quota-for-unknown-class", team, quota) == [
        "there is no PriorityClass paymnts; is payments meant?"
    ]


def test_pods_that_run_of_a_class_that_was_deleted_are_found_without_their_controller() -> None:
    owner = workload("ReplicaSet", "web", replicas=2)
    pods = [
        pod(f"web-{n}", on="n", owner=owner, priority=100, priorityClassName="gone", uid=f"p{n}")
        for n in range(2)
    ]
    high = priority_class("high", 1)
    assert messages("unknown-class", high, *pods) == [
        "there is no PriorityClass gone: no further pod of ReplicaSet default/web is let in"
    ]
    assert not messages("unknown-class", *pods)
    read = workload("ReplicaSet", "web", template={"priorityClassName": "gone"})
    (message,) = messages("unknown-class", high, *pods, read)
    assert "no further" not in message


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"max": {"cpu": "2"}}, "maximum cpu usage per Container is 2.  No limit is specified"),
        ({"max": {"cpu": "2"}, "default": {"cpu": "2"}}, None),
        ({"min": {"cpu": "2"}}, "minimum cpu usage per Container is 2, but request is 1"),
        ({"min": {"cpu": "1"}}, None),
    ],
)
def test_amounts_outside_a_limit_range(limits: Obj, expected: str | None) -> None:
    found = messages("outside-limit-range", deployment(), limit_range(**limits))
    assert found == ([f"{expected}: none of its pods is let in"] if expected else [])
    running = pod("p", on="n", uid="p", status={"phase": "Running"})
    assert not messages("outside-limit-range", running, limit_range(**limits))


PORT = {**CONTAINER, "ports": [{"containerPort": 80, "hostPort": 80}]}
SURGES = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}


def ported(kind: str = "Deployment", replicas: int = 2, **spec: Any) -> Obj:
    fields = {} if kind == "DaemonSet" else {"replicas": replicas}
    return workload(kind, "web", template={"containers": [PORT]}, **fields, **spec)


@pytest.mark.parametrize(
    ("nodes", "asked", "expected"),
    [
        (2, ported(strategy=SURGES), "2 nodes are too few for 3 pods"),
        (3, ported(strategy=SURGES), None),
        (0, ported(strategy=SURGES), "3 nodes are needed for 2 pods"),
        # 25 % of two round up to one more, and down to none less.
        (2, ported(), "2 nodes are too few for 3 pods"),
        (4, ported(replicas=4), None),
        (2, ported(strategy={"type": "Recreate"}), None),
        (2, ported("DaemonSet", updateStrategy=SURGES), "the old one holds them"),
        (2, ported("DaemonSet"), None),
        (2, ported("StatefulSet"), None),
    ],
)
def test_host_ports_of_rollouts_that_surge(nodes: int, asked: Obj, expected: str | None) -> None:
    found = messages("host-port-with-surge", *(node(f"n{n}") for n in range(nodes)), asked)
    assert len(found) == (expected is not None)
    if expected:
        assert found[0].startswith("its pods need 80/TCP of their node; ")
        assert found[0].endswith(expected)


def zones(**closed: Any) -> list[Obj]:
    return [node("n1", zone="a"), node("n2", zone="b"), node("n3", zone="c", **closed)]


TAINTED = {"taints": [{"key": "reserved", "effect": "NoSchedule"}]}


@pytest.mark.parametrize(
    ("nodes", "asked", "fit"),
    [
        (zones(**TAINTED), spreading(3), 2),
        (zones(unschedulable=True), spreading(3), 2),
        (zones(**TAINTED), spreading(2), None),
        (zones(**TAINTED), spreading(4, maxSkew=2), None),
        (zones(**TAINTED), spreading(3, nodeTaintsPolicy="Honor"), None),
        (zones(**TAINTED), spreading(3, whenUnsatisfiable="ScheduleAnyway"), None),
        (zones(), spreading(9), None),
        # Another node of the zone is open.
        ([*zones(**TAINTED), node("n4", zone="c")], spreading(9), None),
        # A pod is there from before.
        ([*zones(**TAINTED), pod("web-0", on="n3", app="web")], spreading(5), None),
        ([*zones(**TAINTED), pod("web-0", on="n3", app="web")], spreading(6), 5),
    ],
)
def test_spreading_over_nodes_that_take_no_pods(
    nodes: list[Obj], asked: Obj, fit: int | None
) -> None:
    found = messages("spread-counts-closed-nodes", *nodes, asked)
    assert [message.rpartition(": ")[2] for message in found] == (
        [f"there is room for {fit} of {asked['spec']['replicas']} pods"] if fit else []
    )


@pytest.mark.parametrize(
    ("nodes", "asked", "is_found"),
    [
        ("aa", {}, True),
        ("ab", {}, False),
        ("a", {}, False),
        ("aa", {"topologySpreadConstraints": [{"topologyKey": HOST}]}, False),
        ("aa", {"nodeSelector": {HOST: "a"}}, False),
    ],
)
def test_replicas_that_share_a_node(nodes: str, asked: Obj, is_found: bool) -> None:
    web = workload("ReplicaSet", "web", replicas=2, template=asked)
    pods = [pod(f"web-{n}", on=on, owner=web) for n, on in enumerate(nodes)]
    found = messages("replicas-on-one-node", node("a"), node("b"), web, *pods)
    assert found == (["its 2 pods are all on a, and nothing spreads them"] if is_found else [])


HELD = pod("held", "3", on="n1", priority=10)
RANKED = [HELD, priority_class("high", 1000), priority_class("never", 5, preemptionPolicy="Never")]


@pytest.mark.parametrize(
    ("objects", "fit"),
    [
        ([cron_job(4)], None),
        ([cron_job(5)], "4 of the 5"),
        ([HELD, cron_job(3)], "2 of the 3"),
        ([*RANKED, cron_job(4, priorityClassName="high")], None),
        ([*RANKED, cron_job(3, priorityClassName="never")], "2 of the 3"),
        ([pod("done", "3", on="n1", status={"phase": "Failed"}), cron_job(3)], None),
    ],
)
def test_a_cron_job_whose_pods_dont_fit_beside_those_that_they_dont_outrank(
    objects: list[Obj], fit: str | None
) -> None:
    nodes = [node("n1", "4"), node("n2", "4"), node("n3", "4", unschedulable=True)]
    assert messages("cron-job-without-room", *nodes, *objects) == (
        [f"nodes have room for {fit} pods that each of its Jobs runs at once"] if fit else []
    )
