"""A small valid object of every kind that is checked, to break in one place at a time."""

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import ALL_KINDS
from podium.apiserver.kinds.registration.registrations import faults_of_manifest
from tests.apiserver.transcripts import Obj, changed

CONTAINER: Obj = {"name": "c", "image": "i"}
TEMPLATE: Obj = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [CONTAINER]}}
SELECTOR: Obj = {"matchLabels": {"app": "a"}}
WORKLOAD: Obj = {"selector": SELECTOR, "template": TEMPLATE}
ONCE: Obj = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
RULE: Obj = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
BOUND: Obj = {
    "roleRef": {"kind": "ClusterRole", "name": "view"},
    "subjects": [{"kind": "User", "name": "jane"}],
}

CLAIMED: Obj = {
    "devices": {
        "requests": [
            {
                "name": "r",
                "exactly": {"deviceClassName": "c", "allocationMode": "ExactCount", "count": 1},
            }
        ]
    }
}

DEFINITION: Obj = {
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }
        ],
    },
}

VALID: dict[str, Obj] = {
    "podgroups.scheduling.k8s.io": {"spec": {"schedulingPolicy": {"gang": {"minCount": 2}}}},
    "podgroups.scheduling.x-k8s.io": {"spec": {"minMember": 2, "minResources": {"cpu": "4"}}},
    "workloads.scheduling.k8s.io": {
        "spec": {"podGroupTemplates": [{"name": "t", "schedulingPolicy": {"basic": {}}}]}
    },
    "CustomResourceDefinition": DEFINITION,
    "Pod": {"spec": {"containers": [CONTAINER]}},
    "Node": {"spec": {}, "status": {"capacity": {"cpu": "4"}}},
    "Namespace": {},
    "Service": {"spec": {"ports": [{"port": 80}], "selector": {"app": "a"}}},
    "ReplicationController": {"spec": {"selector": {"app": "a"}, "template": TEMPLATE}},
    "PersistentVolumeClaim": {
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    },
    "PersistentVolume": {
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "hostPath": {"path": "/x"},
        }
    },
    "Deployment": {"spec": WORKLOAD},
    "ReplicaSet": {"spec": WORKLOAD},
    "StatefulSet": {"spec": {**WORKLOAD, "serviceName": "s"}},
    "DaemonSet": {"spec": WORKLOAD},
    "Job": {"spec": {"template": ONCE}},
    "CronJob": {"spec": {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": ONCE}}}},
    "Role": {"rules": [RULE]},
    "ClusterRole": {"rules": [RULE, {"verbs": ["get"], "nonResourceURLs": ["/metrics"]}]},
    "RoleBinding": BOUND,
    "ClusterRoleBinding": BOUND,
    "PodDisruptionBudget": {"spec": {"selector": SELECTOR, "minAvailable": 1}},
    "PriorityClass": {"value": 7},
    "StorageClass": {"provisioner": "p"},
    "CSINode": {"spec": {"drivers": [{"name": "d", "nodeID": "n"}]}},
    "CSIDriver": {"spec": {"attachRequired": True}},
    "CSIStorageCapacity": {"storageClassName": "s", "capacity": "1Gi"},
    "RuntimeClass": {"handler": "h"},
    "ResourceQuota": {"spec": {"hard": {"pods": "1", "count/jobs.batch": 2}}},
    "LimitRange": {"spec": {"limits": [{"type": "Pod", "max": {"cpu": "1"}}]}},
    "ControllerRevision": {"data": {"spec": {}}, "revision": 1},
    "Lease": {"spec": {"holderIdentity": "h", "leaseDurationSeconds": 15}},
    "DeviceClass": {"spec": {"selectors": [{"cel": {"expression": "device.driver == 'd'"}}]}},
    "ResourceSlice": {
        "spec": {
            "driver": "d",
            "nodeName": "n",
            "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": "a"}],
        }
    },
    "ResourceClaim": {"spec": CLAIMED},
    "ResourceClaimTemplate": {"spec": {"spec": CLAIMED}},
    "VolumeAttachment": {
        "spec": {"attacher": "a", "nodeName": "n", "source": {"persistentVolumeName": "v"}}
    },
}


def judged(obj: Obj) -> list[FieldError]:
    """All faults of an object as it is, without defaults, as it comes from a cluster."""
    return faults_of_manifest(changed(obj, {"metadata.uid": "u"}))


def an_object(kind: str) -> Obj:
    """A valid object of the kind."""
    known = ALL_KINDS[kind]
    head = {"apiVersion": known.api_version, "kind": known.name, "metadata": {"name": "x"}}
    return {**head, **VALID.get(kind, {})}
