"""Defaults by example: what is filled in, what stays as it is, and what is left untouched."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.apiserver.kinds.registration.registrations import apply_defaults

Obj = dict[str, Any]


def pod(container: Obj | None = None, labels: Obj | None = None, **spec: Any) -> Obj:
    return {
        "kind": "Pod",
        "metadata": {"name": "p", "labels": labels or {}},
        "spec": {"containers": [{"name": "c", "image": "i", **(container or {})}], **spec},
    }


def spec_of(obj: Obj) -> Any:
    return apply_defaults(obj)["spec"]


def resources_of(resources: Obj) -> Any:
    return spec_of(pod({"resources": resources}))["containers"][0]["resources"]


@pytest.mark.parametrize(
    ("given", "requests"),
    [
        ({"limits": {"cpu": 1, "memory": "1Gi"}}, {"cpu": 1, "memory": "1Gi"}),
        ({"limits": {"cpu": 2}, "requests": {"cpu": 1}}, {"cpu": 1}),
        ({"limits": {"cpu": 2}, "requests": {"memory": "1Gi"}}, {"memory": "1Gi", "cpu": 2}),
        ({"requests": {"cpu": "1"}}, {"cpu": "1"}),
        ({"requests": {"cpu": "1500u"}}, {"cpu": "2m"}),
    ],
)
def test_requests_follow_from_limits(given: Obj, requests: Obj) -> None:
    assert resources_of(given)["requests"] == requests


@pytest.mark.parametrize(("given", "expected"), [(-1, 1), (-5, 1), (0, 0), (7, 7), (None, 30)])
def test_no_grace_period_is_below_zero(given: int | None, expected: int) -> None:
    spec = pod(terminationGracePeriodSeconds=given)
    assert spec_of(spec)["terminationGracePeriodSeconds"] == expected


def test_the_grace_period_of_a_template_is_kept() -> None:
    deployment = {"kind": "Deployment", "spec": {"template": pod(terminationGracePeriodSeconds=-1)}}
    filled = spec_of(deployment)["template"]["spec"]
    assert filled["terminationGracePeriodSeconds"] == -1


def test_requests_of_templates_do_not_follow_from_limits() -> None:
    template = {"spec": pod({"resources": {"limits": {"cpu": 1}}})["spec"]}
    deployment = {"kind": "Deployment", "spec": {"template": template}}
    filled = spec_of(deployment)["template"]["spec"]["containers"][0]["resources"]
    assert filled == {"limits": {"cpu": 1}}


@pytest.mark.parametrize(
    ("containers", "given", "expected"),
    [
        ({}, {"limits": {"cpu": "2"}}, {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}),
        (
            {"requests": {"cpu": "500m"}},
            {"limits": {"cpu": "2", "memory": "1Gi"}},
            {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "500m", "memory": "1Gi"}},
        ),
        (
            {"requests": {"memory": "512Mi"}},
            {"limits": {"cpu": "2"}},
            {"limits": {"cpu": "2"}, "requests": {"cpu": "2", "memory": "512Mi"}},
        ),
        (
            {"requests": {"cpu": "1"}},
            {"requests": {"memory": "1Gi"}},
            {"requests": {"memory": "1Gi"}},
        ),
        (
            {"limits": {"hugepages-2Mi": "4Mi"}},
            {"requests": {"cpu": "1"}},
            {"requests": {"cpu": "1", "hugepages-2Mi": "4Mi"}, "limits": {"hugepages-2Mi": "4Mi"}},
        ),
    ],
)
def test_pod_level_resources(containers: Obj, given: Obj, expected: Obj) -> None:
    assert spec_of(pod({"resources": containers}, resources=given))["resources"] == expected


def test_no_pod_level_resources_come_from_nowhere() -> None:
    assert "resources" not in spec_of(pod({"resources": {"limits": {"cpu": 1}}}))


def test_ports_in_the_nodes_network_are_the_nodes() -> None:
    ports = [{"containerPort": 80}, {"containerPort": 81, "hostPort": 81}]
    inside = spec_of(pod({"ports": ports}))["containers"][0]["ports"]
    assert [port.get("hostPort") for port in inside] == [None, 81]
    outside = spec_of(pod({"ports": ports}, hostNetwork=True))["containers"][0]["ports"]
    assert [port.get("hostPort") for port in outside] == [80, 81]


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("i", "Always"),
        ("i:latest", "Always"),
        ("registry:5000/i", "Always"),
        ("registry:5000/i:v1", "IfNotPresent"),
        ("i@sha256:" + "0" * 64, "IfNotPresent"),
        ("i:latest@sha256:" + "0" * 64, "Always"),
        ("Registry.io/i", "Always"),
        ("I", "IfNotPresent"),
        ("a//b", "IfNotPresent"),
        ("a b", "IfNotPresent"),
    ],
)
def test_pull_policy(image: str, policy: str) -> None:
    assert spec_of(pod({"image": image}))["containers"][0]["imagePullPolicy"] == policy


def test_label_keys_become_conditions() -> None:
    term = {
        "labelSelector": {"matchLabels": {"app": "a"}},
        "topologyKey": "zone",
        "matchLabelKeys": ["rev", "absent"],
        "mismatchLabelKeys": ["tenant"],
    }
    weighted = {"weight": 1, "podAffinityTerm": term}
    spread = {"labelSelector": {}, "matchLabelKeys": ["rev"]}
    given = pod(
        labels={"rev": "1", "tenant": "t"},
        affinity={
            "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [weighted]},
            "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]},
        },
        topologySpreadConstraints=[spread, {"matchLabelKeys": ["rev"]}],
    )
    spec = spec_of(given)
    is_rev = {"key": "rev", "operator": "In", "values": ["1"]}
    not_tenant = {"key": "tenant", "operator": "NotIn", "values": ["t"]}
    affinity = spec["affinity"]
    required = affinity["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0]
    preferred = affinity["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"][0]
    assert required["labelSelector"]["matchExpressions"] == [is_rev, not_tenant]
    assert preferred["podAffinityTerm"]["labelSelector"] == required["labelSelector"]
    first, without_selector = spec["topologySpreadConstraints"]
    assert first["labelSelector"] == {"matchExpressions": [is_rev]}
    assert "labelSelector" not in without_selector


def test_absence_that_means_something_stays() -> None:
    constraint = {"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}
    given = pod(topologySpreadConstraints=[constraint], tolerations=[{"operator": "Exists"}])
    spec = spec_of(given)
    assert spec["topologySpreadConstraints"] == [constraint]
    assert spec["tolerations"] == [{"operator": "Exists"}]


def test_all_of_a_nodes_capacity_can_be_allocated() -> None:
    assert apply_defaults({"kind": "Node", "status": {"capacity": {"cpu": "4"}}})["status"] == {
        "capacity": {"cpu": "4"},
        "allocatable": {"cpu": "4"},
    }
    status = {"capacity": {"cpu": "4"}, "allocatable": {"cpu": "3"}}
    assert apply_defaults({"kind": "Node", "status": status})["status"] == status


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"podCIDR": "a"}, {"podCIDR": "a", "podCIDRs": ["a"]}),
        ({"podCIDRs": ["a", "b"]}, {"podCIDR": "a", "podCIDRs": ["a", "b"]}),
        ({"podCIDR": "a", "podCIDRs": ["b"]}, {"podCIDR": "a", "podCIDRs": ["a"]}),
    ],
)
def test_a_nodes_first_range_of_addresses_is_told_twice(spec: Obj, expected: Obj) -> None:
    assert apply_defaults({"kind": "Node", "spec": spec})["spec"] == expected


WORKLOAD = {"template": {"metadata": {"labels": {"app": "a"}}, "spec": {}}}


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        ("ReplicationController", WORKLOAD, {"replicas": 1, "selector": {"app": "a"}}),
        (
            "StatefulSet",
            WORKLOAD,
            {
                "replicas": 1,
                "podManagementPolicy": "OrderedReady",
                "updateStrategy": {
                    "type": "RollingUpdate",
                    "rollingUpdate": {"partition": 0},
                },
            },
        ),
        ("StatefulSet", {"updateStrategy": {"type": "OnDelete"}}, {"replicas": 1}),
        (
            "DaemonSet",
            WORKLOAD,
            {
                "updateStrategy": {
                    "type": "RollingUpdate",
                    "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0},
                }
            },
        ),
        ("Job", {}, {"completions": 1, "parallelism": 1, "completionMode": "NonIndexed"}),
        ("Job", {"parallelism": 3}, {"parallelism": 3, "completions": None}),
        ("Deployment", {"strategy": {"type": "Recreate"}}, {"strategy": {"type": "Recreate"}}),
        ("PersistentVolumeClaim", {}, {"volumeMode": "Filesystem"}),
        ("PersistentVolume", {}, {"persistentVolumeReclaimPolicy": "Retain"}),
        ("CSIDriver", {}, {"attachRequired": True, "storageCapacity": False}),
        (
            "Service",
            {"ports": [{"port": 80}]},
            {"ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}], "type": "ClusterIP"},
        ),
        (
            "Service",
            {"type": "LoadBalancer", "sessionAffinity": "ClientIP"},
            {
                "allocateLoadBalancerNodePorts": True,
                "externalTrafficPolicy": "Cluster",
                "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10_800}},
            },
        ),
        ("Service", {"externalIPs": ["1.2.3.4"]}, {"externalTrafficPolicy": "Cluster"}),
        ("Service", {}, {"externalTrafficPolicy": None, "sessionAffinityConfig": None}),
        (
            "PersistentVolume",
            {"hostPath": {"path": "/x"}},
            {"hostPath": {"path": "/x", "type": ""}},
        ),
        (
            "PersistentVolume",
            {"rbd": {"monitors": ["a"], "image": "x", "pool": "p"}},
            {
                "rbd": {
                    "monitors": ["a"],
                    "image": "x",
                    "pool": "p",
                    "user": "admin",
                    "keyring": "/etc/ceph/keyring",
                }
            },
        ),
        (
            "HorizontalPodAutoscaler",
            {"behavior": {"scaleDown": {"stabilizationWindowSeconds": 60}}},
            {
                "minReplicas": 1,
                "metrics": [
                    {
                        "type": "Resource",
                        "resource": {
                            "name": "cpu",
                            "target": {"type": "Utilization", "averageUtilization": 80},
                        },
                    }
                ],
                "behavior": {
                    "scaleUp": {
                        "stabilizationWindowSeconds": 0,
                        "selectPolicy": "Max",
                        "policies": [
                            {"type": "Pods", "value": 4, "periodSeconds": 15},
                            {"type": "Percent", "value": 100, "periodSeconds": 15},
                        ],
                    },
                    "scaleDown": {
                        "stabilizationWindowSeconds": 60,
                        "selectPolicy": "Max",
                        "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
                    },
                },
            },
        ),
        ("HorizontalPodAutoscaler", {"minReplicas": 2}, {"minReplicas": 2, "behavior": None}),
        ("NetworkPolicy", {"podSelector": {}}, {"policyTypes": ["Ingress"]}),
        (
            "NetworkPolicy",
            {"egress": [{"ports": [{"port": 53}]}]},
            {
                "policyTypes": ["Ingress", "Egress"],
                "egress": [{"ports": [{"port": 53, "protocol": "TCP"}]}],
            },
        ),
        (
            "IngressClass",
            {"parameters": {"kind": "A", "name": "a"}},
            {"parameters": {"kind": "A", "name": "a", "scope": "Cluster"}},
        ),
    ],
)
def test_other_specs(kind: str, spec: Obj, expected: Obj) -> None:
    filled = apply_defaults({"spec": spec}, kind)["spec"]
    assert {name: filled.get(name) for name in expected} == expected


def test_a_namespace_is_labelled_with_its_name() -> None:
    filled = apply_defaults({"kind": "Namespace", "metadata": {"name": "a", "labels": {"x": "y"}}})
    assert filled["metadata"]["labels"] == {"x": "y", "kubernetes.io/metadata.name": "a"}


def test_classes() -> None:
    assert apply_defaults({"kind": "StorageClass"})["volumeBindingMode"] == "Immediate"
    assert apply_defaults({"kind": "PriorityClass"})["preemptionPolicy"] == "PreemptLowerPriority"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"serviceAccount": "a"}, "a"),
        ({"serviceAccountName": "a"}, "a"),
        ({"serviceAccountName": "a", "serviceAccount": "b"}, "a"),
        ({}, None),
    ],
)
def test_a_service_account_has_two_names(given: Obj, expected: str | None) -> None:
    template = {"spec": pod(**given)["spec"]}
    deployment = spec_of({"kind": "Deployment", "spec": {"template": template}})
    for spec in (spec_of(pod(**given)), deployment["template"]["spec"]):
        assert spec.get("serviceAccountName") == spec.get("serviceAccount") == expected


def test_sources_of_volumes() -> None:
    volumes = [
        {"name": "a", "iscsi": {"targetPortal": "x", "iqn": "y", "lun": 0}},
        {"name": "b", "azureDisk": {"diskName": "x", "diskURI": "y"}},
        {"name": "c", "scaleIO": {"fsType": "ext4"}},
        {"name": "d", "image": {"reference": "model:v1"}},
    ]
    iscsi, azure, scale_io, image = spec_of(pod(volumes=volumes))["volumes"]
    assert iscsi["iscsi"]["iscsiInterface"] == "default"
    settings = {"cachingMode": "ReadWrite", "fsType": "ext4", "kind": "Shared", "readOnly": False}
    assert azure["azureDisk"] == {"diskName": "x", "diskURI": "y", **settings}
    assert scale_io["scaleIO"] == {"fsType": "ext4", "storageMode": "ThinProvisioned"}
    assert image["image"]["pullPolicy"] == "IfNotPresent"


def test_a_cron_jobs_template_has_its_pods_and_policies_filled_in() -> None:
    policy = {"rules": [{"action": "Count", "onPodConditions": [{"type": "DisruptionTarget"}]}]}
    job = {"podFailurePolicy": policy, "template": {"spec": pod()["spec"]}}
    filled = spec_of({"kind": "CronJob", "spec": {"jobTemplate": {"spec": job}}})
    spec = filled["jobTemplate"]["spec"]
    assert spec.keys() == job.keys()
    (condition,) = spec["podFailurePolicy"]["rules"][0]["onPodConditions"]
    assert condition == {"type": "DisruptionTarget", "status": "True"}
    assert spec["template"]["spec"]["dnsPolicy"] == "ClusterFirst"


def test_volumes() -> None:
    volumes = [
        {"name": "a"},
        {"name": "b", "configMap": {"name": "x"}},
        {"name": "c", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
        {"name": "d", "persistentVolumeClaim": {"claimName": "x"}},
    ]
    filled = spec_of(pod(volumes=volumes))["volumes"]
    assert filled[0] == {"name": "a", "emptyDir": {}}
    assert filled[1]["configMap"]["defaultMode"] == 420
    (source,) = filled[2]["projected"]["sources"]
    assert source["serviceAccountToken"]["expirationSeconds"] == 3600
    assert filled[3] is volumes[3]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"max": {"cpu": "2"}, "min": {"memory": "1Gi"}},
            {"default": {"cpu": "2"}, "defaultRequest": {"cpu": "2", "memory": "1Gi"}},
        ),
        (
            {"default": {"cpu": "1"}, "defaultRequest": {"cpu": "500m"}, "max": {"cpu": "2"}},
            {"default": {"cpu": "1"}, "defaultRequest": {"cpu": "500m"}},
        ),
    ],
)
def test_limits_of_containers(given: Obj, expected: Obj) -> None:
    def limit_of(kind: str) -> Any:
        limit_range = {"spec": {"limits": [{"type": kind, **given}]}}
        return apply_defaults(limit_range, "LimitRange")["spec"]["limits"][0]

    assert limit_of("Container") == {"type": "Container", **given, **expected}
    assert limit_of("Pod") == {"type": "Pod", **given}


def test_secrets() -> None:
    assert apply_defaults({"data": {"a": "eA=="}, "stringData": {"b": "y"}}, "Secret") == {
        "type": "Opaque",
        "data": {"a": "eA==", "b": "eQ=="},
    }


def test_unknown_kinds_come_back_as_they_are() -> None:
    odd = {"kind": "ConfigMap"}
    assert apply_defaults(odd) is odd


quantities = st.sampled_from(["1", "500m", "1Gi", "1500u"])
resource_lists = st.dictionaries(st.sampled_from(["cpu", "memory", "hugepages-2Mi"]), quantities)
requirements = st.fixed_dictionaries(
    {}, optional={"limits": resource_lists, "requests": resource_lists}
)
containers = st.fixed_dictionaries(
    {"name": st.just("c")},
    optional={
        "image": st.sampled_from(["i", "i:v1"]),
        "resources": requirements,
        "ports": st.lists(st.just({"containerPort": 80}), max_size=2),
        "readinessProbe": st.just({"httpGet": {"port": 80}}),
    },
)
pods = st.builds(
    lambda containers, spec: {
        "kind": "Pod",
        "metadata": {"labels": {"rev": "1"}},
        "spec": {"containers": containers, **spec},
    },
    st.lists(containers, min_size=1, max_size=2),
    st.fixed_dictionaries(
        {},
        optional={
            "resources": requirements,
            "hostNetwork": st.booleans(),
            "volumes": st.lists(st.sampled_from([{"name": "v"}, {"name": "v", "secret": {}}])),
            "topologySpreadConstraints": st.just(
                [{"labelSelector": {}, "matchLabelKeys": ["rev"]}]
            ),
        },
    ),
)


@given(pods)
def test_filling_in_touches_nothing_and_is_done_once(given: Obj) -> None:
    before = copy.deepcopy(given)
    filled = apply_defaults(given)
    assert given == before
    assert apply_defaults(filled) is filled
