"""Pod specs are judged in kube-apiserver's order and words; what no decision hangs on, too."""

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.kinds.registration.registrations import decisive_faults, faults_of, validate
from tests.apiserver.validation.pod_samples import Obj, a_container, a_pod, assert_faults, faults
from tests.apiserver.validation.samples import CONTAINER, an_object

CLAIM = {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}
EMPTY = {"name": "e", "emptyDir": {}}


VOLUMES: list[tuple[list[Obj], list[str]]] = [
    ([{"name": "v"}], ["spec.volumes[0]: Required value: must specify a volume type"]),
    ([{"emptyDir": {}}], ["spec.volumes[0].name: Required value"]),
    ([EMPTY, EMPTY], ['spec.volumes[1].name: Duplicate value: "e"']),
    (
        [{**EMPTY, "hostPath": {"path": "/"}}],
        ["spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"],
    ),
    (
        [{"name": "h", "hostPath": {"path": "/a/../b"}}],
        ["spec.volumes[0].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'"],
    ),
    (
        [{"name": "h", "nfs": {"path": "a"}}, {"name": "s", "secret": {}}],
        [
            "spec.volumes[0].nfs.server: Required value",
            'spec.volumes[0].nfs.path: Invalid value: "a": must be an absolute path',
            "spec.volumes[1].secret.secretName: Required value",
        ],
    ),
    (
        [{"name": "g", "gcePersistentDisk": {}}],
        ["spec.volumes[0].persistentDisk.pdName: Required value"],
    ),
]


@pytest.mark.parametrize(("volumes", "expected"), VOLUMES)
def test_volumes(volumes: list[Obj], expected: list[str]) -> None:
    assert faults(a_pod(volumes=volumes)) == expected


