"""A valid object of every kind, small, named `a` where names are free."""

from tests.apiserver.requests.client import deployment, pod
from tests.apiserver.validation.samples import DEFINITION
from tests.objects import Obj

_TEMPLATE: Obj = {"metadata": {"labels": {"app": "a"}}, "spec": pod("a")["spec"]}
_SELECTED: Obj = {"selector": {"matchLabels": {"app": "a"}}, "template": _TEMPLATE}
_ONCE = {**_TEMPLATE, "spec": {**_TEMPLATE["spec"], "restartPolicy": "Never"}}
_STORAGE = {"resources": {"requests": {"storage": "1Gi"}}}

_FIELDS: dict[str, Obj] = {
    "CustomResourceDefinition": DEFINITION,
    "Pod": {"spec": pod("a")["spec"]},
    "Event": {
        "involvedObject": {"kind": "Pod", "name": "a", "namespace": "default"},
        "reason": "Tried",
        "source": {"component": "x"},
    },
    "Service": {"spec": {"ports": [{"port": 80}]}},
    "ReplicationController": {"spec": {"selector": {"app": "a"}, "template": _TEMPLATE}},
    "ResourceQuota": {"spec": {"hard": {"pods": "5"}}},
    "LimitRange": {"spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}}]}},
    "PersistentVolume": {
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "hostPath": {"path": "/x"},
        }
    },
    "PersistentVolumeClaim": {"spec": {"accessModes": ["ReadWriteOnce"], **_STORAGE}},
    "Deployment": {"spec": deployment("a", 1)["spec"]},
    "ReplicaSet": {"spec": _SELECTED},
    "StatefulSet": {"spec": {**_SELECTED, "serviceName": "a"}},
    "DaemonSet": {"spec": _SELECTED},
    "ControllerRevision": {"revision": 1, "data": {"spec": {}}},
    "Job": {"spec": {"template": _ONCE}},
    "CronJob": {"spec": {"schedule": "@hourly", "jobTemplate": {"spec": {"template": _ONCE}}}},
    "HorizontalPodAutoscaler": {
        "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "a"}, "maxReplicas": 2}
    },
    "Ingress": {"spec": {"rules": [{"host": "example.com"}]}},
    "NetworkPolicy": {"spec": {"podSelector": {}}},
    "RoleBinding": {
        "roleRef": {"kind": "Role", "name": "a"},
        "subjects": [{"kind": "ServiceAccount", "name": "a", "namespace": "default"}],
    },
    "ClusterRoleBinding": {"roleRef": {"kind": "ClusterRole", "name": "a"}},
    "VolumeAttributesClass": {"driverName": "example.com"},
    "ResourceClaimTemplate": {"spec": {"spec": {"devices": {}}}},
    "EndpointSlice": {"addressType": "IPv4", "endpoints": [{"addresses": ["10.0.0.1"]}]},
    "PodDisruptionBudget": {"spec": {"minAvailable": 1}},
    "PriorityClass": {"value": 5},
    "RuntimeClass": {"handler": "runc"},
    "StorageClass": {"provisioner": "example.com/p"},
    "CSINode": {"spec": {"drivers": []}},
    "CSIDriver": {"spec": {}},
    "CSIStorageCapacity": {"storageClassName": "a"},
    "VolumeAttachment": {
        "spec": {"attacher": "x", "nodeName": "n", "source": {"persistentVolumeName": "v"}}
    },
    "ResourceClaim": {
        "spec": {
            "devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "example.com"}}]}
        }
    },
    "ResourceSlice": {
        "spec": {
            "driver": "example.com",
            "nodeName": "n",
            "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
        }
    },
    "DeviceClass": {"spec": {}},
}


def sample(kind: str) -> Obj:
    """An object that the API accepts."""
    return {"metadata": {"name": "a"}, **_FIELDS.get(kind, {})}
