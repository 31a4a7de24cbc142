"""Each kind's own rules, in kube-apiserver v1.36's order and words, by changes of valid objects."""

import re
from pathlib import Path
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.kinds.registration.registration import metadata_alone
from podium.apiserver.kinds.registration.registrations import (
    REGISTRATIONS,
    decisive_faults,
    faults_of,
    faults_of_manifest,
)
from tests.apiserver.transcripts import Obj, assert_answers, changed
from tests.apiserver.validation.samples import VALID, an_object, judged

FILES = sorted(Path(__file__).with_name("faults").glob("*.txt"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_faults_are_found_and_worded_as_kube_apiserver_does(file: Path) -> None:
    assert_answers(file, an_object, lambda case: map(str, judged(case.obj) or ["valid"]))


@pytest.mark.parametrize("kind", VALID)
def test_a_small_object_is_valid(kind: str) -> None:
    assert judged(an_object(kind)) == []


def test_all_kinds_with_rules_are_tried() -> None:
    own = {name for name, one in REGISTRATIONS.items() if one.validate is not metadata_alone}
    assert own == set(VALID)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ({"data": {"a": 1}}, "data.a: Invalid value: expected a string, got 1"),
        ({"data": ["a"]}, "data: Invalid value: expected an object, got a list"),
        ({"data": {"a": "1"}}, ""),
    ],
)
def test_a_kind_without_rules_is_judged_by_its_types(content: Obj, fault: str) -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, **content}
    assert ", ".join(map(str, decisive_faults(config_map))) == fault


def test_kinds_of_other_groups_are_unknown() -> None:
    odd = {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "spec": 1}
    assert faults_of_manifest(odd) == []


def test_annotations_are_limited() -> None:
    large = changed(an_object("ConfigMap"), {"metadata.annotations": {"a": "x" * 256 * 1024}})
    (fault,) = judged(large)
    assert str(fault) == "metadata.annotations: Too long: may not be more than 262144 bytes"


def test_a_gated_pod_is_created_on_no_node() -> None:
    gated: dict[str, Any] = {"schedulingGates": [{"name": "a"}], "nodeName": "n"}
    pod = changed(an_object("Pod"), {f"spec.{field}": value for field, value in gated.items()})
    (fault,) = faults_of(KINDS["Pod"], pod)
    message = "cannot be set until all schedulingGates have been cleared"
    assert str(fault) == f"spec.nodeName: Forbidden: {message}"
    in_template = {f"spec.template.spec.{field}": value for field, value in gated.items()}
    assert faults_of(KINDS["ReplicaSet"], changed(an_object("ReplicaSet"), in_template)) == []


def test_decisions_do_not_depend_on_details() -> None:
    container = {
        "name": "c",
        "env": [{}],
        "volumeMounts": [{}],
        "livenessProbe": {},
        "imagePullPolicy": "x",
        "ports": [{"name": "A", "containerPort": 1}],
    }
    spec = {"containers": [container], "dnsPolicy": "x", "activeDeadlineSeconds": 0}
    spec |= {"hostname": "A", "volumes": [{"name": "v"}, {"name": "v", "emptyDir": {}}]}
    pod = changed(an_object("Pod"), {"spec": spec})
    assert len(judged(pod)) > 10
    assert decisive_faults(pod) == []
    assert decisive_faults(changed(pod, {"spec.nodeName": "A"})) != []


@pytest.mark.parametrize(
    ("kind", "path", "value", "fault"),
    [
        ("ResourceSlice", "spec.devices", [{"name": f"d{n}"} for n in range(129)], "128 items"),
        ("ResourceSlice", "spec.devices.0.taints", [{}] * 17, "16 items"),
        ("ResourceSlice", "spec.devices.0.bindingConditions", ["a"] * 5, "4 items"),
        ("ResourceSlice", "spec.driver", "d" * 64, "63 bytes"),
        ("ResourceClaim", "spec.devices.requests", [{}] * 33, "32 items"),
        ("ResourceClaim", "spec.devices.constraints", [{}] * 33, "32 items"),
        ("DeviceClass", "spec.selectors", [{}] * 33, "32 items"),
        ("DeviceClass", "spec.selectors.0.cel.expression", "x" * 10_241, "10240 bytes"),
    ],
)
def test_lists_and_texts_about_devices_are_limited(
    kind: str, path: str, value: Any, fault: str
) -> None:
    first, *_ = judged(changed(an_object(kind), {path: value}))
    assert str(first).startswith(re.sub(r"\.(\d+)", r"[\1]", path) + ": Too ")
    assert str(first).endswith(fault)


def test_slices_with_counters_or_taints_have_half_as_many_devices() -> None:
    taint = {"key": "k", "effect": "NoExecute"}
    devices = [{"name": f"d{n}", "taints": [taint]} for n in range(65)]
    (fault,) = judged(changed(an_object("ResourceSlice"), {"spec.devices": devices}))
    assert str(fault) == "spec.devices: Too many: 65: must have at most 64 items"


def test_a_device_has_32_attributes_and_capacities_at_most() -> None:
    amounts = {f"c{n}": {"value": "1"} for n in range(33)}
    (fault,) = judged(changed(an_object("ResourceSlice"), {"spec.devices.0.capacity": amounts}))
    message = "the total number of attributes and capacities must not exceed 32"
    assert str(fault) == f"spec.devices[0]: Invalid value: 33: {message}"
