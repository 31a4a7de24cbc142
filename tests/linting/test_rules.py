"""What rules know of v1.36 that an example on a page doesn't show."""

from typing import Any

import pytest

from podium.linting.cluster_view import ClusterView
from podium.linting.configuration import LintConfiguration
from podium.linting.linter import lint
from podium.node.kubelet_config import KubeletConfiguration
from tests.plan.objects import HOST, ZONE, node, pod, workload

Obj = dict[str, Any]
CONTAINER = {"name": "c", "image": "i:1"}
CACHE = {"key": "app", "operator": "In", "values": ["cache", "cache-2"]}


def rules(*objects: Obj, kubelet: KubeletConfiguration | None = None) -> dict[str, str]:
    """What is found, as messages by rule."""
    report = lint(ClusterView(objects, kubelet), LintConfiguration())
    return {finding.rule: finding.message for finding in report.findings}


def deployment(replicas: int = 3, **template: Any) -> Obj:
    return workload("Deployment", "web", replicas=replicas, template=template)


def budget(name: str = "web", app: str = "web", **spec: Any) -> Obj:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": app}}, **spec},
    }


def priority_class(name: str, value: int, **fields: Any) -> Obj:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        **fields,
    }


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
    found = rules(deployment(replicas), budget(**bound)).keys() & BUDGETS
    assert found == ({expected} if expected else set())


def test_why_no_node_is_selected_is_told() -> None:
    tainted = node("n1", zone="a")
    tainted["spec"] = {"taints": [{"key": "reserved", "effect": "NoSchedule"}]}
    asked = deployment(nodeSelector={ZONE: "a"})
    report = lint(ClusterView([tainted, node("n2", zone="b"), asked]), LintConfiguration())
    (found,) = (one for one in report.findings if one.rule == "no-node-selected")
    assert found.witnesses == (
        "taint reserved:NoSchedule: 1 node",
        "not selected: 1 node",
    )


def test_the_fewest_replicas_of_an_autoscaler_count() -> None:
    scaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 1,
            "maxReplicas": 9,
        },
    }
    objects = [deployment(3), budget(minAvailable=1)]
    assert not rules(*objects).keys() & BUDGETS
    assert rules(*objects, scaler).keys() & BUDGETS == {"budget-allows-nothing"}


def test_a_budget_of_pods_of_an_unknown_controller_isnt_judged_by_a_scale_nobody_knows() -> None:
    owner = {
        "apiVersion": "example.com/v1",
        "kind": "Database",
        "metadata": {"name": "db", "namespace": "d"},
    }
    pods = [pod(f"db-{n}", owner=owner) for n in range(3)]
    assert not rules(*pods, budget(app="db", maxUnavailable=0)).keys() & {
        *BUDGETS,
        "budget-without-scale",
        "budget-selects-nothing",
    }
    assert "budget-allows-nothing" in rules(*pods, budget(app="db", minAvailable=3))


def test_a_budget_may_be_about_pods_that_an_operator_makes() -> None:
    custom = {
        "apiVersion": "example.com/v1",
        "kind": "Database",
        "metadata": {"name": "db", "namespace": "default"},
    }
    objects = [deployment(1), budget(app="db", minAvailable=1)]
    assert "budget-selects-nothing" in rules(*objects)
    assert "budget-selects-nothing" not in rules(*objects, custom)
    assert "budget-selects-nothing" in rules(*objects, custom, node("n"))


def test_pods_and_replica_sets_of_a_deployment_arent_judged_again() -> None:
    above = deployment(1)
    below = workload("ReplicaSet", "web-1", replicas=1)
    below["metadata"]["ownerReferences"] = [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": "web",
            "uid": "",
            "controller": True,
        }
    ]
    report = lint(ClusterView([above, below, pod("web-1-x", owner=below)]), LintConfiguration())
    assert {finding.object for finding in report.findings} == {"Deployment default/web"}


def test_mirror_pods_and_finished_pods_arent_bare() -> None:
    mirror = pod("etcd", metadata={"annotations": {"kubernetes.io/config.mirror": "x"}})
    assert "bare-pod" not in rules(mirror, pod("done", status={"phase": "Succeeded"}))
    assert "bare-pod" in rules(pod("web"))