@pytest.mark.parametrize(
    ("mounts", "devices", "expected"),
    [
        ([{"name": "e", "mountPath": "/a"}], [{"name": "v", "devicePath": "/b"}], []),
        (
            [{"name": "x", "mountPath": "/a"}, {}],
            [],
            [
                'volumeMounts[0].name: Not found: "x"',
                "volumeMounts[1].name: Required value",
                'volumeMounts[1].name: Not found: ""',
                "volumeMounts[1].mountPath: Required value",
            ],
        ),
        (
            [{"name": "e", "mountPath": "/a"}, {"name": "e", "mountPath": "/a"}],
            [],
            ['volumeMounts[1].mountPath: Invalid value: "/a": must be unique'],
        ),
        (
            [{"name": "v", "mountPath": "/a"}],
            [{"name": "v", "devicePath": "/a"}, {"name": "e", "devicePath": "/b"}, {"name": "v"}],
            [
                'volumeMounts[0].name: Invalid value: "v": must not already exist in volumeDevices',
                'volumeMounts[0].mountPath: Invalid value: "/a": '
                "must not already exist as a path in volumeDevices",
                'volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts',
                'volumeDevices[0].devicePath: Invalid value: "/a": '
                "must not already exist as a path in volumeMounts",
                'volumeDevices[1].name: Invalid value: "e": can only use volume source type of '
                "PersistentVolumeClaim or Ephemeral for block mode",
                'volumeDevices[2].name: Invalid value: "v": must be unique',
                "volumeDevices[2].devicePath: Required value",
                'volumeDevices[2].name: Invalid value: "v": must not already exist in volumeMounts',
            ],
        ),
    ],
)
def test_mounts(mounts: list[Obj], devices: list[Obj], expected: list[str]) -> None:
    spec = a_container(volumeMounts=mounts, volumeDevices=devices)
    spec["volumes"] = [CLAIM, EMPTY]
    assert faults(spec) == [f"spec.containers[0].{fault}" for fault in expected]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"resourceClaims": [{"name": "A"}, {"name": "b", "resourceClaimName": "c"}] * 2},
            [
                'resourceClaims[0].name: Invalid value: "A": a lowercase RFC 1123 label',
                'resourceClaims[0]: Invalid value: {"Name":"A","ResourceClaimName":null,'
                '"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, '
                "`resourceClaimTemplateName`",
                'resourceClaims[2].name: Duplicate value: "A"',
                "resourceClaims[2]: Invalid value",
                'resourceClaims[3].name: Duplicate value: "b"',
            ],
        ),
        ({"dnsPolicy": "None"}, ["dnsConfig: Required value: must provide `dnsConfig` when `dnsP"]),
        (
            {"dnsPolicy": "Some", "restartPolicy": ""},
            [
                "restartPolicy: Required value",
                'dnsPolicy: Unsupported value: "Some": supported values: '
                '"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
            ],
        ),
        (
            {"hostUsers": False, "hostPID": True},
            ["HostPID: Forbidden: when `pod.Spec.HostUsers` is false"],
        ),
        (
            {"activeDeadlineSeconds": 0},
            ["activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclu"],
        ),
        (
            {"hostname": "a.b", "subdomain": "A", "nodeName": "", "priorityClassName": "B"},
            [
                'hostname: Invalid value: "a.b": must not contain dots',
                'subdomain: Invalid value: "A": a lowercase RFC 1123 label',
                'priorityClassName: Invalid value: "B": a lowercase RFC 1123 subdomain',
            ],
        ),
        ({"os": {}}, ["os.name: Required value: cannot be empty"]),
        (
            {"os": {"name": "plan9"}},
            ['os: Unsupported value: "plan9": supported values: "linux", "windows"'],
        ),
        (
            {"overhead": {"example.com/x": "1500m", "cores": "1"}},
            [
                'overhead.limits[example.com/x]: Invalid value: "1500m": must be an integer',
                'overhead.limits[cores]: Invalid value: "cores": must be a standard resource type',
                'overhead.limits[cores]: Invalid value: "cores": must be a standard resource for c',
            ],
        ),
        (
            {"tolerations": [{"key": "a b", "operator": "Exists", "value": "v", "effect": "x"}]},
            [
                'tolerations[0].key: Invalid value: "a b": name part must consist of',
                'tolerations[0].operator: Invalid value: "v": value must be empty when `operator`',
                'tolerations[0].effect: Unsupported value: "x": supported values: "NoSchedule"',
            ],
        ),
        (
            {"topologySpreadConstraints": [{"matchLabelKeys": ["a"]}]},
            [
                "topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
                "topologySpreadConstraints[0].topologyKey: Required value: can not be empty",
                'topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "": supported',
                "topologySpreadConstraints[0].matchLabelKeys: Forbidden: "
                "must not be specified when labelSelector is not set",
            ],
        ),
        (
            {
                "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}, "claims": []},
                "containers": [{**CONTAINER, "resources": {"limits": {"cpu": "2"}}}],
            },
            [
                "resources.claims: Forbidden: claims cannot be set for Resources at pod-level",
                'resources.containers[0][cpu].limits: Invalid value: "2": '
                "must be less than or equal to pod limits of 1",
            ],
        ),
        (
            {
                "resources": {"requests": {"memory": "1Gi"}},
                "containers": [{**CONTAINER, "resources": {"requests": {"memory": "2Gi"}}}],
            },
            [
                'resources.requests[memory]: Invalid value: "1Gi": '
                "must be greater than or equal to aggregate container requests of 2Gi"
            ],
        ),
    ],
)
def test_pod(changes: Obj, expected: list[str]) -> None:
    assert_faults(a_pod(**changes), [f"spec.{fault}" for fault in expected])


def test_required_pod_affinity_in_order() -> None:
    term = {
        "labelSelector": {"matchExpressions": [{"operator": "Like"}]},
        "namespaces": ["A"],
        "matchLabelKeys": ["k"],
        "mismatchLabelKeys": ["k", "x y"],
        "topologyKey": "z",
    }
    path = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution"
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    requirement = f"{path}[0].labelSelector.matchExpressions[0]"
    assert_faults(
        a_pod(affinity=affinity),
        [
            f'{requirement}.operator: Invalid value: "Like": not a valid selector operator',
            f'{requirement}.key: Invalid value: "": name part must be non-empty',
            f'{requirement}.key: Invalid value: "": name part must consist of',
            f'{path}[0].namespace: Invalid value: "A": a lowercase RFC 1123 label',
            f'{path}[0].mismatchLabelKeys[1]: Invalid value: "x y": name part must consist of',
            f'{path}[0].matchLabelKeys[0]: Invalid value: "k": '
            "exists in both matchLabelKeys and mismatchLabelKeys",
        ],
    )


