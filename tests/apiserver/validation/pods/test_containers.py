"""Containers are judged in kube-apiserver's order and words; what no decision hangs on, too."""

import pytest

from tests.apiserver.validation.pod_samples import Obj, a_container, assert_faults, faults
from tests.apiserver.validation.samples import CONTAINER


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"image": ""}, ["image: Required value"]),
        ({"image": " i"}, ['image: Invalid value: " i": must not have leading or trailing white']),
        (
            {"terminationMessagePolicy": "Log", "imagePullPolicy": ""},
            [
                'terminationMessagePolicy: Unsupported value: "Log": supported values: "File", "F',
                "imagePullPolicy: Required value",
            ],
        ),
        (
            {
                "ports": [
                    {"name": "a_b", "containerPort": 0},
                    {"name": "web", "containerPort": 70000, "protocol": ""},
                    {"name": "web", "containerPort": 80, "hostPort": 0},
                    {"name": "a-very-long-name-", "containerPort": 81},
                ]
            },
            [
                'ports[0].name: Invalid value: "a_b": must contain only alpha-numeric characters (',
                "ports[0].containerPort: Required value",
                "ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclu",
                "ports[1].protocol: Required value",
                'ports[2].name: Duplicate value: "web"',
                'ports[3].name: Invalid value: "a-very-long-name-": must be no more than 15 char',
                'ports[3].name: Invalid value: "a-very-long-name-": must not begin or end with a h',
            ],
        ),
        (
            {"env": [{"name": "a=b"}, {"value": "x"}, {"name": "c", "valueFrom": {}}]},
            [
                'env[0].name: Invalid value: "a=b": a valid environment variable name must consist',
                "env[1].name: Required value",
                'env[2].valueFrom: Invalid value: "": must specify one of: `fieldRef`, '
                "`resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`",
            ],
        ),
        (
            {
                "env": [
                    {"name": "a", "valueFrom": {"fieldRef": field}}
                    for field in (
                        {"apiVersion": "v1", "fieldPath": "status.phase"},
                        {"apiVersion": "v1", "fieldPath": "status.x"},
                        {"apiVersion": "v1", "fieldPath": "metadata.labels['a b']"},
                        {"apiVersion": "v1", "fieldPath": "metadata.labels['a']"},
                        {"apiVersion": "v1", "fieldPath": "metadata.annotations['A']"},
                    )
                ]
            },
            [
                'env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported '
                'values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", '
                '"spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", '
                '"status.podIPs"',
                'env[1].valueFrom.fieldRef.fieldPath: Invalid value: "status.x": error converting '
                "fieldPath: field label not supported: status.x",
                'env[2].valueFrom.fieldRef: Invalid value: "a b": name part must consist of',
            ],
        ),
        (
            {
                "env": [
                    {"name": "a", "value": "x", "valueFrom": {"secretKeyRef": {"key": "k"}}},
                    {"name": "b", "valueFrom": {"resourceFieldRef": {"resource": "limits.x"}}},
                    {
                        "name": "c",
                        "valueFrom": {
                            "configMapKeyRef": {"name": "m", "key": ".."},
                            "secretKeyRef": {"name": "s", "key": "k"},
                        },
                    },
                ]
            },
            [
                'env[0].valueFrom.secretKeyRef.name: Invalid value: "": a lowercase RFC 1123 subdo',
                'env[0].valueFrom: Invalid value: "": may not be specified when `value` is not em',
                "env[1].valueFrom.resourceFieldRef.resource: Unsupported value: "
                '"limits.x": supported values: "limits.cpu", "limits.ephemeral-storage", '
                '"limits.memory", "requests.cpu"',
                "env[2].valueFrom.configMapKeyRef.key: Invalid value: \"..\": must not be '..'",
                'env[2].valueFrom: Invalid value: "": may not have more than one field specified',
            ],
        ),
        (
            {"envFrom": [{}, {"prefix": "=", "secretRef": {}}]},
            [
                'envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
                'envFrom[1].prefix: Invalid value: "=": a valid environment variable name',
                "envFrom[1].secretRef.name: Required value",
            ],
        ),
        (
            {
                "resizePolicy": [
                    {"resourceName": "cpu", "restartPolicy": "NotRequired"},
                    {"resourceName": "cpu", "restartPolicy": "x"},
                    {"resourceName": "gpu"},
                ]
            },
            [
                'resizePolicy[1]: Duplicate value: "cpu"',
                'resizePolicy: Unsupported value: "x": supported values: "NotRequired", "RestartC',
                'resizePolicy: Unsupported value: "gpu": supported values: "cpu", "memory"',
                "resizePolicy: Required value",
            ],
        ),
        (
            {"livenessProbe": {"periodSeconds": -1, "successThreshold": 2}},
            [
                "livenessProbe: Required value: must specify a handler type",
                "livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to ",
                "livenessProbe.successThreshold: Invalid value: 2: must be 1",
            ],
        ),
        (
            {
                "readinessProbe": {
                    "exec": {},
                    "tcpSocket": {"port": 1},
                    "terminationGracePeriodSeconds": 0,
                },
                "startupProbe": {
                    "successThreshold": 1,
                    "httpGet": {
                        "path": "",
                        "port": "A",
                        "scheme": "FTP",
                        "httpHeaders": [{"name": "a b"}],
                    },
                },
            },
            [
                "readinessProbe.exec.command: Required value",
                "readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type",
                "readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater t",
                "readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must not be set",
                "startupProbe.httpGet.path: Required value",
                'startupProbe.httpGet.port: Invalid value: "A": must contain only alpha-numeric',
                'startupProbe.httpGet.port: Invalid value: "A": must contain at least one letter',
                'startupProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", ',
                'startupProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header',
            ],
        ),
        (
            {"resources": {"claims": [{"name": "x"}, {"name": "x"}, {}]}},
            [
                'resources.claims[0]: Not found: "x": must be one of the names in '
                "pod.spec.resourceClaims which is empty",
                'resources.claims[1]: Duplicate value: "x"',
                'resources.claims[1]: Not found: "x"',
                "resources.claims[2]: Required value",
            ],
        ),
        (
            {"resources": {"requests": {"hugepages-2Mi": "3Mi"}}},
            [
                "resources.limits: Required value: Limit must be set for non overcommitable",
                'resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive '
                "integer multiple of hugepages-2Mi",
                "resources: Forbidden: HugePages require cpu or memory",
            ],
        ),
    ],
)
def test_container(changes: Obj, expected: list[str]) -> None:
    assert_faults(a_container(**changes), [f"spec.containers[0].{fault}" for fault in expected])


