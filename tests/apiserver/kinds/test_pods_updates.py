"""Pods: the few changes that are allowed, and what is said of the others."""

from typing import Any

import pytest

from tests.apiserver.kinds.updates import changed, faults, stored

Obj = dict[str, Any]

NOT_READY = {
    "key": "node.kubernetes.io/not-ready",
    "operator": "Exists",
    "effect": "NoExecute",
    "tolerationSeconds": 300,
}
LONG_MESSAGE = (
    "spec: Forbidden: pod updates may not change fields other than "
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n"
)


def pod(status: Obj | None = None, **spec: Any) -> Any:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    base = {"containers": [container], "tolerations": [NOT_READY]}
    status = status or {"phase": "Pending", "qosClass": "Burstable"}
    return stored("Pod", spec={**base, **spec}, status=status)


def required(*terms: Obj) -> Obj:
    selector = {"nodeSelectorTerms": [*terms]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}}


def term(*keys: str) -> Obj:
    return {"matchExpressions": [{"key": key, "operator": "Exists"} for key in keys]}


GATES: Obj = {"schedulingGates": [{"name": "a.b/c"}, {"name": "a.b/d"}]}


@pytest.mark.parametrize(
    ("spec", "path", "value"),
    [
        ({}, "spec.containers.0.image", "j"),
        ({"initContainers": [{"name": "a", "image": "i"}]}, "spec.initContainers.0.image", "j"),
        ({}, "spec.activeDeadlineSeconds", 5),
        ({"activeDeadlineSeconds": 9}, "spec.activeDeadlineSeconds", 5),
        ({}, "spec.tolerations", [{"key": "k", "operator": "Exists"}, NOT_READY]),
        ({}, "spec.tolerations", [{**NOT_READY, "tolerationSeconds": 5}]),
        ({"terminationGracePeriodSeconds": -5}, "spec.terminationGracePeriodSeconds", 1),
        ({}, "spec.containers.0.resources.requests.cpu", "1000m"),
        ({}, "spec.hostNetwork", False),
        ({}, "spec.volumes", []),
        (GATES, "spec.schedulingGates", [{"name": "a.b/d"}]),
        (GATES, "spec.schedulingGates", None),
        (GATES, "spec.nodeSelector", {"x": "y"}),
        (GATES, "spec.affinity", required(term("a"))),
        ({**GATES, "affinity": required(term("a"))}, "spec.affinity", required(term("a", "b"))),
        ({}, "metadata.labels", {"a": "b"}),
        ({}, "metadata.annotations", {"a": "b"}),
    ],
)
def test_allowed(spec: Obj, path: str, value: Any) -> None:
    assert faults(pod(**spec), path, value) == []


@pytest.mark.parametrize(
    ("spec", "path", "value", "expected"),
    [
        (
            {},
            "spec.containers",
            [],
            [
                "spec.containers: Required value",
                "spec.containers: Forbidden: pod updates may not add or remove containers",
            ],
        ),
        (
            {},
            "spec.containers.0.image",
            "",
            ["spec.containers[0].image: Required value"] * 2,
        ),
        (
            {},
            "spec.containers.0.image",
            " j",
            [
                'spec.containers[0].image: Invalid value: " j": '
                "must not have leading or trailing whitespace"
            ]
            * 2,
        ),
        (
            {"activeDeadlineSeconds": 5},
            "spec.activeDeadlineSeconds",
            9,
            [
                "spec.activeDeadlineSeconds: Invalid value: 9: "
                "must be less than or equal to previous value"
            ],
        ),
        (
            {"activeDeadlineSeconds": 5},
            "spec.activeDeadlineSeconds",
            None,
            [
                'spec.activeDeadlineSeconds: Invalid value: "null": '
                "must not update from a positive integer to nil value"
            ],
        ),
        (
            {},
            "spec.activeDeadlineSeconds",
            -1,
            [
                "spec.activeDeadlineSeconds: Invalid value: -1: "
                "must be between 1 and 2147483647, inclusive",
                "spec.activeDeadlineSeconds: Invalid value: -1: "
                "must be between 0 and 2147483647, inclusive",
            ],
        ),
        (
            {},
            "spec.tolerations",
            [{**NOT_READY, "effect": ""}],
            [
                'spec.tolerations[0].effect: Invalid value: "": '
                "effect must be 'NoExecute' when `tolerationSeconds` is set",
                "spec.tolerations: Forbidden: "
                "existing toleration can not be modified except its tolerationSeconds",
            ],
        ),
        (
            GATES,
            "spec.schedulingGates",
            [{"name": "a.b/e"}],
            [
                "spec.schedulingGates[0].name: Forbidden: "
                "only deletion is allowed, but found new scheduling gate 'a.b/e'"
            ],
        ),
        (
            {**GATES, "nodeSelector": {"x": "y"}},
            "spec.nodeSelector",
            {"x": "z", "a": "b"},
            [
                'spec.nodeSelector: Invalid value: {"a":"b","x":"z"}: '
                "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
            ],
        ),
        (
            {**GATES, "affinity": required(term("a"))},
            "spec.affinity",
            required(term("a"), term("b")),
            [
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                'nodeSelectorTerms: Invalid value: [{"MatchExpressions":[{"Key":"a","Operator":'
                '"Exists","Values":null}],"MatchFields":null},{"MatchExpressions":[{"Key":"b",'
                '"Operator":"Exists","Values":null}],"MatchFields":null}]: '
                "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
            ],
        ),
        (
            {**GATES, "affinity": required(term("a"))},
            "spec.affinity",
            required(term("b")),
            [
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                'nodeSelectorTerms[0]: Invalid value: {"MatchExpressions":[{"Key":"b","Operator":'
                '"Exists","Values":null}],"MatchFields":null}: '
                "only additions are allowed (no mutations or deletions)"
            ],
        ),
        (
            {"nodeName": "n"},
            "metadata.annotations",
            {"kubernetes.io/config.mirror": "x"},
            [
                "metadata.annotations[kubernetes.io/config.mirror]: Forbidden: "
                "may not add mirror pod annotation"
            ],
        ),
    ],
)
def test_refused(spec: Obj, path: str, value: Any, expected: list[str]) -> None:
    assert faults(pod(**spec), path, value) == expected


