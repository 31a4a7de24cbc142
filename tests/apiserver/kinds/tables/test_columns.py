"""The tables of all kinds: whether they are there, and what their cells say."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.kinds.registration.registrations import REGISTRATIONS
from podium.apiserver.kinds.tables.columns import _blocks, column_definitions, columns_of, row_of

NOW_S = 1_000.0
CREATED = "1970-01-01T00:15:00Z"
AGE = "100s"
TEMPLATE = {
    "spec": {
        "containers": [{"name": "a", "image": "i"}, {"name": "b", "image": "j"}],
        "nodeSelector": {"disk": "ssd"},
    }
}
SELECTOR = {"matchLabels": {"app": "a"}}


EXAMPLES: list[tuple[str, dict[str, Any], list[Any]]] = [
    (
        "Node",
        {
            "metadata": {"labels": {"node-role.kubernetes.io/b": "", "kubernetes.io/role": "a"}},
            "spec": {"unschedulable": True},
            "status": {
                "conditions": [{"type": "Ready", "status": "True"}],
                "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
                "nodeInfo": {"kubeletVersion": "v1.36.2", "osImage": "Linux"},
            },
        },
        ["Ready,SchedulingDisabled", "a,b", AGE, "v1.36.2", "10.0.0.1", "<none>", "Linux",
         "<unknown>", "<unknown>"],
    ),
    (
        "Node",
        {"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}},
        ["NotReady", "<none>", AGE, "", "<none>", "<none>", *["<unknown>"] * 3],
    ),
    (
        "Deployment",
        {
            "spec": {"replicas": 3, "selector": SELECTOR, "template": TEMPLATE},
            "status": {"readyReplicas": 1, "updatedReplicas": 2},
        },
        ["1/3", 2, 0, AGE, "a,b", "i,j", "app=a"],
    ),
    (
        "ReplicaSet",
        {"spec": {"replicas": 3, "template": TEMPLATE}, "status": {"replicas": 2}},
        [3, 2, 0, AGE, "a,b", "i,j", "<none>"],
    ),
    (
        "ReplicationController",
        {"spec": {"selector": {"b": "2", "a": "1"}}},
        [0, 0, 0, AGE, "", "", "a=1,b=2"],
    ),
    ("StatefulSet", {"spec": {"replicas": 1}}, ["0/1", AGE, "", ""]),
    (
        "DaemonSet",
        {"spec": {"selector": SELECTOR, "template": TEMPLATE}, "status": {"numberReady": 4}},
        [0, 0, 4, 0, 0, "disk=ssd", AGE, "a,b", "i,j", "app=a"],
    ),
    (
        "ControllerRevision",
        {
            "metadata": {
                "ownerReferences": [
                    {"controller": True, "apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d"}
                ]
            },
            "revision": 7,
        },
        ["daemonset.apps/d", 7, AGE],
    ),
    (
        "Job",
        {
            "spec": {"completions": 3},
            "status": {"succeeded": 1, "startTime": "1970-01-01T00:16:00Z"},
        },
        ["Running", "1/3", "40s", AGE, "", "", "<none>"],
    ),
    (
        "Job",
        {
            "spec": {"parallelism": 2},
            "status": {
                "conditions": [{"type": "Complete", "status": "True"}],
                "startTime": "1970-01-01T00:00:00Z",
                "completionTime": "1970-01-01T00:02:00Z",
            },
        },
        ["Complete", "0/1 of 2", "2m", AGE, "", "", "<none>"],
    ),
    (
        "Job",
        {"status": {"conditions": [{"type": "Suspended", "status": "True"}]}},
        ["Suspended", "0/1", "", AGE, "", "", "<none>"],
    ),
    ("Scale", {"spec": {"replicas": 3}, "status": {"replicas": 2}}, [3, 2, AGE]),
    (
        "PodDisruptionBudget",
        {"spec": {"minAvailable": "50%"}, "status": {"disruptionsAllowed": 1}},
        ["50%", "N/A", 1, AGE],
    ),
    ("PodDisruptionBudget", {"spec": {"maxUnavailable": 0}}, ["N/A", "0", 0, AGE]),
    ("PriorityClass", {"value": -5}, [-5, False, AGE, ""]),
    (
        "ResourceQuota",
        {
            "status": {
                "hard": {"requests.cpu": "1", "pods": "5", "limits.cpu": "4"},
                "used": {"pods": "3"},
            }
        },
        ["pods: 3/5, requests.cpu: 0/1", "limits.cpu: 0/4", AGE],
    ),
    ("LimitRange", {}, [CREATED]),
    ("Namespace", {"status": {"phase": "Active"}}, ["Active", AGE]),
    ("ConfigMap", {"data": {"a": ""}, "binaryData": {"b": ""}}, [2, AGE]),
    ("Secret", {"type": "Opaque", "data": {"a": ""}}, ["Opaque", 1, AGE]),
    ("ServiceAccount", {}, [AGE]),
    (
        "Service",
        {
            "spec": {
                "type": "NodePort",
                "clusterIPs": ["10.0.0.9"],
                "ports": [{"port": 80, "nodePort": 30080, "protocol": "TCP"}],
                "selector": {"app": "a"},
            }
        },
        ["NodePort", "10.0.0.9", "<none>", "80:30080/TCP", AGE, "app=a"],
    ),
    (
        "Service",
        {
            "spec": {"type": "LoadBalancer", "externalIPs": ["9.9.9.9"]},
            "status": {"loadBalancer": {"ingress": [{"hostname": "b"}, {"ip": "1.1.1.1"}]}},
        },
        ["LoadBalancer", "<none>", "1.1.1.1,b,9.9.9.9", "<none>", AGE, "<none>"],
    ),
    (
        "Endpoints",
        {
            "subsets": [
                {"addresses": [{"ip": "::1"}, {"ip": "2"}], "ports": [{"port": 1}, {"port": 2}]},
                {"addresses": [{"ip": "3"}]},
            ]
        },
        ["[::1]:1,2:1,[::1]:2 + 2 more...", AGE],
    ),
    ("Endpoints", {}, ["<none>", AGE]),
    (
        "EndpointSlice",
        {
            "addressType": "IPv4",
            "ports": [{"port": 80}, {"name": "x"}, {}],
            "endpoints": [{"addresses": ["1", "2"]}, {"addresses": ["3", "4"]}],
        },
        ["IPv4", "80,x,*", "1,2,3 + 1 more...", AGE],
    ),
    ("EndpointSlice", {"addressType": "IPv6"}, ["IPv6", "<unset>", "<unset>", AGE]),
    ("RuntimeClass", {"handler": "runsc"}, ["runsc", AGE]),
    ("Lease", {"spec": {"holderIdentity": "me"}}, ["me", AGE]),
    (
        "PersistentVolume",
        {
            "spec": {
                "capacity": {"storage": "1Gi"},
                "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
                "persistentVolumeReclaimPolicy": "Retain",
                "claimRef": {"namespace": "ns", "name": "c"},
                "storageClassName": "fast",
                "volumeMode": "Block",
            },
            "status": {"phase": "Bound"},
        },
        ["1Gi", "RWO,RWX", "Retain", "Bound", "ns/c", "fast", "<unset>", "", AGE, "Block"],
    ),
    (
        "PersistentVolumeClaim",
        {
            "metadata": {"deletionTimestamp": CREATED},
            "spec": {"volumeName": "v"},
            "status": {"phase": "Bound", "accessModes": ["ReadOnlyMany"]},
        },
        ["Terminating", "v", "0", "ROX", "", "<unset>", AGE, "<unset>"],
    ),
    (
        "PersistentVolumeClaim",
        {"status": {"phase": "Pending"}},
        ["Pending", "", "", "", "", "<unset>", AGE, "<unset>"],
    ),
    ("StorageClass", {"provisioner": "p"}, ["p", "Delete", "Immediate", False, AGE]),
    ("CSINode", {"spec": {"drivers": [{"name": "d"}]}}, [1, AGE]),
    (
        "CSIDriver",
        {"spec": {"tokenRequests": [{"audience": "x"}], "podInfoOnMount": True}},
        [True, True, False, "x", False, "<none>", AGE],
    ),
    ("CSIStorageCapacity", {"storageClassName": "fast", "capacity": "1Ti"}, ["fast", "1Ti"]),
    (
        "VolumeAttachment",
        {"spec": {"attacher": "a", "source": {"persistentVolumeName": "v"}, "nodeName": "n"}},
        ["a", "v", "n", False, AGE],
    ),
    ("ResourceClaim", {}, [AGE]),
    ("Ingress", {}, ["<none>", "*", "", "80", AGE]),
    (
        "Ingress",
        {
            "spec": {
                "ingressClassName": "nginx",
                "rules": [{"host": "a"}, {}, {"host": "b"}, {"host": "c"}, {}],
                "tls": [{"hosts": ["a"]}],
            },
            "status": {"loadBalancer": {"ingress": [{"ip": "10.0.0.2"}, {"hostname": "10.lb"}]}},
        },
        ["nginx", "a,b,c + 2 more...", "10.0.0.2,10.lb", "80, 443", AGE],
    ),
    ("IngressClass", {"spec": {"controller": "example.com/c"}}, ["example.com/c", "<none>", AGE]),
    (
        "IngressClass",
        {"spec": {"parameters": {"apiGroup": "example.com", "kind": "P", "name": "p"}}},
        ["", "P.example.com/p", AGE],
    ),
    ("NetworkPolicy", {"spec": {"podSelector": {}}}, ["<none>", AGE]),
    ("NetworkPolicy", {"spec": {"podSelector": SELECTOR}}, ["app=a", AGE]),
    ("HorizontalPodAutoscaler", {}, ["/", "<none>", "<unset>", 0, 0, AGE]),
    (
        "HorizontalPodAutoscaler",
        {
            "spec": {
                "scaleTargetRef": {"kind": "Deployment", "name": "d"},
                "minReplicas": 1,
                "maxReplicas": 5,
                "metrics": [
                    {"type": "Resource",
                     "resource": {"name": "cpu", "target": {"averageUtilization": 80}}},
                    {"type": "External", "external": {"target": {"averageValue": "3"}}},
                ],
            },
            "status": {
                "currentReplicas": 2,
                "currentMetrics": [
                    {"type": "Resource",
                     "resource": {"name": "cpu", "current": {"averageUtilization": 10}}},
                ],
            },
        },
        ["Deployment/d", "cpu: 10%/80%, <unknown>/3 (avg)", "1", 5, 2, AGE],
    ),
    (
        "HorizontalPodAutoscaler",
        {
            "spec": {
                "metrics": [
                    {"type": "ContainerResource",
                     "containerResource": {"name": "memory", "target": {"averageValue": "1Gi"}}},
                    {"type": "Object", "object": {"target": {"value": "7"}}},
                    {"type": "Pods", "pods": {"target": {"averageValue": "1"}}},
                    {"type": "Pods", "pods": {"target": {"averageValue": "1"}}},
                ],
            },
        },
        ["/", "memory: <unknown>/1Gi, <unknown>/7 + 2 more...", "<unset>", 0, 0, AGE],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "obj", "cells"), EXAMPLES, ids=[kind for kind, *_ in EXAMPLES])
def test_cells(kind, obj, cells):
    metadata = {"name": "x", "creationTimestamp": CREATED, **obj.get("metadata", {})}
    row = row_of(REGISTRATIONS[kind].kind, {**obj, "metadata": metadata}, NOW_S)
    assert row["cells"] == ["x", *cells]


def test_the_default_storage_class_says_so():
    annotations = {"storageclass.kubernetes.io/is-default-class": "true"}
    obj = {"metadata": {"name": "x", "annotations": annotations}}
    row = row_of(KINDS["StorageClass"], obj, NOW_S)
    assert row["cells"][0] == "x (default)"


def test_an_event_that_was_seen_once():
    event = {
        "metadata": {"name": "e"},
        "type": "Normal",
        "reason": "Scheduled",
        "involvedObject": {"kind": "Pod", "name": "p"},
        "message": " placed \n",
        "eventTime": "1970-01-01T00:16:00.000000Z",
        "reportingComponent": "default-scheduler",
        "reportingInstance": "host",
    }
    row = row_of(KINDS["Event"], event, NOW_S)
    assert row["cells"] == [
        "40s", "Normal", "Scheduled", "pod/p", "", "default-scheduler, host", "placed", "40s",
        1, "e",
    ]  # fmt: skip


def test_an_event_that_repeats():
    event = {
        "metadata": {"name": "e"},
        "involvedObject": {"kind": "Node"},
        "firstTimestamp": "1970-01-01T00:15:00Z",
        "series": {"count": 5, "lastObservedTime": "1970-01-01T00:16:30.000000Z"},
        "source": {"component": "kubelet"},
    }
    row = row_of(KINDS["Event"], event, NOW_S)
    assert row["cells"] == ["10s", "", "", "node", "", "kubelet", "", "100s", 5, "e"]


def test_wide_columns_have_priority():
    wide = [
        column["name"] for column in column_definitions(KINDS["Deployment"]) if column["priority"]
    ]
    assert wide == ["Containers", "Images", "Selector"]


def test_the_name_is_marked_as_such():
    (marked,) = (column for column in column_definitions(KINDS["Event"]) if column["format"])
    assert (marked["name"], marked["format"]) == ("Name", "name")


def test_each_block_is_of_a_kind_and_each_line_is_a_column():
    for key in _blocks().keys() - {"*"}:
        columns = columns_of(REGISTRATIONS[key].kind)
        assert all(column.name and column.description for column in columns), key