def test_a_merged_key_is_in_the_selector_once() -> None:
    selector = {
        "matchLabels": {"k": "v"},
        "matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}],
    }
    constraint = {
        "maxSkew": 1,
        "topologyKey": "z",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": selector,
        "matchLabelKeys": ["a", "k"],
    }
    assert faults(a_pod(topologySpreadConstraints=[constraint])) == [
        'spec.topologySpreadConstraints[0].matchLabelKeys[1]: Invalid value: "k": '
        "exists in both matchLabelKeys and labelSelector"
    ]


def test_what_is_only_preferred_may_have_any_value() -> None:
    term = {"matchExpressions": [{"key": "k", "operator": "In", "values": ["a b"]}]}
    terms = "DuringSchedulingIgnoredDuringExecution"
    preferred = {f"preferred{terms}": [{"weight": 1, "preference": term}]}
    required = {f"required{terms}": {"nodeSelectorTerms": [term]}}
    assert faults(a_pod(affinity={"nodeAffinity": preferred})) == []
    assert_faults(
        a_pod(affinity={"nodeAffinity": required}),
        [
            f"spec.affinity.nodeAffinity.required{terms}.nodeSelectorTerms[0]."
            'matchExpressions[0].values[0]: Invalid value: "a b": a valid label must be'
        ],
    )


def test_faults_of_both_parts_of_a_spec_are_in_order() -> None:
    spec = a_pod(nodeName="A", volumes=[{"name": "v"}], restartPolicy="x", hostname="B")
    spec["tolerations"] = [{"key": "k", "effect": "x"}]
    assert [fault.split(":")[0] for fault in faults(spec)] == [
        "spec.volumes[0]",
        "spec.restartPolicy",
        "spec.nodeName",
        "spec.hostname",
        "spec.tolerations[0].effect",
    ]


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        ({"controller.kubernetes.io/pod-deletion-cost": "-7"}, []),
        (
            {"controller.kubernetes.io/pod-deletion-cost": "+7"},
            [
                "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: "
                'Invalid value: "+7": must be a 32bit integer'
            ],
        ),
        (
            {"kubernetes.io/config.mirror": "x"},
            [
                'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": '
                "must set spec.nodeName if mirror pod annotation is set"
            ],
        ),
    ],
)
def test_annotations(notes: Obj, expected: list[str]) -> None:
    found = validate(an_object("Pod", "metadata.annotations", notes))
    assert [str(fault) for fault in found] == expected


def test_a_gated_pod_is_on_no_node_yet() -> None:
    gated = {"schedulingGates": [{"name": "a"}], "nodeName": "n"}
    message = "cannot be set until all schedulingGates have been cleared"
    pod = an_object("Pod", "spec", a_pod(**gated))
    assert [str(fault) for fault in faults_of(KINDS["Pod"], pod)] == [
        f"spec.nodeName: Forbidden: {message}"
    ]
    template = an_object("ReplicaSet", "spec.template.spec", a_pod(**gated))
    assert faults_of(KINDS["ReplicaSet"], template) == []


def test_decisions_do_not_hang_on_details() -> None:
    spec = {
        "containers": [
            {
                "name": "c",
                "env": [{}],
                "volumeMounts": [{}],
                "livenessProbe": {},
                "imagePullPolicy": "x",
                "ports": [{"name": "A", "containerPort": 1}],
            }
        ],
        "volumes": [{"name": "v"}, {"name": "v", "emptyDir": {}}],
        "dnsPolicy": "x",
        "hostname": "A",
        "activeDeadlineSeconds": 0,
    }
    pod = an_object("Pod", "spec", spec)
    assert len(validate(pod)) > 10
    assert decisive_faults(pod) == []
    assert decisive_faults(an_object("Pod", "spec", {**spec, "nodeName": "A"})) != []
