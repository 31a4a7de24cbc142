"""Whatever stands in an object, validation says what is wrong with it and doesn't fall over."""

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.kinds.registration.registrations import validate

SELECTOR = {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "k", "operator": "Exists"}]}
TERM = {"labelSelector": SELECTOR, "topologyKey": "z", "matchLabelKeys": ["a"], "namespaces": ["n"]}
NODE_TERM = {
    "matchExpressions": [{"key": "k", "operator": "Gt", "values": ["1"]}],
    "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}],
}
RESOURCES = {"requests": {"cpu": "1", "x/y": 1}, "limits": {"cpu": "2", "x/y": 1}}
CONTAINER = {
    "name": "c",
    "image": "i",
    "resources": RESOURCES,
    "ports": [{"name": "web", "containerPort": 80, "hostPort": 80, "protocol": "TCP"}],
    "env": [{"name": "a", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['a']"}}}],
    "envFrom": [{"prefix": "p", "configMapRef": {"name": "m"}}],
    "volumeMounts": [{"name": "e", "mountPath": "/a"}],
    "volumeDevices": [{"name": "v", "devicePath": "/b"}],
    "livenessProbe": {"httpGet": {"port": 80, "httpHeaders": [{"name": "h"}]}},
    "lifecycle": {"preStop": {"sleep": {"seconds": 1}}},
    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
}
POD_SPEC: dict[str, Any] = {
    "containers": [CONTAINER],
    "initContainers": [{"name": "s", "restartPolicy": "Always"}],
    "hostNetwork": True,
    "resources": {"requests": {"cpu": "2"}},
    "nodeSelector": {"a": "b"},
    "tolerations": [{"key": "k", "operator": "Equal", "value": "v", "tolerationSeconds": 3}],
    "schedulingGates": [{"name": "g"}],
    "topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule", "minDomains": 1}
    ],
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [NODE_TERM]},
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "preference": NODE_TERM}
            ],
        },
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]},
    },
    "volumes": [
        {"name": "v", "persistentVolumeClaim": {"claimName": "c"}},
        {"name": "e", "emptyDir": {}},
    ],
    "resourceClaims": [{"name": "r", "resourceClaimName": "c"}],
    "overhead": {"cpu": "1"},
    "os": {"name": "linux"},
}
POD_STATUS = {
    "phase": "Running",
    "conditions": [
        {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    ],
    "containerStatuses": [{"name": "c", "restartCount": 1, "resources": RESOURCES}],
}
WORKLOAD = {
    "replicas": 1,
    "selector": SELECTOR,
    "template": {"metadata": {"labels": {"a": "b"}}, "spec": POD_SPEC},
}
SPECS: dict[str, Any] = {
    "Pod": {"spec": POD_SPEC, "status": POD_STATUS},
    "Node": {
        "spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]},
        "status": {
            "allocatable": {"cpu": "1"},
            "conditions": POD_STATUS["conditions"],
            "images": [{"names": ["i"], "sizeBytes": 1}],
        },
    },
    "Deployment": {"spec": {**WORKLOAD, "strategy": {"rollingUpdate": {"maxSurge": "25%"}}}},
    "ReplicationController": {"spec": {**WORKLOAD, "selector": {"a": "b"}}},
    "StatefulSet": {
        "spec": {
            **WORKLOAD,
            "updateStrategy": {"rollingUpdate": {"partition": 1}},
            "volumeClaimTemplates": [{"spec": {"accessModes": ["ReadWriteOnce"]}}],
        }
    },
    "DaemonSet": {"spec": {**WORKLOAD, "updateStrategy": {"rollingUpdate": {"maxSurge": 1}}}},
    "PersistentVolumeClaim": {
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        }
    },
    "Job": {"spec": {**WORKLOAD, "completionMode": "Indexed", "completions": 1}},
    "PodDisruptionBudget": {
        "spec": {"selector": SELECTOR, "minAvailable": "50%"},
        "status": {"disruptedPods": {"p": "2026-01-01T00:00:00Z"}},
    },
    "PriorityClass": {"value": 7, "preemptionPolicy": "Never"},
    "RuntimeClass": {"handler": "h", "overhead": {"podFixed": {"cpu": "1"}}},
    "PersistentVolume": {
        "spec": {
            "capacity": {"storage": "1Gi"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [NODE_TERM]}},
        }
    },
}
METADATA = {
    "name": "x",
    "namespace": "n",
    "labels": {"a": "b"},
    "ownerReferences": [
        {"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u", "controller": True}
    ],
}
OBJECTS = [
    {"apiVersion": kind.api_version, "kind": kind.name, "metadata": METADATA, **SPECS[kind.name]}
    for kind in KINDS.values()
    if kind.name in SPECS
]

odd_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.sampled_from(["", "1", "-1", "1e3", "a b", "Exists", "cpu"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=4,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """All containers in a value, each with each of its keys or positions."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    found: list[tuple[Any, Any]] = [(value, key) for key in keys]
    for key in keys:
        if isinstance(value[key], dict | list):
            found += places(value[key])
    return found


@given(st.sampled_from(OBJECTS), st.data())
def test_odd_values_anywhere(original: dict[str, Any], data: st.DataObject) -> None:
    obj = copy.deepcopy(original)
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places(obj)))
        container[key] = data.draw(odd_values)
    assert all(isinstance(fault, FieldError) and str(fault) for fault in validate(obj))
