"""What updates of the other kinds may change."""

from collections.abc import Iterator
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.kinds.registration.registrations import validate_update
from tests.apiserver.kinds.updates import changed, faults, stored
from tests.apiserver.validation.samples import VALID

Obj = dict[str, Any]

IMMUTABLE = "field is immutable"
SELECTOR: Obj = {"matchLabels": {"app": "a"}}
TEMPLATE: Obj = {
    "metadata": {"labels": {"app": "a"}},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}
ONCE: Obj = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
WORKLOAD: Obj = {"spec": {"selector": SELECTOR, "template": TEMPLATE}}
CLAIM: Obj = {
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "s",
        "resources": {"requests": {"storage": "1Gi"}},
    }
}
BOUND: Obj = {
    "spec": {**CLAIM["spec"], "volumeName": "v"},
    "status": {"phase": "Bound", "capacity": {"storage": "1Gi"}},
}
VOLUME: Obj = {
    "spec": {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "csi": {"driver": "d", "volumeHandle": "h"},
    }
}

WRONG: list[tuple[str, str, Any, str]] = [
    ("RuntimeClass", "overhead", {"podFixed": {"cpu": "-1"}}, "overhead.podFixed.limits[cpu]"),
    ("ControllerRevision", "revision", -1, "revision"),
]

ALLOWED: list[tuple[str, Obj, str, Any]] = [
    ("Node", {"spec": {}}, "spec.unschedulable", True),
    ("Node", {"spec": {}}, "spec.podCIDRs", ["10.0.0.0/24"]),
    ("Node", {"spec": {}}, "spec.taints", [{"key": "k", "effect": "NoSchedule"}]),
    ("Deployment", WORKLOAD, "spec.replicas", 3),
    ("Deployment", WORKLOAD, "spec.template.spec.containers.0.image", "j"),
    ("StatefulSet", WORKLOAD, "spec.replicas", 3),
    ("StatefulSet", WORKLOAD, "spec.minReadySeconds", 3),
    ("StatefulSet", WORKLOAD, "spec.template.spec.containers.0.image", "j"),
    ("ReplicationController", {"spec": {"template": TEMPLATE}}, "spec.replicas", 3),
    ("Job", {"spec": {"template": ONCE}}, "spec.parallelism", 3),
    ("Job", {"spec": {"template": ONCE}}, "spec.suspend", True),
    (
        "Job",
        {"spec": {"template": ONCE, "suspend": True}},
        "spec.template.spec.nodeSelector",
        {"a": "b"},
    ),
    ("PersistentVolumeClaim", CLAIM, "spec.volumeName", "v"),
    ("PersistentVolumeClaim", BOUND, "spec.resources.requests.storage", "2Gi"),
    ("PersistentVolumeClaim", BOUND, "spec.resources.requests.storage", "1024Mi"),
    ("PersistentVolume", VOLUME, "spec.claimRef", {"name": "c", "namespace": "ns"}),
    ("PersistentVolume", VOLUME, "spec.csi.controllerExpandSecretRef", {"name": "s"}),
    ("StorageClass", {"provisioner": "p"}, "allowVolumeExpansion", True),
    ("PriorityClass", {"value": 7}, "description", "x"),
    ("PriorityClass", {"value": 7}, "globalDefault", True),
    ("PodDisruptionBudget", {"spec": {"minAvailable": 1}}, "spec.minAvailable", 2),
    ("PodDisruptionBudget", {"spec": {}}, "spec.selector", SELECTOR),
    ("RuntimeClass", {"handler": "h"}, "overhead", {"podFixed": {"cpu": "1"}}),
    ("ConfigMap", {"data": {"a": "b"}}, "data", {"a": "c"}),
    ("ConfigMap", {"data": {"a": "b"}}, "immutable", True),
    ("Secret", {"data": {"a": "eA=="}}, "data", {}),
    ("Lease", {"spec": {}}, "spec.holderIdentity", "h"),
    ("ResourceQuota", {"spec": {"hard": {"pods": "1"}}}, "spec.hard", {"pods": "2"}),
    ("LimitRange", {"spec": {"limits": []}}, "spec.limits", [{"type": "Pod"}]),
    (
        "Service",
        {"spec": {"clusterIPs": ["10.0.0.1"], "ports": [{"port": 80}]}},
        "spec.selector",
        {"a": "b"},
    ),
    ("CSINode", {"spec": {"drivers": []}}, "spec.drivers", [{"name": "d", "nodeID": "n"}]),
    (
        "CSINode",
        {"spec": {"drivers": [{"name": "d", "nodeID": "n"}]}},
        "spec.drivers.0.allocatable",
        {"count": 3},
    ),
]


@pytest.mark.parametrize(("kind", "fields", "path", "value"), ALLOWED)
def test_allowed(kind: str, fields: Obj, path: str, value: Any) -> None:
    assert faults(stored(kind, **fields), path, value) == []


