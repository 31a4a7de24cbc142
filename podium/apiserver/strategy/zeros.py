"""What the API writes where there is nothing: fields that can't be left out.

The types of v1.36 write some fields always. New objects start with them, and bookmarks consist of
nothing else.
"""

from collections.abc import Mapping

from podium.api.objects import Object

_POD_TEMPLATE = {"metadata": {}, "spec": {"containers": None}}
_SELECTED_TEMPLATE = {"selector": None, "template": _POD_TEMPLATE}
_ROLE = {"apiGroup": "", "kind": "", "name": ""}
NODE_STATUS: Object = {
    "daemonEndpoints": {"kubeletEndpoint": {"Port": 0}},
    "nodeInfo": {
        "machineID": "",
        "systemUUID": "",
        "bootID": "",
        "kernelVersion": "",
        "osImage": "",
        "containerRuntimeVersion": "",
        "kubeletVersion": "",
        "kubeProxyVersion": "",
        "operatingSystem": "",
        "architecture": "",
    },
}

ZEROS: Mapping[str, Object] = {
    "Pod": {"spec": {"containers": None}, "status": {}},
    "Node": {"spec": {}, "status": NODE_STATUS},
    "Namespace": {"spec": {}, "status": {}},
    "Service": {"spec": {}, "status": {"loadBalancer": {}}},
    "ReplicationController": {"spec": {}, "status": {"replicas": 0}},
    "ResourceQuota": {"spec": {}, "status": {}},
    "LimitRange": {"spec": {"limits": None}},
    "PersistentVolume": {"spec": {}, "status": {}},
    "PersistentVolumeClaim": {"spec": {"resources": {}}, "status": {}},
    "Event": {
        "involvedObject": {},
        "source": {},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "eventTime": None,
        "reportingComponent": "",
        "reportingInstance": "",
    },
    "Deployment": {"spec": {**_SELECTED_TEMPLATE, "strategy": {}}, "status": {}},
    "ReplicaSet": {"spec": {"selector": None}, "status": {"replicas": 0}},
    "StatefulSet": {
        "spec": {**_SELECTED_TEMPLATE, "serviceName": "", "updateStrategy": {}},
        "status": {"replicas": 0, "availableReplicas": 0},
    },
    "DaemonSet": {
        "spec": {**_SELECTED_TEMPLATE, "updateStrategy": {}},
        "status": {
            "currentNumberScheduled": 0,
            "numberMisscheduled": 0,
            "desiredNumberScheduled": 0,
            "numberReady": 0,
        },
    },
    "ControllerRevision": {"revision": 0},
    "Job": {"spec": {"template": _POD_TEMPLATE}, "status": {}},
    "CronJob": {
        "spec": {
            "schedule": "",
            "jobTemplate": {"metadata": {}, "spec": {"template": _POD_TEMPLATE}},
        },
        "status": {},
    },
    "HorizontalPodAutoscaler": {
        "spec": {"scaleTargetRef": {"kind": "", "name": ""}, "maxReplicas": 0},
        "status": {"desiredReplicas": 0, "currentMetrics": None},
    },
    "Ingress": {"spec": {}, "status": {"loadBalancer": {}}},
    "IngressClass": {"spec": {}},
    "NetworkPolicy": {"spec": {}},
    "Role": {"rules": None},
    "ClusterRole": {"rules": None},
    "RoleBinding": {"roleRef": _ROLE},
    "ClusterRoleBinding": {"roleRef": _ROLE},
    "VolumeAttributesClass": {"driverName": ""},
    "ResourceClaimTemplate": {"spec": {"metadata": {}, "spec": {"devices": {}}}},
    "EndpointSlice": {"addressType": "", "endpoints": None, "ports": None},
    "PodDisruptionBudget": {
        "spec": {},
        "status": {
            "disruptionsAllowed": 0,
            "currentHealthy": 0,
            "desiredHealthy": 0,
            "expectedPods": 0,
        },
    },
    "PriorityClass": {"value": 0},
    "RuntimeClass": {"handler": ""},
    "Lease": {"spec": {}},
    "StorageClass": {"provisioner": ""},
    "CSINode": {"spec": {"drivers": None}},
    "CSIDriver": {"spec": {}},
    "CSIStorageCapacity": {"storageClassName": ""},
    "VolumeAttachment": {
        "spec": {"attacher": "", "source": {}, "nodeName": ""},
        "status": {"attached": False},
    },
    "ResourceClaim": {"spec": {"devices": {}}, "status": {}},
    "ResourceSlice": {
        "spec": {"driver": "", "pool": {"name": "", "generation": 0, "resourceSliceCount": 0}}
    },
    "DeviceClass": {"spec": {}},
    "CustomResourceDefinition": {
        "spec": {
            "group": "",
            "names": {"plural": "", "kind": ""},
            "scope": "",
            "versions": None,
        },
        "status": {
            "conditions": None,
            "acceptedNames": {"plural": "", "kind": ""},
            "storedVersions": None,
        },
    },
}
"""The fields that are always there, kind by kind, next to the metadata."""


def zero_status(kind: str) -> Object:
    """The status of a new object."""
    status: Object = ZEROS[kind]["status"]
    return status
