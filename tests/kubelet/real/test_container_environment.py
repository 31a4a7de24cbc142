"""What containers find in their environment, and where."""

from base64 import b64encode
from typing import Any

import pytest

from podium.kubelet.real.container_environment import (
    EnvironmentSource,
    MissingSourceError,
    command,
    environment,
    expanded,
    mounted,
    pod_field,
    volume_variable,
)
from tests.kubelet.real.acting import MACHINE

POD: dict[str, Any] = {
    "metadata": {
        "name": "web",
        "namespace": "shop",
        "uid": "u",
        "labels": {"app": "web", "tier": 'a "b"'},
        "annotations": {"note.example/x": "y"},
    },
    "spec": {"nodeName": "n", "containers": [{"name": "c"}]},
}
SETTINGS = {"kind": "ConfigMap", "data": {"COLOUR": "green", "1bad": "x"}}
PASSWORD = {"kind": "Secret", "data": {"key": b64encode(b"pssst").decode()}}
SOURCES = {
    EnvironmentSource("ConfigMap", "settings"): SETTINGS,
    EnvironmentSource("Secret", "password"): PASSWORD,
    EnvironmentSource("ConfigMap", "gone"): None,
}


def variables(*env: dict[str, Any], **container: Any) -> dict[str, str]:
    made = {"name": "c", "env": list(env), **container}
    pod = {**POD, "spec": {**POD["spec"], "containers": [made]}}
    return environment(pod, made, SOURCES, MACHINE, {"HOME": "/h"})


def test_variables_come_from_everywhere() -> None:
    found = variables(
        {"name": "PLAIN", "value": "x"},
        {"name": "OWN", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
        {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "password", "key": "key"}}},
        {"name": "ALL", "value": "$(PLAIN)-$(P_COLOUR)-$(HOME)-$(NOBODY)-$$(PLAIN)"},
        envFrom=[{"prefix": "P_", "configMapRef": {"name": "settings"}}],
    )
    assert found == {
        "HOME": "/h",
        "P_COLOUR": "green",
        "P_1bad": "x",
        "PLAIN": "x",
        "OWN": "shop",
        "KEY": "pssst",
        "ALL": "x-green-/h-$(NOBODY)-$(PLAIN)",
    }


def test_values_of_others_are_taken_as_they_are() -> None:
    source = {EnvironmentSource("ConfigMap", "m"): {"kind": "ConfigMap", "data": {"k": "$(HOME)"}}}
    ref = {"configMapKeyRef": {"name": "m", "key": "k"}}
    container = {"name": "c", "env": [{"name": "X", "valueFrom": ref}]}
    assert environment(POD, container, source, MACHINE, {"HOME": "/h"})["X"] == "$(HOME)"


@pytest.mark.parametrize(
    ("value_from", "why"),
    [
        ({"configMapKeyRef": {"name": "gone", "key": "k"}}, 'configmap "gone" not found'),
        ({"secretKeyRef": {"name": "password", "key": "k"}}, "couldn't find key k in Secret"),
        ({"fieldRef": {"fieldPath": "spec.containers"}}, "unsupported fieldPath"),
        ({"resourceFieldRef": {"resource": "sizes.cpu"}}, "unsupported container resource"),
    ],
)
def test_what_is_missing_is_told(value_from: dict[str, Any], why: str) -> None:
    with pytest.raises(MissingSourceError, match=why):
        variables({"name": "X", "valueFrom": value_from})


def test_what_is_optional_may_be_missing() -> None:
    found = variables(
        {
            "name": "X",
            "valueFrom": {"configMapKeyRef": {"name": "gone", "key": "k", "optional": True}},
        },
        envFrom=[{"configMapRef": {"name": "gone", "optional": True}}],
    )
    assert found == {"HOME": "/h"}


@pytest.mark.parametrize(
    ("ref", "value"),
    [
        ({"resource": "requests.cpu"}, "1"),
        ({"resource": "requests.cpu", "divisor": "1m"}, "250"),
        ({"resource": "limits.memory", "divisor": "1Mi"}, "100"),
        ({"resource": "limits.cpu"}, "4"),
        ({"resource": "requests.memory"}, "0"),
    ],
)
def test_resources_are_told(ref: dict[str, Any], value: str) -> None:
    resources = {"requests": {"cpu": "250m"}, "limits": {"memory": "100Mi"}}
    found = variables({"name": "X", "valueFrom": {"resourceFieldRef": ref}}, resources=resources)
    assert found["X"] == value


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metadata.labels['app']", "web"),
        ("metadata.labels['none']", ""),
        ("metadata.annotations['note.example/x']", "y"),
        ("metadata.labels", 'app="web"\ntier="a \\"b\\""'),
        ("status.podIP", "192.0.2.7"),
        ("spec.nodeName", "n"),
    ],
)
def test_fields_are_told(path: str, value: str) -> None:
    assert pod_field(POD, path, MACHINE) == value


def test_commands_and_arguments_are_expanded() -> None:
    container = {"command": ["run", "$(A)"], "args": ["--b=$(A)"]}
    assert command(container, {"A": "x"}) == ["run", "x", "--b=x"]
    assert expanded("$$ $(A) $(B", {"A": "x"}) == "$ x $(B"


def test_paths_in_volumes_are_found_by_the_closest_mount() -> None:
    mounts = {"/data": "/v/d", "/data/deep": "/v/e"}
    assert mounted("/data/x", mounts) == "/v/d/x"
    assert mounted("/data/deep/x", mounts) == "/v/e/x"
    assert mounted("/database", mounts) is None


def test_volumes_have_variables() -> None:
    assert volume_variable("my-data.1") == "PODIUM_VOLUME_MY_DATA_1"


def test_references_that_nothing_closes_are_looked_at_once() -> None:
    assert expanded("$(A)$$" + "$(" * 500_000, {"A": "a"}) == "a$" + "$(" * 500_000
