"""Workloads are judged in kube-apiserver's order and words."""

from typing import Any

import pytest

from podium.apiserver.kinds.registration.registrations import validate
from tests.apiserver.validation.samples import CONTAINER, SELECTOR, TEMPLATE, an_object

Obj = dict[str, Any]

POD: Obj = TEMPLATE["spec"]


def template(**changes: Any) -> Obj:
    return {**TEMPLATE, "spec": {**POD, **changes}}


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        (
            "Deployment",
            {"replicas": -1, "template": template(containers=[{**CONTAINER, "image": ""}])},
            [
                "replicas: Invalid value: -1: must be greater than or equal to 0",
                "selector: Required value",
                'template.metadata.labels: Invalid value: {"app":"a"}: '
                "`selector` does not match template `labels`",
                "template.spec.containers[0].image: Required value",
            ],
        ),
        (
            "Deployment",
            {"selector": {}, "template": {}},
            [
                "selector: Invalid value: {}: empty selector is invalid for deployment",
                "template.spec.containers: Required value",
            ],
        ),
        (
            "Deployment",
            {
                "selector": {"matchLabels": {"app": "b"}},
                "template": template(restartPolicy="Never", activeDeadlineSeconds=1),
                "minReadySeconds": 9,
                "progressDeadlineSeconds": 9,
                "revisionHistoryLimit": -1,
                "strategy": {"type": "Recreate", "rollingUpdate": {}},
            },
            [
                'template.metadata.labels: Invalid value: {"app":"a"}: '
                "`selector` does not match template `labels`",
                'template.spec.restartPolicy: Unsupported value: "Never": '
                'supported values: "Always"',
                "template.spec.activeDeadlineSeconds: Forbidden: "
                "activeDeadlineSeconds in ReplicaSet is not Supported",
                "strategy.rollingUpdate: Forbidden: "
                "may not be specified when strategy `type` is 'Recreate'",
                "revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0",
                "progressDeadlineSeconds: Invalid value: 9: must be greater than minReadySeconds",
            ],
        ),
        (
            "Deployment",
            {
                "selector": SELECTOR,
                "template": TEMPLATE,
                "strategy": {"rollingUpdate": {"maxUnavailable": "0%", "maxSurge": 0}},
            },
            [
                'strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": '
                "may not be 0 when `maxSurge` is 0"
            ],
        ),
        (
            "Deployment",
            {
                "selector": SELECTOR,
                "template": TEMPLATE,
                "strategy": {"rollingUpdate": {"maxUnavailable": "200%", "maxSurge": "200%"}},
            },
            [
                'strategy.rollingUpdate.maxUnavailable: Invalid value: "200%": '
                "must not be greater than 100%"
            ],
        ),
        (
            "Deployment",
            {"selector": SELECTOR, "template": TEMPLATE, "strategy": {"type": "x"}},
            [
                'strategy: Unsupported value: {"type":"x"}: '
                'supported values: "Recreate", "RollingUpdate"'
            ],
        ),
        (
            "Deployment",
            {"selector": {"matchExpressions": [{"key": "a"}]}, "template": {}},
            [
                'selector.matchExpressions[0].operator: Invalid value: "": '
                "not a valid selector operator",
                'selector: Invalid value: {"matchExpressions":[{"key":"a"}]}: '
                "invalid label selector",
            ],
        ),
        (
            "ReplicaSet",
            {"replicas": -1, "minReadySeconds": -1, "selector": SELECTOR, "template": TEMPLATE},
            [
                "replicas: Invalid value: -1: must be greater than or equal to 0",
                "minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
            ],
        ),
        (
            "ReplicationController",
            {"replicas": -1, "template": template(restartPolicy="Never")},
            [
                "selector: Required value",
                "replicas: Invalid value: -1: must be greater than or equal to 0",
                'template.spec.restartPolicy: Unsupported value: "Never": '
                'supported values: "Always"',
            ],
        ),
        (
            "StatefulSet",
            {
                "selector": {},
                "template": TEMPLATE,
                "podManagementPolicy": "x",
                "updateStrategy": {"type": "x"},
                "ordinals": {"start": -1},
            },
            [
                "podManagementPolicy: Invalid value: \"x\": must be 'OrderedReady' or 'Parallel'",
                'updateStrategy: Invalid value: {"type":"x"}: '
                "must be 'RollingUpdate' or 'OnDelete'",
                "ordinals.start: Invalid value: -1: must be greater than or equal to 0",
                "selector: Invalid value: {}: empty selector is invalid for statefulset",
            ],
        ),
        (
            "StatefulSet",
            {
                "selector": SELECTOR,
                "template": TEMPLATE,
                "updateStrategy": {"rollingUpdate": {"partition": -1}},
            },
            [
                "updateStrategy.rollingUpdate.partition: Invalid value: -1: "
                "must be greater than or equal to 0",
            ],
        ),
        (
            "StatefulSet",
            {
                "selector": SELECTOR,
                "template": TEMPLATE,
                "updateStrategy": {"type": "OnDelete", "rollingUpdate": {}},
            },
            [
                "updateStrategy.rollingUpdate: Invalid value: {}: "
                "only allowed for updateStrategy 'RollingUpdate'"
            ],
        ),
        (
            "DaemonSet",
            {
                "selector": {"matchLabels": {"app": "b"}},
                "template": {"spec": POD},
                "updateStrategy": {"rollingUpdate": {"maxUnavailable": 1, "maxSurge": 1}},
                "minReadySeconds": -1,
            },
            [
                "template.metadata.labels: Invalid value: null: "
                "`selector` does not match template `labels`",
                "minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
                "updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: "
                "may not be set when maxUnavailable is non-zero",
            ],
        ),
        (
            "DaemonSet",
            {
                "selector": {},
                "template": TEMPLATE,
                "updateStrategy": {"rollingUpdate": {"maxUnavailable": 0}},
            },
            [
                "selector: Invalid value: {}: empty selector is invalid for daemonset",
                "updateStrategy.rollingUpdate.maxUnavailable: Required value: "
                "cannot be 0 when maxSurge is 0",
            ],
        ),
        (
            "Job",
            {"parallelism": -1, "manualSelector": True, "template": template(restartPolicy="x")},
            [
                "parallelism: Invalid value: -1: must be greater than or equal to 0",
                'template.spec.restartPolicy: Unsupported value: "x": '
                'supported values: "Always", "OnFailure", "Never"',
                'template.spec.restartPolicy: Unsupported value: "x": '
                'supported values: "OnFailure", "Never"',
                "selector: Required value",
            ],
        ),
        (
            "Job",
            {"selector": {"matchLabels": {"app": "b"}}, "template": TEMPLATE},
            [
                'template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
                'template.metadata.labels: Invalid value: {"app":"a"}: '
                "`selector` does not match template `labels`",
            ],
        ),
    ],
)
def test_workload(kind: str, spec: Obj, expected: list[str]) -> None:
    found = [str(fault) for fault in validate(an_object(kind, "spec", spec))]
    assert found == [f"spec.{fault}" for fault in expected]


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        (
            "PersistentVolumeClaim",
            {"storageClassName": "s"},
            [
                "accessModes: Required value: at least 1 access mode is required",
                "resources[storage]: Required value",
            ],
        ),
        (
            "PersistentVolumeClaim",
            {
                "accessModes": ["ReadWriteOncePod", "x"],
                "resources": {"requests": {"storage": "-1"}},
                "volumeMode": "x",
            },
            [
                'accessModes: Unsupported value: "x": supported values: "ReadOnlyMany", '
                '"ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
                "accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
                'resources[storage]: Invalid value: "-1": must be greater than zero',
                'volumeMode: Unsupported value: "x": supported values: "Block", "Filesystem"',
            ],
        ),
        (
            "PersistentVolume",
            {"csi": {"driver": "d", "volumeHandle": "h"}},
            [
                "accessModes: Required value",
                "capacity: Required value",
                'capacity: Unsupported value: null: supported values: "storage"',
            ],
        ),
    ],
)
def test_storage(kind: str, spec: Obj, expected: list[str]) -> None:
    found = [str(fault) for fault in validate(an_object(kind, "spec", spec))]
    assert found == [f"spec.{fault}" for fault in expected]


CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


def test_containers_of_a_stateful_set_mount_its_claims() -> None:
    """The faults, and their places behind those of the claims, are kube-apiserver v1.36's."""
    mounts = [{"name": "data", "mountPath": "/data"}, {"name": "other", "mountPath": "/other"}]
    devices = [{"name": "raw", "devicePath": "/dev/x"}, {"name": "empty", "devicePath": "/dev/y"}]
    pod: Obj = {"containers": [{**CONTAINER, "volumeMounts": mounts, "volumeDevices": devices}]}
    pod["volumes"] = [{"name": "raw", "emptyDir": {}}, {"name": "empty"}]
    claims = [{"metadata": {"name": name}, "spec": CLAIM} for name in ("data", "raw")]
    spec = {"selector": SELECTOR, "template": {**TEMPLATE, "spec": pod}}
    found = validate(an_object("StatefulSet", "spec", {**spec, "volumeClaimTemplates": claims}))
    assert [str(fault) for fault in found] == [
        "spec.template.spec.volumes[2]: Required value: must specify a volume type",
        'spec.template.spec.containers[0].volumeMounts[1].name: Not found: "other"',
        'spec.template.spec.containers[0].volumeDevices[1].name: Invalid value: "empty": '
        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
    ]


def test_templates_of_claims_are_judged_with_their_stateful_set() -> None:
    claim = {"metadata": {"name": "d"}, "spec": {"storageClassName": "a b"}}
    spec = {"selector": SELECTOR, "template": TEMPLATE, "volumeClaimTemplates": [claim]}
    found = [str(fault) for fault in validate(an_object("StatefulSet", "spec", spec))]
    path = "spec.volumeClaimTemplates[0].spec"
    assert found[:2] == [
        f"{path}.accessModes: Required value: at least 1 access mode is required",
        f"{path}.resources[storage]: Required value",
    ]
    assert found[2].startswith(f'{path}.storageClassName: Invalid value: "a b": a lowercase RFC')
    assert len(found) == 3