@pytest.mark.parametrize(
    ("spec", "path", "value", "difference"),
    [
        (
            {},
            "spec.nodeSelector",
            {"x": "y"},
            '@@ -41,7 +41,9 @@\n  "TerminationGracePeriodSeconds": 30,\n'
            '  "ActiveDeadlineSeconds": null,\n  "DNSPolicy": "ClusterFirst",\n'
            '- "NodeSelector": null,\n+ "NodeSelector": {\n+  "x": "y"\n+ },\n'
            '  "ServiceAccountName": "",\n  "AutomountServiceAccountToken": null,\n'
            '  "NodeName": "",\n',
        ),
        (
            {},
            "spec.hostNetwork",
            True,
            '@@ -46,7 +46,7 @@\n  "AutomountServiceAccountToken": null,\n  "NodeName": "",\n'
            '  "SecurityContext": {\n-  "HostNetwork": false,\n+  "HostNetwork": true,\n'
            '   "HostPID": false,\n   "HostIPC": false,\n   "ShareProcessNamespace": null,\n',
        ),
    ],
)
def test_a_forbidden_change_is_shown(spec: Obj, path: str, value: Any, difference: str) -> None:
    assert faults(pod(**spec), path, value) == [LONG_MESSAGE + difference]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.priority", 7),
        ("spec.schedulerName", "other"),
        ("spec.affinity", required(term("a"))),
        ("spec.terminationGracePeriodSeconds", 1),
        ("spec.containers.0.name", "d"),
        ("spec.containers.0.resources.requests", {"cpu": "1", "memory": "1Gi"}),
        (
            "spec.topologySpreadConstraints",
            [{"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "ScheduleAnyway"}],
        ),
    ],
)
def test_everything_else_is_forbidden(path: str, value: Any) -> None:
    (fault,) = faults(pod(), path, value)
    assert fault.startswith(LONG_MESSAGE)


def test_only_the_node_affinity_of_gated_pods_may_change() -> None:
    together = {
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "z", "labelSelector": {}}
            ]
        }
    }
    (fault,) = faults(pod(**GATES), "spec.affinity", {**together, **required(term("a"))})
    assert fault.startswith(LONG_MESSAGE)
    assert '+  "NodeAffinity": null,' in fault
    assert '+  "PodAffinity": {' in fault


def test_a_mirror_stays_one() -> None:
    mirror = changed(pod(), "metadata.annotations", {"kubernetes.io/config.mirror": "x"})
    (fault,) = faults(mirror, "metadata.annotations", None)
    assert fault.endswith("may not remove or update mirror pod annotation")


class TestResize:
    @staticmethod
    def said(old: Obj, path: str, value: Any) -> list[str]:
        return faults(old, f"spec.{path}", value, "resize")

    def test_cpu_and_memory(self) -> None:
        assert self.said(pod(), "containers.0.resources.requests", {"cpu": "2"}) == []
        more = {"cpu": "2", "memory": "1Gi"}
        assert self.said(pod(), "containers.0.resources.requests", more) == []

    def test_nothing_is_removed(self) -> None:
        both = pod(
            containers=[
                {
                    "name": "c",
                    "image": "i",
                    "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
                }
            ]
        )
        assert self.said(both, "containers.0.resources.requests", {"cpu": "1"}) == [
            "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"
        ]

    def test_other_resources_stay(self) -> None:
        wanted = {"cpu": "1", "ephemeral-storage": "1Gi"}
        assert self.said(pod(), "containers.0.resources.requests", wanted) == [
            "spec: Forbidden: only cpu and memory resources are mutable"
        ]

    def test_the_class_stays(self) -> None:
        same = {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}}
        assert self.said(pod(), "containers.0.resources", same) == [
            'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing'
        ]

    def test_init_containers(self) -> None:
        init = {"name": "a", "image": "i", "resources": {"requests": {"cpu": "1"}}}
        path, wanted = "initContainers.0.resources.requests", {"cpu": "2"}
        assert self.said(pod(initContainers=[init]), path, wanted) == [
            "spec: Forbidden: resources for non-sidecar init containers are immutable"
        ]
        sidecar = {**init, "restartPolicy": "Always"}
        assert self.said(pod(initContainers=[sidecar]), path, wanted) == []

    def test_a_node_that_cannot(self) -> None:
        running = {"containerStatuses": [{"name": "c", "state": {"running": {}}}]}
        old = pod(status={**running, "qosClass": "Burstable"})
        assert self.said(old, "containers.0.resources.requests", {"cpu": "2"}) == [
            "spec: Forbidden: Pod running on node without support for resize"
        ]

    def test_static_pods(self) -> None:
        mirror = changed(pod(), "metadata.annotations", {"kubernetes.io/config.mirror": "x"})
        assert self.said(mirror, "containers.0.resources.requests", {"cpu": "2"}) == [
            "Forbidden: static pods cannot be resized"
        ]