def test_the_end_of_a_container() -> None:
    hooks = {"preStop": {"sleep": {"seconds": 31}}, "postStart": {"exec": {"command": ["a"]}}}
    spec = {**a_container(lifecycle=hooks), "terminationGracePeriodSeconds": 30}
    assert faults(spec) == [
        "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: "
        "must be non-negative and less than terminationGracePeriodSeconds (30)"
    ]


def test_init_containers_come_after_the_others() -> None:
    passing = {
        **CONTAINER,
        "lifecycle": {},
        "startupProbe": {},
        "restartPolicy": "x",
        "ports": [{"containerPort": 1, "hostPort": 1}] * 2,
    }
    sidecar = {**CONTAINER, "name": "s", "restartPolicy": "Always", "livenessProbe": {}}
    spec = {"initContainers": [passing, sidecar], "containers": [{**CONTAINER, "image": ""}]}
    without = "may not be set for init containers without restartPolicy=Always"
    assert faults(spec) == [
        "spec.containers[0].image: Required value",
        'spec.initContainers[0].restartPolicy: Unsupported value: "x": '
        'supported values: "Always", "Never", "OnFailure"',
        'spec.initContainers[0].name: Duplicate value: "c"',
        'spec.initContainers[0].ports[1].hostPort: Duplicate value: "TCP//1"',
        f"spec.initContainers[0].lifecycle: Forbidden: {without}",
        f"spec.initContainers[0].startupProbe: Forbidden: {without}",
        "spec.initContainers[1].livenessProbe: Required value: must specify a handler type",
    ]
