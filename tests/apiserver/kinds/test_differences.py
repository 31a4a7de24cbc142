"""What parts of objects mean, and in which lines they differ."""

from typing import Any

import pytest

from podium.apiserver.kinds.differences import difference, meaning, pod_difference, type_at

Obj = dict[str, Any]


def same(kind: str, path: str, one: Any, other: Any) -> bool:
    of = type_at(kind, path)
    return bool(meaning(one, of) == meaning(other, of))


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        ("spec", {"hostNetwork": False}, {}),
        ("spec", {"nodeName": ""}, {}),
        ("spec", {"tolerations": []}, {"nodeSelector": {}}),
        ("spec", {"serviceAccount": "a"}, {}),
        ("spec", {"unheardOf": 1}, {}),
        ("spec.containers", {"resources": {}}, {}),
        (
            "spec.containers",
            {"resources": {"limits": {"cpu": "1"}}},
            {"resources": {"limits": {"cpu": "1000m"}}},
        ),
        (
            "spec.containers.env.valueFrom.resourceFieldRef",
            {"resource": "limits.cpu", "divisor": "0"},
            {"resource": "limits.cpu"},
        ),
    ],
)
def test_what_means_the_same(path: str, one: Obj, other: Obj) -> None:
    assert same("Pod", path, one, other)


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        ("spec", {"priority": 0}, {}),
        ("spec", {"automountServiceAccountToken": False}, {}),
        ("spec", {"affinity": {}}, {}),
        ("spec", {"hostNetwork": True}, {}),
        ("spec.containers.env", {"name": "a", "value": "0"}, {"name": "a"}),
        ("spec.containers", {"resources": {"limits": {"cpu": "0"}}}, {}),
        ("spec.volumes", {"emptyDir": {"sizeLimit": "0"}}, {"emptyDir": {}}),
        ("spec.volumes", {"emptyDir": {}}, {}),
    ],
)
def test_what_does_not(path: str, one: Obj, other: Obj) -> None:
    assert not same("Pod", path, one, other)


def test_lines_that_differ_with_their_neighbours() -> None:
    assert difference({"a": 1}, {"a": 1}) == ""
    lines = difference({"a": 1, "b": 2}, {"a": 1, "b": 3}).splitlines()
    assert lines == ["@@ -1,4 +1,4 @@", " {", '  "a": 1,', '- "b": 2', '+ "b": 3', " }"]


def test_a_pod_shares_the_network_in_its_security_context() -> None:
    lines = pod_difference({}, {"hostNetwork": True, "securityContext": {"runAsUser": 0}})
    assert '-  "HostNetwork": false,\n+  "HostNetwork": true,' in lines
    assert '-  "RunAsUser": null,\n' in lines
    assert '+  "RunAsUser": 0,\n' in lines
