"""Rules of volumes, services, quotas, limit ranges, leases and nodes."""

from typing import Any

import pytest

from podium.api.errors import FieldError
from podium.apiserver.kinds.registration.registrations import validate
from tests.apiserver.validation.samples import an_object

Obj = dict[str, Any]


def scoped(*requirements: Obj, **hard: str) -> Obj:
    return {"hard": hard or {"pods": "1"}, "scopeSelector": {"matchExpressions": [*requirements]}}


def limit(kind: str = "Container", **lists: Obj) -> Obj:
    return {"limits": [{"type": kind, **lists}]}


FAULTS: list[tuple[str, str, Any, str]] = [
    (
        "PersistentVolume",
        "spec.hostPath",
        None,
        "spec: Required value: must specify a volume type",
    ),
    ("PersistentVolume", "spec.local", {}, "spec.local.path: Required value"),
    (
        "PersistentVolume",
        "spec.local",
        {"path": "/x"},
        "spec.nodeAffinity: Required value: Local volume requires node affinity",
    ),
    (
        "PersistentVolume",
        "spec.nodeAffinity",
        {},
        "spec.nodeAffinity.required: Required value: must specify required node constraints",
    ),
    (
        "PersistentVolume",
        "spec.capacity.storage",
        "-1",
        "spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
    ),
    (
        "StorageClass",
        "allowedTopologies",
        [{}],
        'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""',
    ),
    (
        "StorageClass",
        "allowedTopologies",
        [{"matchLabelExpressions": [{"key": "z", "values": ["a", "a"]}]}],
        'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
    ),
    (
        "StorageClass",
        "allowedTopologies",
        [{"matchLabelExpressions": [{"key": "z", "values": ["a"]}] * 2}],
        'allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "z"',
    ),
    (
        "Namespace",
        "spec.finalizers",
        ["x"],
        'spec.finalizers: Invalid value: "x": '
        "name is neither a standard finalizer name nor is it fully qualified",
    ),
    ("Service", "spec.ports", None, "spec.ports: Required value"),
    (
        "Service",
        "spec.ports",
        [{"port": 70000}],
        "spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive",
    ),
    (
        "Service",
        "spec.ports",
        [{"port": 80, "name": "x"}, {"port": 81, "name": "x"}],
        'spec.ports[1].name: Duplicate value: "x"',
    ),
    (
        "Service",
        "spec.ports",
        [
            {"port": 80, "name": "x", "protocol": "TCP"},
            {"port": 80, "name": "y", "protocol": "TCP"},
        ],
        'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,'
        '"TargetPort":0,"NodePort":0}',
    ),
    (
        "Service",
        "spec.clusterIP",
        "x",
        'spec.clusterIPs[0]: Invalid value: "x": '
        "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
    ),
    (
        "PodDisruptionBudget",
        "metadata",
        {"name": "a/b"},
        "metadata.name: Invalid value: \"a/b\": may not contain '/'",
    ),
    (
        "Node",
        "spec.podCIDRs",
        ["10.0.0.0/24", "10.1.0.0/24"],
        'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: '
        "may specify no more than one CIDR for each IP family",
    ),
    (
        "Node",
        "spec.podCIDRs",
        ["10.0.0.1/24"],
        'spec.podCIDRs[0]: Invalid value: "10.0.0.1/24": '
        "must not have bits set beyond the prefix length",
    ),
    (
        "Node",
        "spec.podCIDRs",
        ["10.0.0.1"],
        'spec.podCIDRs[0]: Invalid value: "10.0.0.1": '
        "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
    ),
    (
        "LimitRange",
        "spec",
        limit(min={"cpu": "-1"}, max={"cpu": "2"}, maxLimitRequestRatio={"cpu": "4"}),
        'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "4": '
        "ratio 4 is greater than max/min = -2.000000",
    ),
    (
        "LimitRange",
        "spec",
        limit("PersistentVolumeClaim", max={"storage": "1", "x": "1"}),
        'spec.limits[0].max[x]: Invalid value: "x": '
        "must be a standard resource type or fully qualified",
    ),
    (
        "ResourceQuota",
        "spec.hard",
        {"cores": "1"},
        'spec.hard[cores]: Invalid value: "cores": must be a standard resource for quota',
    ),
    (
        "ResourceQuota",
        "spec.hard",
        {"pods": "500m"},
        'spec.hard[pods]: Invalid value: "500m": must be an integer',
    ),
    (
        "ResourceQuota",
        "spec.hard",
        {"cpu": "-1"},
        'spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ),
    (
        "ResourceQuota",
        "spec",
        {"hard": {"pods": "1"}, "scopes": ["Odd"]},
        'spec.scopes: Invalid value: ["Odd"]: unsupported scope',
    ),
    (
        "ResourceQuota",
        "spec",
        {"hard": {"cpu": "1"}, "scopes": ["BestEffort"]},
        'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
    ),
    (
        "ResourceQuota",
        "spec",
        {"hard": {"pods": "1"}, "scopes": ["BestEffort", "NotBestEffort"]},
        'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
    ),
    (
        "ResourceQuota",
        "spec",
        scoped({"scopeName": "PriorityClass", "operator": "In"}),
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value "
        "when `operator` is 'In' or 'NotIn' for scope selector",
    ),
    (
        "ResourceQuota",
        "spec",
        scoped({"scopeName": "PriorityClass", "operator": "Exists", "values": ["a"]}),
        'spec.scopeSelector.matchExpressions.values: Invalid value: ["a"]: must be no value '
        "when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
    ),
    (
        "ResourceQuota",
        "spec",
        scoped({"scopeName": "PriorityClass", "operator": "Is"}),
        'spec.scopeSelector.matchExpressions.operator: Invalid value: "Is": '
        "not a valid selector operator",
    ),
    (
        "ResourceQuota",
        "spec",
        scoped({"scopeName": "PriorityClass", "operator": "Exists"}, secrets="1"),
        'spec.scopeSelector.matchExpressions: Invalid value: {"matchExpressions":[{"scopeName":'
        '"PriorityClass","operator":"Exists"}]}: '
        "unsupported scope applied to resource",
    ),
    (
        "LimitRange",
        "spec",
        limit("Odd"),
        'spec.limits[0].type: Invalid value: "Odd": '
        "must be a standard limit type or fully qualified",
    ),
    (
        "LimitRange",
        "spec",
        {"limits": [{"type": "Pod"}, {"type": "Pod"}]},
        'spec.limits[1].type: Duplicate value: "Pod"',
    ),
    (
        "LimitRange",
        "spec",
        limit("Pod", default={"cpu": "1"}),
        "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
    ),
    (
        "LimitRange",
        "spec",
        limit("PersistentVolumeClaim"),
        "spec.limits[0].limits: Required value: either minimum or maximum storage value is "
        "required, but neither was provided",
    ),
    (
        "LimitRange",
        "spec",
        limit(min={"cpu": "2"}, max={"cpu": "1"}),
        'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
    ),
    (
        "LimitRange",
        "spec",
        limit(defaultRequest={"cpu": "2"}, default={"cpu": "1"}),
        'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": '
        "default request value 2 is greater than default limit value 1",
    ),
    (
        "LimitRange",
        "spec",
        limit(default={"cpu": "2"}, max={"cpu": "1"}),
        'spec.limits[0].default[cpu]: Invalid value: "1": '
        "default value 2 is greater than max value 1",
    ),
    (
        "LimitRange",
        "spec",
        limit(maxLimitRequestRatio={"cpu": "500m"}),
        'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": '
        "ratio 500m is less than 1",
    ),
    (
        "LimitRange",
        "spec",
        limit(maxLimitRequestRatio={"cpu": "4"}, min={"cpu": "1"}, max={"cpu": "2"}),
        'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "4": '
        "ratio 4 is greater than max/min = 2.000000",
    ),
    (
        "LimitRange",
        "spec",
        limit(default={"e.com/a": "2"}, defaultRequest={"e.com/a": "1"}),
        'spec.limits[0].defaultRequest[e.com/a]: Invalid value: "1": '
        "default value 2 must equal to defaultRequest value 1 in e.com/a",
    ),
    ("ControllerRevision", "data", None, "data: Required value: data is mandatory"),
    (
        "Lease",
        "spec.leaseDurationSeconds",
        0,
        "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
    ),
    (
        "Lease",
        "spec.leaseTransitions",
        -1,
        "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
    ),
    ("VolumeAttachment", "spec.attacher", "", "spec.attacher: Required value"),
    (
        "Node",
        "spec.taints",
        [{"key": "k", "effect": "NoSchedule"}, {"key": "k", "effect": "NoSchedule", "value": "v"}],
        'metadata.taints[1]: Duplicate value: {"Key":"k","Value":"v","Effect":"NoSchedule",'
        '"TimeAdded":null}: taints must be unique by key and effect pair',
    ),
    (
        "Node",
        "metadata.finalizers",
        ["odd"],
        'metadata.finalizers[0]: Invalid value: "odd": '
        "name is neither a standard finalizer name nor is it fully qualified",
    ),
]


@pytest.mark.parametrize(("kind", "path", "value", "text"), FAULTS)
def test_fault(kind: str, path: str, value: Any, text: str) -> None:
    found = [str(fault) for fault in validate(an_object(kind, path, value))]
    assert text in found


@pytest.mark.parametrize(
    "spec",
    [
        scoped({"scopeName": "PriorityClass", "operator": "In", "values": ["a"]}, cpu="1"),
        scoped({"scopeName": "Terminating", "operator": "Exists"}),
        {"hard": {"requests.e.com/gpu": "2", "hugepages-2Mi": "1Gi", "services.nodeports": 0}},
        {"hard": {"gold.storageclass.storage.k8s.io/requests.storage": "1Ti"}},
    ],
)
def test_quotas_that_are_valid(spec: Obj) -> None:
    assert validate(an_object("ResourceQuota", "spec", spec)) == []


def test_only_one_owner_controls() -> None:
    owners = [
        {"apiVersion": "v1", "kind": "A", "name": name, "uid": name, "controller": True}
        for name in "ab"
    ]
    (fault,) = validate(an_object("ConfigMap", "metadata.ownerReferences", owners))
    assert fault == FieldError(
        "metadata.ownerReferences",
        owners,
        "Only one reference can have Controller set to true. "
        'Found "true" in references for A/a and A/b',
    )


def test_annotations_are_limited() -> None:
    large = {"a": "x" * 256 * 1024}
    (fault,) = validate(an_object("ConfigMap", "metadata.annotations", large))
    assert str(fault) == "metadata.annotations: Too long: may not be more than 262144 bytes"
