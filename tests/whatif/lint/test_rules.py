"""What rules know of v1.36 that an example on a page doesn't show."""

from typing import Any

import pytest

from podium.kubelet.kubelet_config import KubeletConfiguration
from podium.whatif.lint.cluster_view import ClusterView, Thresholds
from podium.whatif.lint.linter import LintConfiguration, lint
from tests.objects import HOST, ZONE, node, pod, workload

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


def test_the_values_between_two_levels_are_counted() -> None:
    def free_above_5(other: int) -> str | None:
        classes = [priority_class("low", 5), priority_class("high", other)]
        view = ClusterView(classes, thresholds=Thresholds(levels_between=10))
        report = lint(view, LintConfiguration())
        found = {finding.rule: finding.message for finding in report.findings}
        return found.get("no-level-between")

    assert free_above_5(6) == "no value is free up to the next class"
    assert free_above_5(7) == "only 1 value is free up to the next class"
    assert free_above_5(15) == "only 9 values are free up to the next class"
    assert free_above_5(16) is None


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


STANDARD = priority_class("standard", 1000, globalDefault=True)


def messages(rule: str, *objects: Obj) -> list[str]:
    """What a rule says of objects."""
    report = lint(ClusterView(objects), LintConfiguration())
    return [finding.message for finding in report.findings if finding.rule == rule]


def test_pods_that_run_below_a_default_class_are_found_with_what_the_next_one_does() -> None:
    objects = [node("n", "2"), STANDARD, pod("old", "2", on="n", priority=0)]
    report = lint(ClusterView(objects), LintConfiguration())
    (found,) = (one for one in report.findings if one.rule == "stale-priority")
    assert (found.object, found.field) == ("PriorityClass standard", "globalDefault")
    assert found.message == (
        "1 running pod keeps priority 0, and new ones get 1000 of PriorityClass standard, the "
        "default: a new pod with the requests of Pod default/old preempts default/old"
    )
    assert found.witnesses == ("Pod default/old (1 pod)",)


def test_what_isnt_in_the_cluster_yet_takes_no_part_in_what_the_next_pod_does() -> None:
    coming = workload("Deployment", "coming", "2", replicas=1)
    state = [node("n", "2"), STANDARD, pod("old", "2", on="n", priority=0)]
    assert messages("stale-priority", *state) == messages("stale-priority", *state, coming)


def test_pods_of_a_class_that_was_made_again_with_another_value_are_found() -> None:
    old = pod("old", on="n", priority=100, priorityClassName="team")
    report = lint(
        ClusterView([node("n", "2"), priority_class("team", 200), old]), LintConfiguration()
    )
    (found,) = (one for one in report.findings if one.rule == "stale-priority")
    assert (found.object, found.field) == ("PriorityClass team", "value")
    assert found.message.endswith("finds room on n")


def test_without_a_default_class_any_more_the_pods_are_named() -> None:
    old = pod("old", on="n", priority=100)
    (message,) = messages("stale-priority", node("n", "2"), priority_class("team", 100), old)
    assert "new ones get 0, as there is no default class any more" in message


def test_without_nodes_the_pods_are_counted_and_nothing_is_played() -> None:
    (message,) = messages("stale-priority", STANDARD, pod("old", on="n", priority=0))
    assert message.endswith("of PriorityClass standard, the default")


def test_the_pods_that_would_stay_below_a_default_class_are_counted_before_there_is_one() -> None:
    (message,) = messages(
        "no-default-class", priority_class("team", 1), pod("a", on="n"), pod("b", on="n")
    )
    assert message.endswith("get priority 0, and 2 pods run with it")


def test_an_unknown_class_says_which_one_is_meant_and_how_many_pods_run() -> None:
    team = priority_class("payments", 100)
    web = deployment(priorityClassName="paymnts")
    running = pod("web-1", on="n", owner=web, priority=100, priorityClassName="paymnts")
    report = lint(ClusterView([team, web, running]), LintConfiguration())
    (found,) = (one for one in report.findings if one.rule == "unknown-class")
    assert found.message.endswith("none of its pods is let in; is payments meant?")
    assert found.witnesses == ("1 pod of it still runs",)
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {
            "hard": {"pods": "1"},
            "scopeSelector": {
                "matchExpressions": [
                    {"scopeName": "PriorityClass", "operator": "In", "values": ["paymnts"]}
                ]
            },
        },
    }
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


def limit_range(**limits: Any) -> Obj:
    return {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "l", "namespace": "default"},
        "spec": {"limits": [{"type": "Container", **limits}]},
    }


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


def test_a_storage_limit_on_some_containers() -> None:
    limited = {**CONTAINER, "resources": {"limits": {"ephemeral-storage": "1Gi"}}}
    other = {"name": "other", "image": "i:1"}
    (message,) = messages("storage-limit-on-some", deployment(containers=[limited, other]))
    assert message.startswith("only c limits ephemeral-storage, and what other and volumes use")
    assert not messages("storage-limit-on-some", deployment(containers=[limited]))
    assert not messages("storage-limit-on-some", deployment(containers=[other]))
    ends_first = deployment(containers=[limited], initContainers=[other])
    assert not messages("storage-limit-on-some", ends_first)
    sidecar = {**other, "restartPolicy": "Always"}
    runs_along = deployment(containers=[limited], initContainers=[sidecar])
    assert messages("storage-limit-on-some", runs_along)


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


def test_pods_that_use_the_network_of_their_node_hold_its_ports() -> None:
    plain = {**CONTAINER, "ports": [{"containerPort": 80}]}
    web = deployment(1, containers=[plain], hostNetwork=True)
    assert messages("host-port-with-surge", node("n"), web)


def spreading(replicas: int, **constraint: Any) -> Obj:
    over_zones = {
        "topologyKey": ZONE,
        "maxSkew": 1,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
        **constraint,
    }
    return deployment(replicas, topologySpreadConstraints=[over_zones])


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


def cron_job(parallelism: int, **template: Any) -> Obj:
    job = workload("Job", "report", "2", parallelism=parallelism, template=template)
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "report", "namespace": "default"},
        "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": job["spec"]}},
    }


def test_a_cron_job_whose_pods_dont_fit_beside_those_that_they_dont_outrank() -> None:
    nodes = [node("n1", "4"), node("n2", "4"), node("n3", "4", unschedulable=True)]
    high = priority_class("high", 1000)
    held = pod("held", "3", on="n1", priority=10)
    rule = "cron-job-without-room"
    assert not messages(rule, *nodes, cron_job(4))
    assert messages(rule, *nodes, cron_job(5)) == [
        "nodes have room for 4 of the 5 pods that each of its Jobs runs at once"
    ]
    assert "room for 2 of the 3 pods" in messages(rule, *nodes, held, cron_job(3))[0]
    assert not messages(rule, *nodes, held, high, cron_job(4, priorityClassName="high"))
    never = priority_class("never", 1000, preemptionPolicy="Never")
    assert messages(rule, *nodes, held, never, cron_job(3, priorityClassName="never"))
    assert not messages(rule, *nodes, pod("done", "3", on="n1", status={"phase": "Failed"}))