def test_what_was_admitted_keeps_its_priority_whatever_becomes_of_its_class() -> None:
    gone = {"priority": 9, "priorityClassName": "gone"}
    known = priority_class("low", 0)
    assert "unknown-class" not in rules(known, pod("old", status={"phase": "Running"}, **gone))
    assert "unknown-class" in rules(known, pod("new", **gone))


def test_limit_ranges_count() -> None:
    limits = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "defaults", "namespace": "default"},
        "spec": {
            "limits": [
                {
                    "type": "Container",
                    "default": {"memory": "1Gi"},
                    "defaultRequest": {"memory": "1Gi"},
                }
            ]
        },
    }
    missing = {"requests-missing", "memory-limit-missing"}
    assert rules(deployment()).keys() >= missing
    assert not rules(deployment(), limits).keys() & missing


def test_pod_level_resources_count() -> None:
    amounts = {"cpu": "1", "memory": "1Gi"}
    whole = {"resources": {"requests": amounts, "limits": amounts}, "containers": [CONTAINER]}
    assert not rules(deployment(**whole)).keys() & {"requests-missing", "memory-limit-missing"}


def test_placeholders_may_be_below_a_default_of_zero() -> None:
    default = priority_class("normal", 0, globalDefault=True)
    assert "default-class-not-lowest" not in rules(default, priority_class("spare", -10))
    negative = priority_class("normal", -5, globalDefault=True)
    assert "default-class-not-lowest" in rules(negative, priority_class("spare", -10))


def test_affinity_to_lower_pods_is_fine_where_others_are_near_as_well() -> None:
    term = {"topologyKey": HOST, "labelSelector": {"matchExpressions": [CACHE]}}
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    web = deployment(priorityClassName="high", affinity={"podAffinity": {required: [term]}})
    objects = [priority_class("high", 9), priority_class("low", 1), web]
    low = workload("Deployment", "cache", template={"priorityClassName": "low"})
    high = workload("Deployment", "cache-2", template={"priorityClassName": "high"})
    assert "affinity-to-lower-priority" in rules(*objects, low)
    assert "affinity-to-lower-priority" not in rules(*objects, low, high)


def test_only_nodes_where_the_pods_may_go_have_to_have_the_label() -> None:
    taint = {"key": "dedicated", "value": "x", "effect": "NoSchedule"}
    nodes = [node("n1", zone="a"), node("n2", taints=[taint])]
    spread = {
        "maxSkew": 1,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    tolerant = {"tolerations": [{"key": "dedicated", "operator": "Exists"}]}
    constraints = {"topologySpreadConstraints": [spread]}
    assert "spread-label-missing" not in rules(*nodes, deployment(**constraints))
    found = rules(*nodes, deployment(**constraints, **tolerant))
    assert found["spread-label-missing"].startswith("1 of 2 nodes")


def test_nodes_that_node_affinity_excludes_make_no_domain() -> None:
    nodes = [node("n1", zone="a", labels={"disk": "ssd"}), node("n2", zone="b")]
    spread = {
        "maxSkew": 1,
        "minDomains": 2,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    anywhere = deployment(topologySpreadConstraints=[spread])
    on_disks = deployment(topologySpreadConstraints=[spread], nodeSelector={"disk": "ssd"})
    ignoring = deployment(
        topologySpreadConstraints=[{**spread, "nodeAffinityPolicy": "Ignore"}],
        nodeSelector={"disk": "ssd"},
    )
    assert "min-domains-unmet" not in rules(*nodes, anywhere)
    assert "min-domains-unmet" not in rules(*nodes, ignoring)
    without_zones = [node("n1"), node("n2")]
    usual = deployment(topologySpreadConstraints=[{**spread, "minDomains": None}])
    assert "min-domains-unmet" not in rules(*without_zones, usual)
    assert "room for 1 of 3 pods" in rules(*nodes, on_disks)["min-domains-unmet"]


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
    assert ("eviction-soft-below-hard" in rules(machine, kubelet=kubelet)) is is_below