REFUSED: list[tuple[str, Obj, str, Any, str]] = [
    (
        "Node",
        {"spec": {"podCIDRs": ["10.0.0.0/24"]}},
        "spec.podCIDRs",
        ["10.0.1.0/24"],
        'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    ),
    (
        "Node",
        {"spec": {"providerID": "p"}},
        "spec.providerID",
        "q",
        'spec.providerID: Forbidden: node updates may not change providerID except from "" to '
        "valid",
    ),
    (
        "Deployment",
        WORKLOAD,
        "spec.selector",
        {"matchLabels": {"app": "a"}, "matchExpressions": [{"key": "app", "operator": "Exists"}]},
        'spec.selector: Invalid value: {"matchLabels":{"app":"a"},"matchExpressions":[{"key":'
        f'"app","operator":"Exists"}}]}}: {IMMUTABLE}',
    ),
    (
        "StatefulSet",
        WORKLOAD,
        "spec.serviceName",
        "other",
        "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', "
        "'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', "
        "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ),
    (
        "Job",
        {"spec": {"template": ONCE}},
        "spec.completions",
        3,
        f"spec.completions: Invalid value: 3: {IMMUTABLE}",
    ),
    (
        "Job",
        {"spec": {"template": ONCE, "completionMode": "Indexed", "completions": 2}},
        "spec.completions",
        3,
        "spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism",
    ),
    (
        "Job",
        {"spec": {"template": ONCE}},
        "spec.completionMode",
        "Indexed",
        f'spec.completionMode: Invalid value: "Indexed": {IMMUTABLE}',
    ),
    (
        "PersistentVolume",
        VOLUME,
        "spec.volumeMode",
        "Block",
        f'volumeMode: Invalid value: "Block": {IMMUTABLE}',
    ),
    (
        "PersistentVolume",
        VOLUME,
        "spec.csi.volumeHandle",
        "i",
        "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after "
        "creation",
    ),
    (
        "PersistentVolumeClaim",
        BOUND,
        "spec.accessModes",
        ["ReadWriteMany"],
        "spec: Forbidden: spec is immutable after creation except resources.requests and "
        'volumeAttributesClassName for bound claims\n@@ -1,6 +1,6 @@\n {\n  "AccessModes": [\n'
        '-  "ReadWriteOnce"\n+  "ReadWriteMany"\n  ],\n  "Selector": null,\n  "Resources": {\n',
    ),
    (
        "PersistentVolumeClaim",
        {**BOUND, "spec": {**BOUND["spec"], "resources": {"requests": {"storage": "2Gi"}}}},
        "spec.resources.requests.storage",
        "1Gi",
        "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity",
    ),
    (
        "StorageClass",
        {"provisioner": "p"},
        "provisioner",
        "q",
        "provisioner: Forbidden: updates to provisioner are forbidden.",
    ),
    (
        "StorageClass",
        {"provisioner": "p"},
        "volumeBindingMode",
        "WaitForFirstConsumer",
        f'volumeBindingMode: Invalid value: "WaitForFirstConsumer": {IMMUTABLE}',
    ),
    (
        "PriorityClass",
        {"value": 7},
        "value",
        8,
        "value: Forbidden: may not be changed in an update.",
    ),
    (
        "PriorityClass",
        {"value": 7},
        "preemptionPolicy",
        "Never",
        f'preemptionPolicy: Invalid value: "Never": {IMMUTABLE}',
    ),
    (
        "RuntimeClass",
        {"handler": "h"},
        "handler",
        "i",
        f'handler: Invalid value: "i": {IMMUTABLE}',
    ),
    (
        "Lease",
        {"spec": {}},
        "spec.leaseDurationSeconds",
        0,
        "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
    ),
    (
        "ResourceQuota",
        {"spec": {"hard": {"pods": "1"}, "scopes": ["BestEffort"]}},
        "spec.scopes",
        ["NotBestEffort"],
        f'spec.scopes: Invalid value: ["NotBestEffort"]: {IMMUTABLE}',
    ),
    (
        "Service",
        {"spec": {"clusterIPs": ["10.0.0.1"], "ports": [{"port": 80}]}},
        "spec.clusterIPs",
        ["10.0.0.2"],
        'spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set',
    ),
    (
        "CSIDriver",
        {"spec": {}},
        "spec.attachRequired",
        False,
        f"spec.attachedRequired: Invalid value: false: {IMMUTABLE}",
    ),
    (
        "CSIStorageCapacity",
        {"storageClassName": "s"},
        "storageClassName",
        "t",
        f'storageClassName: Invalid value: "t": {IMMUTABLE}',
    ),
    (
        "CSINode",
        {"spec": {"drivers": [{"name": "d", "nodeID": "n"}]}},
        "spec.drivers.0.nodeID",
        "m",
        f'CSINodeDriver: Invalid value: {{"name":"d","nodeID":"m"}}: {IMMUTABLE}',
    ),
    (
        "VolumeAttachment",
        {"spec": {"attacher": "a", "nodeName": "n", "source": {"persistentVolumeName": "v"}}},
        "spec.nodeName",
        "m",
        'spec: Invalid value: {"attacher":"a","nodeName":"m","source":'
        f'{{"persistentVolumeName":"v"}}}}: {IMMUTABLE}',
    ),
]


@pytest.mark.parametrize(("kind", "fields", "path", "value", "text"), REFUSED)
def test_refused(kind: str, fields: Obj, path: str, value: Any, text: str) -> None:
    assert faults(stored(kind, **fields), path, value) == [text]


def test_a_volume_says_once_where_it_can_be_reached() -> None:
    def reachable(key: str) -> Obj:
        terms = [{"matchExpressions": [{"key": key, "operator": "Exists"}]}]
        return {"required": {"nodeSelectorTerms": terms}}

    volume = stored("PersistentVolume", **VOLUME)
    assert faults(volume, "spec.nodeAffinity", reachable("a")) == []
    (fault,) = faults(
        changed(volume, "spec.nodeAffinity", reachable("a")), "spec.nodeAffinity", reachable("b")
    )
    assert fault.startswith('nodeAffinity: Invalid value: {"required":{"nodeSelectorTerms":')
    assert fault.endswith(f"{IMMUTABLE}, except for updating from beta label to GA")


def test_a_template_of_a_job_is_shown_as_a_whole() -> None:
    job = stored("Job", spec={"template": ONCE})
    (fault,) = faults(job, "spec.template.spec.containers.0.image", "j")
    assert fault.startswith(
        'spec.template: Invalid value: {"labels":{"app":"a"},"Spec":{"Volumes":'
    )
    assert fault.endswith(IMMUTABLE)


STATUSES: list[tuple[str, Obj, str, Any, str]] = [
    ("ReplicaSet", {}, "readyReplicas", 1, "cannot be greater than status.replicas"),
    ("Deployment", {"replicas": 2}, "availableReplicas", 1, "cannot be greater than readyReplicas"),
    ("Deployment", {"collisionCount": 2}, "collisionCount", 1, "cannot be decremented"),
    ("StatefulSet", {}, "currentReplicas", 1, "cannot be greater than status.replicas"),
    ("DaemonSet", {}, "numberReady", -1, "must be greater than or equal to 0"),
    ("Job", {}, "active", -1, "must be greater than or equal to 0"),
    ("PodDisruptionBudget", {}, "disruptionsAllowed", -1, "must be greater than or equal to 0"),
    ("ReplicationController", {}, "availableReplicas", 1, "cannot be greater than readyReplicas"),
]


@pytest.mark.parametrize(("kind", "status", "field", "value", "text"), STATUSES)
def test_a_status_makes_sense(kind: str, status: Obj, field: str, value: Any, text: str) -> None:
    fields = {"spec": {"template": ONCE}} if kind == "Job" else WORKLOAD
    old = stored(kind, **fields, status=status)
    found = faults(old, f"status.{field}", value, "status")
    assert f"status.{field}: Invalid value: {value}: {text}" in found
    assert faults(old, "status.observedGeneration", 1, "status") == []


def test_the_phase_of_a_namespace_follows_from_its_deletion() -> None:
    namespace = stored("Namespace", status={"phase": "Active"})
    assert faults(namespace, "status.phase", "Terminating", "status") == [
        'status.Phase: Invalid value: "Terminating": '
        "may only be 'Active' if `deletionTimestamp` is empty"
    ]
    assert faults(namespace, "spec.finalizers", ["odd"], "finalize") == [
        'spec.finalizers[0]: Invalid value: "odd": '
        "name is neither a standard finalizer name nor is it fully qualified"
    ]


def sample(kind: str) -> Any:
    fields = next((fields for known, fields, *_ in ALLOWED if known == kind), {"spec": {}})
    return stored(kind, **fields)


def paths(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict) and depth:
        for field, entry in value.items():
            yield field
            yield from (f"{field}.{path}" for path in paths(entry, depth - 1))


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("subresource", ["", "status"])
def test_whatever_an_update_leaves_out_is_judged(kind: str, subresource: str) -> None:
    old = {**sample(kind), "status": {"phase": "Active"}}
    for path in paths(old, 3):
        if path.partition(".")[0] not in ("apiVersion", "kind") and path != "metadata":
            assert isinstance(faults(old, path, None, subresource), list)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_nothing_is_said_where_nothing_changes(kind: str) -> None:
    old = sample(kind)
    found = validate_update(KINDS[kind], old, old)
    assert [fault for fault in found if "immutable" in fault.message] == []


@pytest.mark.parametrize(("kind", "path", "value", "field"), WRONG)
def test_an_update_is_judged_as_a_new_object_is(
    kind: str, path: str, value: Any, field: str
) -> None:
    old = stored(kind, **VALID[kind])
    assert validate_update(KINDS[kind], old, old) == []
    found = validate_update(KINDS[kind], changed(old, path, value), old)
    assert {fault.field for fault in found} == {field}
