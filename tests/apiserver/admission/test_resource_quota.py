"""Quotas: what counts, for whom, and what is said to those who want more."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.policy.quota_usage import written
from podium.api.refused import RefusedError
from podium.apiserver.admission.plugin import LimitedScope
from podium.apiserver.attributes import Operation
from tests.apiserver.admission.shelf import Door, container, pod, stored
from tests.controllers.quota_totals import total_usage

Obj = dict[str, Any]


def quota(hard: Obj, used: Obj | None = None, name: str = "q", **spec: Any) -> Obj:
    """A quota that the controller has looked at."""
    nothing = dict.fromkeys(hard, "0")
    status = {"hard": hard, "used": {**nothing, **(used or {})}}
    return stored("ResourceQuota", name, spec={"hard": hard, **spec}, status=status)


def charge(door: Door, obj: Obj, old: Obj | None = None, **fields: Any) -> list[Obj]:
    """What is used of each quota that is charged."""
    _, charged = door.ask(obj, old, **fields)
    return [one["status"]["used"] for one in charged]


def refusal(door: Door, obj: Obj, old: Obj | None = None, **fields: Any) -> str:
    with pytest.raises(RefusedError) as refused:
        door.ask(obj, old, **fields)
    assert refused.value.code == 403
    return refused.value.message


def test_a_pod_is_charged_for() -> None:
    hard = {
        "pods": "5",
        "count/pods": "5",
        "cpu": "2",
        "requests.cpu": "2",
        "limits.memory": "4Gi",
        "requests.e.com/gpu": "1",
        "secrets": "1",
    }
    door = Door(quota(hard, {"cpu": "500m"}))
    given = pod(
        containers=[
            container({"cpu": "250m", "e.com/gpu": 1}, {"memory": "1Gi", "e.com/gpu": 1}),
            container({"cpu": "1"}, {"memory": "512Mi"}, name="d"),
        ],
        overhead={"cpu": "10m"},
        runtimeClassName="kata",
    )
    kata = stored("RuntimeClass", "kata", overhead={"podFixed": {"cpu": "10m"}})
    door.shelf.put(kata)
    assert charge(door, given) == [
        {
            "pods": "1",
            "count/pods": "1",
            "cpu": "1760m",
            "requests.cpu": "1260m",
            "limits.memory": "1536Mi",
            "requests.e.com/gpu": "1",
            "secrets": "0",
        }
    ]


def test_a_charged_quota_is_otherwise_as_it_was() -> None:
    stands = quota({"pods": "1"})
    (charged,) = Door(stands).ask(pod())[1]
    assert charged == {**stands, "status": {"hard": {"pods": "1"}, "used": {"pods": "1"}}}


def test_all_that_is_exceeded_is_named() -> None:
    door = Door(quota({"cpu": "1", "memory": "1Gi", "pods": "1"}, {"cpu": "500m", "pods": "1"}))
    given = pod(containers=[container({"cpu": "1", "memory": "100Mi"})])
    assert refusal(door, given) == (
        'pods "p" is forbidden: exceeded quota: q, requested: cpu=1,pods=1, '
        "used: cpu=500m,pods=1, limited: cpu=1,pods=1"
    )


def test_the_generated_name_is_told() -> None:
    door = Door(quota({"pods": "0"}))
    generated = {**pod(), "metadata": {"generateName": "web-", "namespace": "ns"}}
    assert refusal(door, generated).startswith('pods "web-" is forbidden: exceeded quota: q')


def test_containers_have_to_say_what_is_limited() -> None:
    door = Door(quota({"requests.cpu": "1", "limits.memory": "1Gi", "ephemeral-storage": "1Gi"}))
    silent = pod(
        containers=[container(name="b"), container({"cpu": "1"}, name="a")],
        initContainers=[container(limits={"memory": "1"}, name="i")],
    )
    assert refusal(door, silent) == (
        'pods "p" is forbidden: failed quota: q: must specify limits.memory for: a,b; '
        "requests.cpu for: b,i"
    )
    whole = pod(containers=[container()], resources={"requests": {"cpu": "1"}})
    assert charge(door, whole)


def test_a_quota_that_nobody_has_looked_at_limits_nothing() -> None:
    unseen = stored("ResourceQuota", "q", spec={"hard": {"pods": "0"}}, status={})
    assert charge(Door(unseen), pod()) == []


def test_a_quota_whose_use_is_unknown_lets_nothing_in() -> None:
    status = {"hard": {"pods": "1", "cpu": "1"}, "used": {"cpu": "0"}}
    door = Door(stored("ResourceQuota", "q", spec={"hard": {"pods": "1"}}, status=status))
    given = pod(containers=[container({"cpu": 1})])
    assert refusal(door, given) == (
        'pods "p" is forbidden: status unknown for quota: q, resources: cpu,pods'
    )


def test_other_namespaces_do_not_matter() -> None:
    other = quota({"pods": "0"})
    other["metadata"]["namespace"] = "elsewhere"
    assert charge(Door(other), pod()) == []


BURSTABLE = pod(containers=[container({"cpu": "1"})])
CROSSING = pod(
    affinity={
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "podAffinityTerm": {"topologyKey": "z", "namespaces": ["other"]}}
            ]
        }
    }
)


@pytest.mark.parametrize(
    ("scope", "inside", "outside"),
    [
        ("BestEffort", pod(), BURSTABLE),
        ("NotBestEffort", BURSTABLE, pod()),
        ("Terminating", pod(activeDeadlineSeconds=0), pod()),
        ("NotTerminating", pod(), pod(activeDeadlineSeconds=5)),
        ("PriorityClass", pod(priorityClassName="system-node-critical"), pod()),
        ("CrossNamespacePodAffinity", CROSSING, pod()),
    ],
)
def test_scopes(scope: str, inside: Obj, outside: Obj) -> None:
    door = Door(quota({"pods": "0"}, scopes=[scope]))
    assert "exceeded quota: q" in refusal(door, inside)
    assert charge(door, outside) == []


@pytest.mark.parametrize(
    ("operator", "values", "counted"),
    [
        ("In", ["high"], {"high"}),
        ("In", ["high", "low"], {"high", "low"}),
        ("NotIn", ["high"], {"low", ""}),
        ("Exists", None, {"high", "low"}),
        ("DoesNotExist", None, {""}),
    ],
)
def test_quotas_by_priority_class(operator: str, values: Any, counted: set[str]) -> None:
    requirement = {"scopeName": "PriorityClass", "operator": operator, "values": values}
    classes = [stored("PriorityClass", name, value=1) for name in ("high", "low")]
    selector = {"matchExpressions": [requirement]}
    door = Door(quota({"pods": "5"}, scopeSelector=selector), *classes)
    charged = {
        name
        for name in ("high", "low", "")
        if charge(door, pod(**({"priorityClassName": name} if name else {})))
    }
    assert charged == counted


def test_all_scopes_have_to_fit() -> None:
    door = Door(quota({"pods": "0"}, scopes=["BestEffort", "Terminating"]))
    assert charge(door, pod()) == []
    assert refusal(door, pod(activeDeadlineSeconds=5))


def test_pods_of_a_limited_scope_need_a_quota() -> None:
    critical = LimitedScope("PriorityClass", "In", ("system-node-critical", "a"))
    given = pod(priorityClassName="system-node-critical")
    door = Door(limited_scopes=(critical,))
    assert refusal(door, given) == (
        'pods "p" is forbidden: insufficient quota to match these scopes: '
        "[{PriorityClass In [system-node-critical a]}]"
    )
    assert charge(door, pod()) == []
    requirement = {"scopeName": "PriorityClass", "operator": "Exists"}
    door.shelf.put(quota({"pods": "1"}, scopeSelector={"matchExpressions": [requirement]}))
    assert charge(door, given) == [{"pods": "1"}]


@pytest.mark.parametrize(
    ("kind", "fields", "expected"),
    [
        ("Deployment", {}, {"count/deployments.apps": "1"}),
        ("ConfigMap", {}, {"configmaps": "1", "count/configmaps": "1"}),
        ("Service", {"spec": {"type": "ClusterIP"}}, {"services": "1"}),
        (
            "Service",
            {"spec": {"type": "LoadBalancer", "ports": [{"port": 1}, {"port": 2}]}},
            {"services": "1", "services.loadbalancers": "1", "services.nodeports": "2"},
        ),
        (
            "Service",
            {
                "spec": {
                    "type": "LoadBalancer",
                    "allocateLoadBalancerNodePorts": False,
                    "ports": [{"port": 1, "nodePort": 30000}, {"port": 2}],
                }
            },
            {"services.nodeports": "1"},
        ),
        (
            "PersistentVolumeClaim",
            {
                "spec": {
                    "storageClassName": "gold",
                    "resources": {"requests": {"storage": "1Gi"}},
                }
            },
            {
                "persistentvolumeclaims": "1",
                "requests.storage": "1Gi",
                "gold.storageclass.storage.k8s.io/requests.storage": "1Gi",
                "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
            },
        ),
    ],
)
def test_what_other_kinds_use(kind: str, fields: Obj, expected: Obj) -> None:
    names = [
        "count/deployments.apps",
        "configmaps",
        "count/configmaps",
        "services",
        "services.loadbalancers",
        "services.nodeports",
        "persistentvolumeclaims",
        "requests.storage",
        "gold.storageclass.storage.k8s.io/requests.storage",
        "gold.storageclass.storage.k8s.io/persistentvolumeclaims",
        "silver.storageclass.storage.k8s.io/requests.storage",
        "pods",
    ]
    (used,) = charge(Door(quota(dict.fromkeys(names, "5Gi"))), stored(kind, "x", **fields))
    assert {name: amount for name, amount in used.items() if amount != "0"} | expected == {
        name: amount for name, amount in used.items() if amount != "0"
    }
    assert used["pods"] == "0"


def test_events_are_free() -> None:
    assert charge(Door(quota({"count/events": "0"})), stored("Event", "e")) == []


def test_an_update_is_charged_for_what_is_new() -> None:
    door = Door(quota({"requests.storage": "3Gi"}, {"requests.storage": "1Gi"}))

    def claim(size: str) -> Obj:
        spec = {"resources": {"requests": {"storage": size}}, "storageClassName": "s"}
        return stored("PersistentVolumeClaim", "c", spec=spec, status={"phase": "Bound"})

    door.shelf.put(stored("StorageClass", "s", allowVolumeExpansion=True))
    assert charge(door, claim("2Gi"), claim("1Gi")) == [{"requests.storage": "2Gi"}]
    assert charge(door, claim("1Gi"), claim("1Gi")) == []
    assert "requested: requests.storage=3Gi" in refusal(door, claim("4Gi"), claim("1Gi"))


def test_pods_are_charged_anew_when_they_change_scope_or_size() -> None:
    door = Door(quota({"pods": "1"}, scopes=["Terminating"]), quota({"cpu": "4"}, name="r"))
    old = pod(containers=[container({"cpu": "1"})])
    assert charge(door, pod(**old["spec"], activeDeadlineSeconds=5), old) == [{"pods": "1"}]
    labelled = {**old, "metadata": {**old["metadata"], "labels": {"a": "b"}}}
    assert charge(door, labelled, old) == []
    larger = pod(containers=[container({"cpu": "3"})])
    assert charge(door, larger, old, subresource="resize") == [{"cpu": "2"}]
    assert charge(door, old, old, subresource="status") == []


@pytest.mark.parametrize("subresource", ["binding", "eviction"])
def test_what_is_posted_to_pods_is_no_pod(subresource: str) -> None:
    door = Door(quota({"pods": "0"}))
    assert charge(door, pod(), subresource=subresource, operation=Operation.CREATE) == []


def test_everything_can_be_counted_anew() -> None:
    running = pod(containers=[container({"cpu": "1", "memory": "1Gi"})])
    finished = {**running, "status": {"phase": "Succeeded"}}
    stuck = {
        **running,
        "metadata": {
            "name": "s",
            "deletionTimestamp": "1970-01-01T00:01:00Z",
            "deletionGracePeriodSeconds": 30,
        },
    }
    objects = {"Pod": [running, finished, stuck], "ConfigMap": [stored("ConfigMap", "c")] * 2}
    counted = quota({"pods": "9", "count/pods": "9", "cpu": "9", "configmaps": "9", "secrets": "9"})

    def used(now_s: float) -> dict[str, str]:
        def of_kind(kind: Any) -> list[Obj]:
            return objects.get(kind.name, [])

        return written(total_usage(counted, of_kind, KINDS.values(), now_s))

    rest = {"count/pods": "3", "configmaps": "2", "secrets": "0"}
    assert used(90.0) == {**rest, "pods": "2", "cpu": "2"}
    assert used(91.0) == {**rest, "pods": "1", "cpu": "1"}
